"""The forms of single sign-on: whom to let in, and which group gives which role."""

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError

from annotator.access.scopes import campaign_named
from annotator.models import Campaign, Role
from core.forms import PlainTextField, RefusableForm


class ApproveForm(RefusableForm):
    """Under which name somebody is let in."""

    username = PlainTextField(label="User name", max_length=150)


class GroupRoleForm(RefusableForm):
    """A group at a provider, and the role that it gives."""

    group = PlainTextField(
        label="Group",
        max_length=255,
        help_text="As the provider sends it: a name, or in Entra ID the group's object id.",
    )
    campaign = PlainTextField(label="Campaign", max_length=100, help_text="Its short name.")
    role = forms.ChoiceField(label="Role", choices=Role.choices)

    def __init__(self, data: object = None) -> None:
        super().__init__(data)
        named = [(one.name, one.label) for one in settings.OIDC_PROVIDERS]
        self.fields["provider"] = forms.ChoiceField(label="Provider", choices=named)
        self.order_fields(["provider", "group", "campaign", "role"])

    def clean_campaign(self) -> Campaign:
        row = campaign_named(self.cleaned_data["campaign"])
        if row is None:
            raise ValidationError("There is no campaign of that short name.")
        return row
