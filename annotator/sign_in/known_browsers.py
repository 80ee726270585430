"""From which browsers an account has signed in before: a signed cookie for each account."""

import secrets
from typing import Final

from django.conf import settings
from django.core.signing import BadSignature
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

from annotator.sign_in.names import account_of

SALT: Final = "annotator.known_browsers"
LASTS_SECONDS: Final = 180 * 24 * 60 * 60


def known_browser(request: HttpRequest, username: str) -> str:
    """Return what this browser is known by if the account has signed in from it, else nothing."""
    try:
        return str(
            request.get_signed_cookie(
                _cookie(username), default="", salt=SALT, max_age=LASTS_SECONDS
            )
        )
    except BadSignature:
        return ""


def remember_browser(request: HttpRequest, response: HttpResponse, username: str) -> None:
    """Have the browser show that the account has signed in from it; it opens nothing by itself."""
    response.set_signed_cookie(
        _cookie(username),
        known_browser(request, username) or secrets.token_urlsafe(16),
        salt=SALT,
        max_age=LASTS_SECONDS,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _cookie(username: str) -> str:
    known = salted_hmac(SALT, account_of(username), algorithm="sha256").hexdigest()[:16]
    # The prefix has browsers take it from this very host only.
    return f"{'__Host-' if settings.SESSION_COOKIE_SECURE else ''}known-{known}"
