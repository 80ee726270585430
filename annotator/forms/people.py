"""The sign-in form."""

from django.contrib.auth.forms import AuthenticationForm


class SignInForm(AuthenticationForm):
    """Username and password; an unknown name and a wrong password are answered alike."""

    error_messages = {
        "invalid_login": "The user name or the password is not right. Both are case-sensitive.",
        "inactive": "The user name or the password is not right. Both are case-sensitive.",
    }
