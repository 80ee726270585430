"""Requests to a provider: what it publishes, its keys, tokens for a code, people; all in a budget.

What a provider publishes is remembered for an hour by each process. One that gave no answer is not
asked again for some seconds, so that its outage holds no thread of ours.
"""

import base64
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from threading import Lock
from typing import Any, Final
from urllib.parse import quote_plus, urlencode

from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from core.oidc.settings import Provider, checked_place
from patclaimeval.exchange import NoAnswerError, Reply, UntrustedError, exchange
from patclaimeval.text_io.strict_json import StrictJsonError, loads

# Of all requests that one page waits for.
BUDGET_SECONDS: Final = 4.0
REMEMBERED_SECONDS: Final = 3600.0
LEFT_ALONE_SECONDS: Final = 15.0
# Tokens that name unknown keys must not make us ask all the time.
KEYS_APART_SECONDS: Final = 30.0
WELL_KNOWN: Final = "/.well-known/openid-configuration"


class ProviderDown(Exception):
    """No usable answer came; the message says which request failed and why, in text of ours."""


class ProviderRefused(Exception):
    """The provider refused a code or a token; the message is its code of the error."""


class Budget:
    """The seconds that are left for all requests together."""

    def __init__(self, seconds: float = BUDGET_SECONDS) -> None:
        self._until = time.monotonic() + seconds

    @property
    def left(self) -> float:
        return max(self._until - time.monotonic(), 0.0)


