"""Which providers people sign in with, as the environment names them; what is wrong is refused."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from core.endpoint import is_this_machine
from core.environment import names, switch

_NAME: Final = re.compile(r"[a-z][a-z0-9]{0,19}")
_PRINTED: Final = re.compile(r"[\x21-\x7e]{1,4096}")
SCOPES: Final = "openid profile email"
GROUPS: Final = "groups"
MOST: Final = 10

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Provider:
    """One provider. The secret is not shown.

    `parameters` go along with each sign-in there; `required` are claims without which nobody is
    let in; with `asks_factor` the provider's second factor counts for ours.
    """

    name: str
    label: str
    issuer: str
    client_id: str
    client_secret: str = field(repr=False)
    scopes: str = SCOPES
    groups_claim: str = GROUPS
    parameters: Pairs = ()
    required: Pairs = ()
    asks_factor: bool = False


def read(environment: Mapping[str, str]) -> tuple[Provider, ...]:
    """Return the providers of OIDC_PROVIDERS; ValueError names the setting that is wrong."""
    found = names(environment, "OIDC_PROVIDERS")
    wrong = next((name for name in found if not _NAME.fullmatch(name)), None)
    if wrong is not None or len(set(found)) < len(found) or len(found) > MOST:
        raise ValueError(
            f"OIDC_PROVIDERS must list at most {MOST} different names of a-z and 0-9, such as "
            "entra,google"
        )
    providers = tuple(_provider(environment, name) for name in found)
    if len({one.issuer for one in providers}) < len(providers):
        raise ValueError("OIDC_PROVIDERS lists two providers with one issuer; remove one of them")
    return providers


def _provider(environment: Mapping[str, str], name: str) -> Provider:
    prefix = f"OIDC_{name.upper()}_"

    def given(setting: str, default: str = "") -> str:
        return environment.get(prefix + setting, "").strip() or default

    for setting in ("ISSUER", "CLIENT_ID", "CLIENT_SECRET"):
        if not _PRINTED.fullmatch(given(setting)):
            raise ValueError(f"{prefix}{setting} must be set, in printable ASCII without blanks")
    scopes = given("SCOPES", SCOPES)
    if "openid" not in scopes.split():
        raise ValueError(f"{prefix}SCOPES must contain openid")
    return Provider(
        name=name,
        label=given("LABEL", name.capitalize())[:40],
        issuer=checked_place(given("ISSUER"), f"{prefix}ISSUER"),
        client_id=given("CLIENT_ID"),
        client_secret=given("CLIENT_SECRET"),
        scopes=scopes,
        groups_claim=given("GROUPS_CLAIM", GROUPS),
        parameters=_pairs(given("PARAMETERS"), f"{prefix}PARAMETERS"),
        required=_pairs(given("REQUIRE"), f"{prefix}REQUIRE"),
        asks_factor=switch(environment, f"{prefix}ASKS_FACTOR", default=False),
    )


def checked_place(url: str, what: str) -> str:
    """Return an address to which secrets may go, or raise ValueError: https, or this machine."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise ValueError(f"{what} cannot be read as an address") from None
    is_sealed = parts.scheme == "https" or (parts.scheme == "http" and is_this_machine(host))
    if not host or port == 0 or not is_sealed or "@" in parts.netloc or parts.fragment:
        raise ValueError(
            f"{what} must begin with https:// and hold no user name and no #; plain http is taken "
            "only for 127.0.0.1, [::1] and localhost"
        )
    return url


def _pairs(text: str, what: str) -> Pairs:
    pairs = tuple(tuple(part.split("=", 1)) for part in text.split())
    if any(len(pair) != 2 or not pair[0] for pair in pairs):
        raise ValueError(f"{what} must be name=value, with blanks between several")
    return tuple((name, value) for name, value in pairs)


def read_passwords(environment: Mapping[str, str], providers: tuple[Provider, ...]) -> str | None:
    """Return None where everybody may sign in with a password, else the one account that may."""
    if switch(environment, "LOCAL_PASSWORDS", default=True):
        return None
    account = environment.get("EMERGENCY_ACCOUNT", "").strip()
    if not account or not providers:
        raise ValueError(
            "LOCAL_PASSWORDS=0 needs OIDC_PROVIDERS, and EMERGENCY_ACCOUNT: the user name of the "
            "one account that still signs in with a password"
        )
    return account
