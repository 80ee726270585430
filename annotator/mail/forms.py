"""The forms of mail: an address, what one is mailed about, a lost password."""

from typing import Any

from django import forms

from annotator.accounts.forms import address_field, password_field, refuse_typed_apart
from annotator.models import MailKind
from core.forms import PlainTextField, RefusableForm


class AddressForm(RefusableForm):
    """Where somebody wants to be mailed, and their password."""

    address = address_field("Address")
    password = password_field("Your password", "current-password")


class KindsForm(RefusableForm):
    """What somebody wants to be mailed about."""

    kinds = forms.MultipleChoiceField(
        label="Mail me when",
        required=False,
        choices=MailKind.choices,
        widget=forms.CheckboxSelectMultiple,
    )


class ForgottenForm(RefusableForm):
    """Whose password is lost."""

    username = PlainTextField(
        label="User name",
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none"}),
    )


class ResetForm(RefusableForm):
    """A new password, twice."""

    new = password_field("New password", "new-password")
    again = password_field("New password again", "new-password")

    def clean(self) -> dict[str, Any]:
        return refuse_typed_apart(self, "new", "The two new passwords are not the same.")
