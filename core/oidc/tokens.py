"""Signed tokens of a provider: what must hold before a word of them is believed."""

from collections.abc import Mapping
from typing import Any, Final, TypeGuard

from joserfc import jwt
from joserfc.errors import InvalidKeyIdError, JoseError

from core.oidc.client import Budget, ProviderDown, keys
from core.oidc.settings import Provider

# With a secret that both know, or with none, whoever has the client's settings could sign.
ALGORITHMS: Final = (
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512", "EdDSA"),
)
# By so much two clocks may differ.
LEEWAY_SECONDS: Final = 60
LONGEST_SUBJECT: Final = 255
LOGOUT_EVENT: Final = "http://schemas.openid.net/event/backchannel-logout"
# A logout token is sent when it is made.
LOGOUT_AGE_SECONDS: Final = 300


class BadToken(Exception):
    """A token is not to be believed; the message says why in text of ours."""


def read_id_token(
    provider: Provider, text: str, *, nonce: str | None, now: int, budget: Budget
) -> dict[str, Any]:
    """Return the claims of an ID token; `nonce` is what the sign-in sent, None after a refresh."""
    claims = _signed(provider, text, budget)
    _check(provider, claims, now)
    if nonce is not None and claims.get("nonce") != nonce:
        raise BadToken("it answers another sign-in: the nonce is not ours")
    subject = claims.get("sub")
    if not isinstance(subject, str) or not 0 < len(subject) <= LONGEST_SUBJECT:
        raise BadToken("it names no person")
    return claims


def read_logout_token(provider: Provider, text: str, *, now: int, budget: Budget) -> dict[str, Any]:
    """Return the claims of a logout token, which name a person, a session there, or both."""
    claims = _signed(provider, text, budget)
    _check(provider, claims, now)
    events = claims.get("events")
    if not isinstance(events, dict) or LOGOUT_EVENT not in events:
        raise BadToken("it is no logout token")
    if "nonce" in claims:
        raise BadToken("it is an ID token")
    if claims["iat"] < now - LOGOUT_AGE_SECONDS:
        raise BadToken("it is too old")
    if not any(isinstance(claims.get(name), str) for name in ("sub", "sid")):
        raise BadToken("it names neither a person nor a session")
    return claims


def check_fresh(claims: Mapping[str, Any], asked_at: int) -> None:
    """Raise BadToken unless the person was authenticated after we asked."""
    at = claims.get("auth_time")
    if not isinstance(at, int) or isinstance(at, bool):
        raise BadToken("the provider does not say when you signed in there (auth_time)")
    if at < asked_at - LEEWAY_SECONDS:
        raise BadToken("the provider did not ask you anew")


def _signed(provider: Provider, text: str, budget: Budget) -> dict[str, Any]:
    try:
        try:
            return jwt.decode(text, keys(provider, budget), ALGORITHMS).claims
        except InvalidKeyIdError:
            return jwt.decode(text, keys(provider, budget, anew=True), ALGORITHMS).claims
    except ProviderDown:
        raise
    except (JoseError, ValueError, TypeError) as error:
        raise BadToken(f"its signature does not hold ({type(error).__name__})") from None


def _check(provider: Provider, claims: dict[str, Any], now: int) -> None:
    audience, party = claims.get("aud"), claims.get("azp")
    audiences = audience if isinstance(audience, list) else [audience]
    is_shared = len(audiences) > 1 or party is not None
    if claims.get("iss") != provider.issuer:
        raise BadToken("another issuer made it (iss)")
    if provider.client_id not in audiences:
        raise BadToken("it was made for another program (aud)")
    if is_shared and party != provider.client_id:
        raise BadToken("it was made for another program (azp)")
    made, ends, begins = (claims.get(name) for name in ("iat", "exp", "nbf"))
    if not (_is_time(made) and _is_time(ends) and (begins is None or _is_time(begins))):
        raise BadToken("it does not say when it was made and ends (iat, exp)")
    if ends < now - LEEWAY_SECONDS:
        raise BadToken("it has expired (exp)")
    if max(made, begins or 0) > now + LEEWAY_SECONDS:
        raise BadToken("it was made in the future (iat): the clocks differ")


def _is_time(value: Any) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def groups_of(provider: Provider, claims: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Return the person's groups; None where the claims are silent because they are too many.

    The setting names a claim, or the way to one with dots, such as realm_access.roles.
    """
    found: Any = claims.get(provider.groups_claim)
    if found is None:
        if provider.groups_claim in (claims.get("_claim_names") or {}):
            return None
        found = claims
        for step in provider.groups_claim.split("."):
            found = found.get(step) if isinstance(found, Mapping) else None
    rows = [found] if isinstance(found, str) else found if isinstance(found, list) else []
    named = {row for row in rows if isinstance(row, str) and 0 < len(row) <= LONGEST_SUBJECT}
    return tuple(sorted(named))
