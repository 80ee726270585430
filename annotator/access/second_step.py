"""Where a session stands between the password and the code, and whether the code was given."""

from collections.abc import Mapping
from typing import Final

from django.conf import settings
from django.http import HttpRequest

from annotator.models import SecondFactor, User
from core.clock import database_now

PENDING: Final = "second_step"
GIVEN: Final = "second_factor"
LASTS_SECONDS: Final = 300


def has_factor(user: User) -> bool:
    """Return whether the person is asked for a code or a passkey."""
    return SecondFactor.objects.filter(user=user).exists() or user.passkeys.exists()


def await_code(
    request: HttpRequest, user: User, at_provider: Mapping[str, str] | None = None
) -> None:
    """Remember who gave the right password, or signed in at a provider, for five minutes."""
    request.session[PENDING] = {
        "user": str(user.pk),
        "hash": user.get_session_auth_hash(),
        "at_provider": dict(at_provider or {}),
        "until": database_now().timestamp() + LASTS_SECONDS,
    }


def awaited(request: HttpRequest) -> User | None:
    """Return who gave the right password a moment ago, if it is still theirs."""
    known = request.session.get(PENDING)
    if not known or known["until"] < database_now().timestamp():
        return None
    user = User.objects.filter(pk=known["user"], is_active=True).first()
    if user is None or user.get_session_auth_hash() != known["hash"]:
        return None
    return user


def awaited_at_provider(request: HttpRequest) -> dict[str, str]:
    """Return what the session is to hold of the sign-in at a provider that came before the code."""
    known = request.session.get(PENDING) or {}
    return dict(known.get("at_provider", {}))


def must_set_up(request: HttpRequest) -> bool:
    """Return whether this session may do nothing before a second factor is set up."""
    return settings.REQUIRE_SECOND_FACTOR and not request.session.get(GIVEN)