@dataclass(frozen=True, slots=True)
class Published:
    """What a provider publishes about itself, as far as it is used; `user_info` may be missing."""

    authorization: str
    token: str
    keys: str
    user_info: str
    posts_secret: bool
    logs_out: bool
    clock_off: float | None
    """Seconds by which its clock is ahead of ours."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """What a provider gave for a code; missing ones are empty."""

    id_token: str = field(repr=False)
    access_token: str = field(repr=False)


@dataclass(slots=True)
class _Known:
    """What this process remembers of a provider, with the seconds of when."""

    published: Published | None = None
    published_at: float = 0.0
    keys: KeySet | None = None
    keys_at: float = 0.0
    alone_until: float = 0.0


_known: dict[Provider, _Known] = {}
_lock = Lock()


def _remembered(provider: Provider) -> _Known:
    with _lock:
        return _known.setdefault(provider, _Known())


def forget(provider: Provider) -> None:
    """Remember nothing of a provider, so that the next request looks anew."""
    with _lock:
        _known.pop(provider, None)


def published(provider: Provider, budget: Budget) -> Published:
    """Return what the provider publishes; raise ProviderDown where that cannot be had."""
    known = _remembered(provider)
    if known.published and time.monotonic() - known.published_at < REMEMBERED_SECONDS:
        return known.published
    url = provider.issuer.rstrip("/") + WELL_KNOWN
    reply = _ask(provider, "discovery", "GET", url, budget)
    said = _object(reply, "discovery")
    if said.get("issuer") != provider.issuer:
        raise ProviderDown(
            "discovery names another issuer than the setting; write it there letter by letter as "
            "the provider does"
        )
    methods = said.get("token_endpoint_auth_methods_supported")
    found = Published(
        authorization=_place(said, "authorization_endpoint"),
        token=_place(said, "token_endpoint"),
        keys=_place(said, "jwks_uri"),
        user_info=_place(said, "userinfo_endpoint") if said.get("userinfo_endpoint") else "",
        logs_out=said.get("backchannel_logout_supported") is True,
        posts_secret=isinstance(methods, list) and "client_secret_basic" not in methods,
        clock_off=_clock_off(reply),
    )
    known.published, known.published_at = found, time.monotonic()
    return found


def _place(said: Mapping[str, Any], name: str) -> str:
    try:
        return checked_place(str(said.get(name, "")), f"discovery: {name}")
    except ValueError as error:
        raise ProviderDown(str(error)) from None


def _clock_off(reply: Reply) -> float | None:
    try:
        return parsedate_to_datetime(reply.headers.get("Date", "")).timestamp() - time.time()
    except (TypeError, ValueError):
        return None


def keys(provider: Provider, budget: Budget, *, anew: bool = False) -> KeySet:
    """Return the keys that the provider signs with; `anew` where a token names an unknown one."""
    known = _remembered(provider)
    age = time.monotonic() - known.keys_at
    if known.keys and age < (KEYS_APART_SECONDS if anew else REMEMBERED_SECONDS):
        return known.keys
    place = published(provider, budget).keys
    said = _object(_ask(provider, "keys", "GET", place, budget), "keys")
    rows = said.get("keys")
    found = [key for key in map(_key, rows if isinstance(rows, list) else []) if key]
    if not found:
        raise ProviderDown("keys: there is none that can be read")
    known.keys, known.keys_at = KeySet(found), time.monotonic()
    return known.keys


def _key(row: Any) -> Any:
    """Return a public key for signatures; None for another kind, which other clients may use."""
    if not isinstance(row, dict) or row.get("use", "sig") != "sig" or row.get("kty") == "oct":
        return None
    try:
        return KeySet.import_key_set({"keys": [row]}).keys[0]
    except (JoseError, ValueError, KeyError, TypeError):
        return None


def tokens_for_code(
    provider: Provider, *, code: str, verifier: str, redirect_uri: str, budget: Budget
) -> Tokens:
    """Exchange a code; raise ProviderRefused where it is none, or was used."""
    sent = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": redirect_uri,
        "code_verifier": verifier,
    }
    place = published(provider, budget)
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    own = provider.client_id, provider.client_secret
    if place.posts_secret:
        sent |= {"client_id": own[0], "client_secret": own[1]}
    else:
        pair = ":".join(map(quote_plus, own)).encode()
        headers["Authorization"] = f"Basic {base64.b64encode(pair).decode()}"
    reply = _ask(provider, "tokens", "POST", place.token, budget, urlencode(sent).encode(), headers)
    if reply.status in (400, 401, 403):
        raise ProviderRefused(_error_of(reply))
    said = _object(reply, "tokens")
    id_token, access = (
        value if isinstance(value := said.get(name), str) else ""
        for name in ("id_token", "access_token")
    )
    return Tokens(id_token, access)


def _error_of(reply: Reply) -> str:
    """Return the code of an error: of a provider's words nothing else is repeated."""
    try:
        said = loads(reply.body)
    except StrictJsonError:
        said = None
    code = str(said.get("error", "")) if isinstance(said, dict) else ""
    is_code = code.isascii() and code.replace("_", "").isalpha() and len(code) <= 40
    return code if is_code else f"status {reply.status}"


def user_info(provider: Provider, access_token: str, budget: Budget) -> dict[str, Any]:
    """Return what the provider says of the person of a token; empty where it has no such place."""
    place = published(provider, budget).user_info
    if not place or not access_token:
        return {}
    headers = {"Authorization": f"Bearer {access_token}"}
    return _object(_ask(provider, "people", "GET", place, budget, None, headers), "people")


def _ask(
    provider: Provider,
    what: str,
    method: str,
    url: str,
    budget: Budget,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
) -> Reply:
    known, left = _remembered(provider), budget.left
    if time.monotonic() < known.alone_until or not left:
        raise ProviderDown(f"{what}: it gave no answer a moment ago")
    try:
        return exchange(method, url, body, {"Accept": "application/json", **(headers or {})}, left)
    except NoAnswerError as error:
        known.alone_until = time.monotonic() + LEFT_ALONE_SECONDS
        raise ProviderDown(f"{what}: {error}") from None
    except UntrustedError:
        raise ProviderDown(f"{what}: its certificate is not trusted by this machine") from None


def _object(reply: Reply, what: str) -> dict[str, Any]:
    if reply.status != 200:
        raise ProviderDown(f"{what}: it answered {reply.status}")
    try:
        said = loads(reply.body)
    except StrictJsonError:
        said = None
    if not isinstance(said, dict):
        raise ProviderDown(f"{what}: what it answered is no JSON object")
    return said
