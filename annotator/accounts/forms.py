"""The forms of sign-in, of one's own account and of the second factor."""

from collections.abc import Mapping
from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.contrib.auth.forms import AuthenticationForm
from django.core.exceptions import ValidationError

from annotator.access.scopes import campaigns_for
from annotator.accounts.providers import may_use_password, signs_at
from annotator.accounts.sessions import LONGEST_TOKEN_DAYS
from annotator.accounts.sign_in import (
    Attempt,
    begin,
    client_address,
    forgive,
    known_browser,
    record_wrong,
    sign_in_slot,
)
from annotator.models import Campaign, User
from core.forms import PlainTextField, RefusableForm, WholeNumberField
from core.mail_settings import ADDRESS


def password_field(label: str, autocomplete: str) -> forms.CharField:
    """Return a field that is never filled in again, and whose spaces count."""
    widget = forms.PasswordInput(attrs={"autocomplete": autocomplete, "maxlength": "1000"})
    return forms.CharField(label=label, strip=False, max_length=1000, widget=widget)


def address_field(label: str, **more: Any) -> forms.RegexField:
    """Return a field for a plain address: one that no header of a mail can be forged with."""
    widget = forms.TextInput(
        attrs={"autocomplete": "email", "autocapitalize": "none", "inputmode": "email"}
    )
    messages = {"invalid": "Write an address such as name@example.org, without anything around it."}
    return forms.RegexField(
        rf"^{ADDRESS.pattern}\Z",
        label=label,
        max_length=254,
        error_messages=messages,
        widget=widget,
        **more,
    )


class TimeZoneForm(RefusableForm):
    """In which zone pages show times."""

    time_zone = forms.ChoiceField(
        label="Time zone",
        choices=[(name, name.replace("_", " ")) for name in sorted(available_timezones())],
        error_messages={"invalid_choice": "There is no time zone of this name. Choose one."},
    )


class TokenForm(RefusableForm):
    """What an API token may do, for how long, and where."""

    scope = forms.ChoiceField(
        label="Scope", choices=[("read", "Read"), ("write", "Read and write")], initial="read"
    )
    days = WholeNumberField(
        label="Days", min_value=1, max_value=LONGEST_TOKEN_DAYS, initial=30, help_text="1 to 90."
    )
    password = password_field("Your password", "current-password")

    def __init__(self, user: User, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data)
        self._campaigns = {row.slug: row for row in campaigns_for(user).order_by("slug")}
        named = ((slug, row.name) for slug, row in self._campaigns.items())
        choices = [("", "All my campaigns"), *named]
        self.fields["campaign"] = forms.ChoiceField(
            label="Campaign", required=False, choices=choices
        )
        self.order_fields(["scope", "days", "campaign", "password"])
        if signs_at(user):
            del self.fields["password"]

    @property
    def chosen(self) -> Campaign | None:
        return self._campaigns.get(self.cleaned_data["campaign"])


class PasskeyForm(RefusableForm):
    """What a passkey is to be called; with the password, where the person has one."""

    name = PlainTextField(
        label="Name",
        max_length=60,
        help_text="So that you know it again: the device, or where the key lies.",
    )
    password = password_field("Your password", "current-password")

    def __init__(self, user: User, data: Mapping[str, Any] | None = None, **more: Any) -> None:
        super().__init__(data, **more)
        if signs_at(user):
            del self.fields["password"]


def refuse_typed_apart(form: forms.Form, name: str, why: str) -> dict[str, Any]:
    """Return what was sent; what is typed a second time, in the field `again`, must be the same."""
    sent = form.cleaned_data
    if name in sent and "again" in sent and sent[name] != sent["again"]:
        form.add_error("again", ValidationError(why))
    return sent


class NewPasswordForm(RefusableForm):
    """The password now, and the new one twice."""

    current = password_field("Password now", "current-password")
    new = password_field("New password", "new-password")
    again = password_field("New password again", "new-password")

    def clean(self) -> dict[str, Any]:
        return refuse_typed_apart(self, "new", "The two new passwords are not the same.")


class SignInForm(AuthenticationForm):
    """Username and password; an unknown name and a wrong password are answered alike.

    `is_valid` raises TooOften where the password was tried too many times.
    """

    error_messages = dict.fromkeys(
        ("invalid_login", "inactive"),
        "The user name or the password is not right. Both are case-sensitive.",
    )

    def confirm_login_allowed(self, user: Any) -> None:
        super().confirm_login_allowed(user)
        if not may_use_password(user):
            raise self.get_invalid_login_error()

    def clean(self) -> dict[str, Any]:
        username = self.cleaned_data.get("username")
        if username is None or not self.cleaned_data.get("password"):
            return super().clean()
        assert self.request is not None
        browser = known_browser(self.request, username)
        attempt = Attempt(username, client_address(self.request), browser)
        # A guess that gets no slot costs neither a hash nor a write.
        with sign_in_slot():
            begin(attempt)
            try:
                cleaned = super().clean()
            except ValidationError:
                record_wrong(attempt)
                raise
        forgive(attempt)
        return cleaned


class FreshInput(forms.TextInput):
    """A field that is empty each time: a code that was refused is never right later."""

    def format_value(self, value: object) -> None:
        return None


class CodeForm(RefusableForm):
    """Six digits from an app, or a recovery code; which it is shows in its length."""

    code = PlainTextField(
        label="Code",
        max_length=40,
        help_text="Six digits from your app, or a recovery code.",
        error_messages={"max_length": "No code is so long."},
        widget=FreshInput(
            attrs={
                "autocomplete": "one-time-code",
                "autocapitalize": "none",
                "spellcheck": "false",
                "autofocus": True,
            }
        ),
    )
