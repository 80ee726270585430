"""The forms of one's own account."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from annotator.forms.refusable import RefusableForm


def password_field(label: str, autocomplete: str) -> forms.CharField:
    """Return a field that is never filled in again, and whose spaces count."""
    widget = forms.PasswordInput(attrs={"autocomplete": autocomplete, "maxlength": "1000"})
    return forms.CharField(label=label, strip=False, max_length=1000, widget=widget)


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
