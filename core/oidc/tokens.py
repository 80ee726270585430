"""Signed tokens of a provider: what must hold before a word of them is believed."""

from collections.abc import Mapping
from typing import Any, Final

from joserfc.errors import ClaimError, ExpiredTokenError, InvalidKeyIdError, JoseError
from joserfc.jwk import KeySet
from joserfc.jws import deserialize_compact
from joserfc.jwt import JWTClaimsRegistry

from core.oidc.client import Budget, ProviderDown, keys
from core.oidc.settings import Provider
from patclaimeval.text_io.strict_json import StrictJsonError, loads

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
    provider: Provider, text: str, *, nonce: str, now: int, budget: Budget
) -> dict[str, Any]:
    """Return the claims of an ID token; `nonce` is what the sign-in sent."""
    claims = _signed(provider, text, budget)
    _check(provider, claims, now)
    if claims.get("nonce") != nonce:
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
    named = [claims[name] for name in ("sub", "sid") if claims.get(name) not in (None, "")]
    if not named or not all(isinstance(value, str) for value in named):
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
    """Verify the signature and return the claims, read as strictly as any JSON that comes in."""
    try:
        try:
            payload = _payload(text, keys(provider, budget))
        except InvalidKeyIdError:
            payload = _payload(text, keys(provider, budget, anew=True))
    except ProviderDown:
        raise
    except (JoseError, ValueError, TypeError) as error:
        raise BadToken(f"its signature does not hold ({type(error).__name__})") from None
    try:
        claims = loads(payload)
    except StrictJsonError as error:
        raise BadToken(f"its claims cannot be read ({error.reason})") from None
    if not isinstance(claims, dict):
        raise BadToken("its claims are no JSON object")
    return claims


def _payload(text: str, known: KeySet) -> bytes:
    return deserialize_compact(text, known, ALGORITHMS).payload or b""


def _check(provider: Provider, claims: dict[str, Any], now: int) -> None:
    registry = JWTClaimsRegistry(
        now,
        LEEWAY_SECONDS,
        iss={"essential": True, "value": provider.issuer},
        aud={"essential": True, "value": provider.client_id},
        iat={"essential": True},
        exp={"essential": True},
    )
    try:
        registry.validate(claims)
    except ExpiredTokenError:
        raise BadToken("it has expired (exp)") from None
    except ClaimError as error:
        # Several missing claims are named together, in alphabetical order.
        raise BadToken(_WRONG_CLAIMS[error.claim.partition(",")[0]]) from None
    audience, party = claims["aud"], claims.get("azp")
    is_shared = party is not None or (isinstance(audience, list) and len(audience) > 1)
    if is_shared and party != provider.client_id:
        raise BadToken("it was made for another program (azp)")


_WRONG_CLAIMS: Final = {
    "iss": "another issuer made it (iss)",
    "aud": "it was made for another program (aud)",
    "exp": "it does not say when it ends (exp)",
    "iat": "it does not say when it was made, or was made in the future (iat)",
    "nbf": "it is not valid yet (nbf)",
    "sub": "it names no person (sub)",
    "jti": "its number is no text (jti)",
}


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
