"""The forms of one's own account."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict

from annotator.forms.fields import WholeNumberField
from annotator.forms.refusable import RefusableForm
from annotator.models import Campaign, User
from annotator.queries.access import campaigns_for
from annotator.services.tokens import LONGEST_TOKEN_DAYS


def password_field(label: str, autocomplete: str) -> forms.CharField:
    """Return a field that is never filled in again, and whose spaces count."""
    widget = forms.PasswordInput(attrs={"autocomplete": autocomplete, "maxlength": "1000"})
    return forms.CharField(label=label, strip=False, max_length=1000, widget=widget)


class TokenForm(RefusableForm):
    """What an API token may do, for how long, and where."""

    scope = forms.ChoiceField(
        label="Scope", choices=[("read", "Read"), ("write", "Read and write")], initial="read"
    )
    days = WholeNumberField(
        label="Days", min_value=1, max_value=LONGEST_TOKEN_DAYS, initial=30, help_text="1 to 90."
    )
    password = password_field("Your password", "current-password")

    def __init__(self, user: User, data: QueryDict | None = None) -> None:
        super().__init__(data)
        self._campaigns = {row.slug: row for row in campaigns_for(user).order_by("slug")}
        choices = [
            ("", "All of mine"),
            *((slug, row.name) for slug, row in self._campaigns.items()),
        ]
        self.fields["campaign"] = forms.ChoiceField(
            label="Campaign", required=False, choices=choices
        )
        self.order_fields(["scope", "days", "campaign", "password"])

    @property
    def chosen(self) -> Campaign | None:
        return self._campaigns.get(self.cleaned_data["campaign"])


class NewPasswordForm(RefusableForm):
    """The password now, and the new one twice."""

    current = password_field("Password now", "current-password")
    new = password_field("New password", "new-password")
    again = password_field("New password again", "new-password")

    def clean(self) -> dict[str, Any]:
        sent = self.cleaned_data
        if "new" in sent and "again" in sent and sent["new"] != sent["again"]:
            self.add_error("again", ValidationError("The two new passwords are not the same."))
        return sent
