"""The sign-in form."""

from typing import Any

from django.contrib.auth.forms import AuthenticationForm
from django.core.exceptions import ValidationError

from annotator.services.guessing import Attempt, begin, forgive, record_wrong
from annotator.sign_in.client_address import client_address
from annotator.sign_in.known_browsers import known_browser


class SignInForm(AuthenticationForm):
    """Username and password; an unknown name and a wrong password are answered alike.

    `is_valid` raises TooOften where the password was tried too many times.
    """

    error_messages = {
        "invalid_login": "The user name or the password is not right. Both are case-sensitive.",
        "inactive": "The user name or the password is not right. Both are case-sensitive.",
    }

    def clean(self) -> dict[str, Any]:
        username = self.cleaned_data.get("username")
        if username is None or not self.cleaned_data.get("password"):
            return super().clean()
        assert self.request is not None
        attempt = Attempt(
            username, client_address(self.request), known_browser(self.request, username)
        )
        begin(attempt)
        try:
            cleaned = super().clean()
        except ValidationError:
            record_wrong(attempt)
            raise
        forgive(attempt)
        return cleaned
