"""The forms of inviting somebody, and of accepting."""

from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError

from annotator.access.scopes import campaign_named
from annotator.accounts.forms import address_field, password_field, refuse_typed_apart
from annotator.models import Campaign, Role
from core.forms import PlainTextField, RefusableForm


class MailedForm(RefusableForm):
    """A form with an address to which a link is mailed, where the site sends mail."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not settings.EMAIL_HOST:
            del self.fields["address"]
        self.order_fields([name for name in self.fields if name != "address"])

    address = address_field("Mail the link to", required=False, help_text="Or give it yourself.")


class InviteForm(MailedForm):
    """What a campaign's admin invites somebody as."""

    role = forms.ChoiceField(label="Role", choices=[(role, role) for role in Role.values])


class SiteInviteForm(MailedForm):
    """What a site admin invites somebody as; into a campaign, or into none yet."""

    campaign = forms.CharField(
        label="Campaign", required=False, max_length=100, help_text="Its short name; or none yet."
    )
    role = forms.ChoiceField(
        label="Role", required=False, choices=[("", "None yet"), *Role.choices]
    )

    def clean_campaign(self) -> Campaign | None:
        slug = self.cleaned_data["campaign"]
        row = campaign_named(slug) if slug else None
        if slug and row is None:
            raise ValidationError("There is no campaign of that short name.")
        return row


class AcceptForm(RefusableForm):
    """The name and the password that a new person chooses."""

    username = PlainTextField(
        label="User name",
        max_length=150,
        help_text="Letters of one script, digits and . _ - @",
        widget=forms.TextInput(
            attrs={"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"}
        ),
    )
    password = password_field("Password", "new-password")
    again = password_field("Password again", "new-password")

    def clean(self) -> dict[str, object]:
        return refuse_typed_apart(self, "password", "The two passwords are not the same.")
