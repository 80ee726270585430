"""Slows guessing without locking honest people out: browsers, addresses, limits.

Three limits are asked of who signs in (docs/adr/0018): of the address, of the account from that
address, of the account from everywhere. A browser from which the account has signed in before has
a limit of its own instead, so that a guesser at sign-in hinders nobody in their work. What turns
out to be the right password is not counted at all.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from threading import Lock
from typing import Any, Final

from django.conf import settings
from django.core.signing import BadSignature
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

from annotator import audit_log
from annotator.access.scopes import campaigns_for
from annotator.accounts.names import account_of
from annotator.models import User
from annotator.rate_limits import Asked, RateLimit, give_back, take, take_or_refuse
from core.errors import TooOften

BUSY: Final = (
    "Another password is being checked at this moment. Nothing was stored: try again in a second."
)
_signing_in: Final = Lock()
SALT: Final = "annotator.known_browsers"
LASTS_SECONDS: Final = 180 * 24 * 60 * 60


def known_browser(request: HttpRequest, username: str) -> str:
    """Return what this browser is known by if the account has signed in from it, else nothing."""
    name = _cookie(username)
    try:
        return str(request.get_signed_cookie(name, "", SALT, LASTS_SECONDS))
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


def client_address(request: HttpRequest) -> str:
    """Return the address of who asks: the one that the outermost trusted proxy saw.

    Each proxy adds at the end who called it; what stands further left anybody can write.
    """
    count = settings.TRUSTED_PROXIES
    hops = request.headers.get("X-Forwarded-For", "").split(",") if count else []
    if len(hops) < count or not count:
        return str(request.META.get("REMOTE_ADDR", ""))
    return hops[-count].strip()


# The first that is found counts: browsers name those that they want to be taken for as well.
BROWSERS: Final = (
    ("Edg/", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
SYSTEMS: Final = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Macintosh", "Mac"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


def describe_device(user_agent: str) -> str:
    """Return for example `Firefox on Linux`; nothing of the text itself is repeated."""
    browser = next((name for mark, name in BROWSERS if mark in user_agent), "A browser")
    system = next((name for mark, name in SYSTEMS if mark in user_agent), "an unknown system")
    return f"{browser} on {system}"


# In any 60 seconds: 12 of an account, 10 of them from one address; 10 from a known browser.
OF_ACCOUNT: Final = RateLimit("sign-in account", 9, 20)
OF_ACCOUNT_THERE: Final = RateLimit("sign-in account and address", 7, 20)
OF_KNOWN_BROWSER: Final = RateLimit("sign-in browser", 7, 20)
# Names are tried, too: an office behind one address signs in at nine, and mistypes some.
OF_ADDRESS: Final = RateLimit("sign-in address", 60, 1)


@dataclass(frozen=True, slots=True)
class Attempt:
    """A password that is about to be checked, for a name, from somewhere."""

    username: str
    address: str
    browser: str = ""
    """What a browser from which this account has signed in before is known by."""

    @property
    def limits(self) -> list[Asked]:
        account = account_of(self.username)
        if self.browser:
            return [(OF_KNOWN_BROWSER, f"{account} {self.browser}")]
        network = network_of(self.address)
        return [
            (OF_ADDRESS, network),
            (OF_ACCOUNT_THERE, f"{account} {network}"),
            (OF_ACCOUNT, account),
        ]


@contextmanager
def sign_in_slot() -> Iterator[None]:
    """Let one sign-in at a time into this process; raise TooOften for any other at once.

    A hash takes a core for a good part of a second, and anybody may try to sign in: a flood of
    guesses would otherwise occupy every thread, and each page would wait behind it.
    """
    if not _signing_in.acquire(blocking=False):
        raise TooOften(BUSY, retry_after=1)
    try:
        yield
    finally:
        _signing_in.release()


def begin(attempt: Attempt) -> None:
    """Count an attempt before the password is looked at, or raise TooOften.

    Names without an account are counted alike: the answer shows nobody which names there are.
    """
    sentence = "The password was tried too many times. Nothing is locked: try again in"
    take_or_refuse(attempt.limits, sentence)


def forgive(attempt: Attempt) -> None:
    """Count an attempt no longer, as the password was right."""
    give_back(attempt.limits)


def record_wrong(attempt: Attempt) -> None:
    """Write down that a sign-in was refused, without what was typed as a name."""
    user = User.objects.filter(username=attempt.username).only("pk").first()
    audit_log.record(
        action="sign_in.refused", object_type="user", object_id=user.pk if user else "unknown"
    )


def record_right(user: User, provider: str = "") -> None:
    """Write down that a person has signed in: at a provider, or here.

    With passwords switched off, the account that still has one leaves an act of its own.
    """
    how: dict[str, Any] = {"provider": provider} if provider else {}
    is_emergency = settings.EMERGENCY_ACCOUNT is not None and not provider
    act = "sign_in.emergency" if is_emergency else "sign_in.accepted"
    audit_log.record_on(user, act, user, **how)


def network_of(address: str) -> str:
    """Return whose address it is: of IPv6 one subscriber has 2 to the 64th."""
    with suppress(ValueError):
        read = ip_address(address)
        if isinstance(read, IPv6Address):
            return str(read.ipv4_mapped or f"{int(read) >> 64:x}::/64")
        return str(read)
    return "unknown"


# Of one person, or of one address where nobody is signed in; and of all together.
OF_ONE: Final = RateLimit("refusals of one", 20, 60)
OF_ALL: Final = RateLimit("refusals", 300, 10)
# That there were more is logged once in ten minutes.
OF_MORE: Final = RateLimit("more refusals of one", 1, 600)
OF_ALL_MORE: Final = RateLimit("more refusals", 10, 60)
LONGEST_ID: Final = 40


def record_refusal(
    *, actor: User | None, address: str, route: str, method: str, status: int, slug: str = ""
) -> None:
    """Write down a refusal: the route and never what was sent or which row was meant.

    Of more than 20 at once, and one a minute after that, only that there were more. To be called
    outside of a transaction.
    """
    subject = str(actor.pk) if actor else network_of(address)
    action = "access.refused"
    if take([(OF_ONE, subject), (OF_ALL, "")]):
        if take([(OF_MORE, subject), (OF_ALL_MORE, "")]):
            return
        action = "access.refused_often"
    # The campaign in which it was, for its admins to read; none for an outsider.
    campaign = campaigns_for(actor).filter(slug=slug).first() if actor and slug else None
    audit_log.record(
        action=action,
        actor=actor,
        campaign=campaign,
        object_type="route",
        object_id=route[:LONGEST_ID],
        details={"route": route, "method": method, "status": status},
    )
