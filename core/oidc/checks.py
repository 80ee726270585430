"""What of a provider's settings works and what does not, asked of the provider itself."""

import time
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from core.oidc.client import (
    Budget,
    ProviderDown,
    ProviderRefused,
    forget,
    keys,
    published,
    tokens_for_code,
)
from core.oidc.settings import Provider
from core.oidc.tokens import LEEWAY_SECONDS
from patclaimeval.exchange import NoAnswerError, UntrustedError, exchange

# What a provider answers to a code that is none, where it knows the program that asks.
KNOWS_US: Final = frozenset({"invalid_grant", "invalid_request"})


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at; `is_right` is None where it cannot be seen from here."""

    about: str
    is_right: bool | None
    sentence: str


def look_at(provider: Provider, redirect_uri: str) -> tuple[Finding, ...]:
    """Ask a provider for all that a sign-in needs, within one budget; nobody is signed in."""
    forget(provider)
    budget = Budget()
    try:
        place = published(provider, budget)
    except ProviderDown as error:
        return (
            Finding("Discovery", False, f"{_begun(error)}. Look at the issuer and the network."),
        )
    found = [Finding("Discovery", True, "It is found, and names the issuer of the settings.")]
    found += [_clock(place.clock_off), _keys(provider, budget)]
    found += [
        _redirect(provider, place.authorization, redirect_uri, budget),
        _secret(provider, redirect_uri, budget),
    ]
    sentence = "It can say when somebody signs out there."
    if not place.logs_out:
        sentence = (
            "It does not say when somebody signs out there: sessions here end after 12 hours."
        )
    return (*found, Finding("Logout", place.logs_out or None, sentence))


def _begun(error: ProviderDown) -> str:
    text = str(error)
    return text[:1].upper() + text[1:]


def _clock(off: float | None) -> Finding:
    if off is None:
        return Finding("Clock", None, "It does not say what time it has.")
    if abs(off) > LEEWAY_SECONDS:
        seconds = f"{abs(off):.0f} s {'ahead of' if off > 0 else 'behind'} ours"
        return Finding("Clock", False, f"Its clock is {seconds}. Set this machine's by NTP.")
    return Finding("Clock", True, f"It agrees with ours within {LEEWAY_SECONDS} s.")


def _keys(provider: Provider, budget: Budget) -> Finding:
    try:
        number = len(keys(provider, budget).keys)
    except ProviderDown as error:
        return Finding("Keys", False, f"{_begun(error)}.")
    return Finding("Keys", True, f"Usable ones: {number}.")


def _redirect(provider: Provider, place: str, redirect_uri: str, budget: Budget) -> Finding:
    """Ask for a sign-in that shows no page: a provider sends it back only to where it may."""
    wish = {
        "response_type": "code",
        "client_id": provider.client_id,
        "redirect_uri": redirect_uri,
        "scope": "openid",
        "prompt": "none",
        "state": "look",
        "nonce": f"look-{time.time():.0f}",
        "code_challenge": "A" * 43,
        "code_challenge_method": "S256",
    }
    url = f"{place}{'&' if '?' in place else '?'}{urlencode(wish)}"
    about, register = "Redirect URI", f"Register exactly {redirect_uri} there."
    try:
        reply = exchange("GET", url, None, {"Accept": "text/html"}, max(budget.left, 0.1))
    except (NoAnswerError, UntrustedError) as error:
        return Finding(about, False, f"The sign-in page does not answer ({error}).")
    if reply.headers.get("Location", "").startswith(redirect_uri):
        return Finding(about, True, "It is registered there, and so is the client id.")
    if 400 <= reply.status < 500:
        return Finding(about, False, f"It is not, or the client id is wrong. {register}")
    return Finding(about, None, f"That cannot be seen from here. {register}")


def _secret(provider: Provider, redirect_uri: str, budget: Budget) -> Finding:
    """Send a code that is none: what is wrong with it tells whether the secret is right."""
    about = "Client secret"
    try:
        tokens_for_code(
            provider, code="none", verifier="A" * 43, redirect_uri=redirect_uri, budget=budget
        )
    except ProviderRefused as error:
        if str(error) in KNOWS_US:
            return Finding(about, True, "It is accepted.")
        return Finding(about, False, f"It is refused ({error}). Look at the client id and secret.")
    except ProviderDown as error:
        return Finding(about, False, f"{_begun(error)}.")
    return Finding(about, None, "It gave tokens for a code that is none.")
