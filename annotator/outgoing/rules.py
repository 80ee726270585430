"""Where a webhook may lead, how its requests are signed, and when they are tried again."""

import base64
import hashlib
import hmac
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final
from urllib.parse import SplitResult, urlsplit

from core.endpoint import is_this_machine

Network = IPv4Network | IPv6Network

SETTLED: Final = "settled"
TEST: Final = "test"
# Events that a webhook may ask for, with what a page calls them.
EVENTS: Final = {
    "import": "an import was stored or failed",
    "freeze": "a freeze ended",
    "training": "a training run ended",
    "report": "an agreement report ended",
    "reliability": "a reliability report ended",
    "export": "an export was requested",
    SETTLED: "candidates were settled",
}

LONGEST_URL: Final = 500
_UNPRINTED: Final = re.compile(r"[^\x21-\x7e]")
NOT_ALLOWED: Final = (
    "This site sends nothing to that host: whoever runs it names in WEBHOOK_HOSTS where webhooks "
    "may lead."
)


class WrongAddress(ValueError):
    """An address to which no webhook may lead; the message is the reason."""


def checked_url(url: str, hosts: Collection[str], *, is_local: bool) -> SplitResult:
    """Return the parts of an address, or raise WrongAddress.

    `hosts` are the names, or names with ports, that the site allows. Plain http is for this machine
    in local mode. The message never repeats the address, which may hold a password.
    """
    if len(url) > LONGEST_URL:
        raise WrongAddress(f"An address has at most {LONGEST_URL} characters.")
    if _UNPRINTED.search(url) or "\\" in url:
        raise WrongAddress("Write an address in printable ASCII, without white space.")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
        host.encode("idna")
    except ValueError:
        raise WrongAddress("This cannot be read as an address.") from None
    if parts.scheme not in ("https", "http") or not host or port == 0:
        raise WrongAddress("An address begins with https:// and names a host.")
    if "@" in parts.netloc or "#" in url:
        raise WrongAddress("An address holds no user name, no password and no #.")
    if parts.scheme == "http" and not (is_local and is_this_machine(host)):
        raise WrongAddress("An address begins with https://.")
    usual = 443 if parts.scheme == "https" else 80
    allowed = f"{_bracketed(host)}:{port or usual}"
    if allowed not in {_with_port(entry, usual) for entry in hosts}:
        raise WrongAddress(NOT_ALLOWED)
    return parts


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _with_port(entry: str, usual: int) -> str:
    has_port = re.search(r":[0-9]+$", entry) and not entry.endswith("]")
    return (entry if has_port else f"{entry}:{usual}").lower()


# Addresses that routers or gateways translate to an IPv4 address inside them, which may be private;
# and the former site-local ones, which Python counts as public.
TRANSLATED: Final = tuple(
    IPv6Network(network)
    for network in (
        "::/96",
        "64:ff9b::/96",
        "64:ff9b:1::/48",
        "2001::/32",
        "2002::/16",
        "fec0::/10",
    )
)


def may_be_reached(address: str, networks: Sequence[Network], *, is_local: bool) -> bool:
    """Return whether an address that a name led to is public, or of a network that is listed.

    In local mode this machine itself may be reached too.
    """
    read = ip_address(address.partition("%")[0])
    if isinstance(read, IPv6Address) and read.ipv4_mapped:
        read = read.ipv4_mapped
    if any(read.version == network.version and read in network for network in networks):
        return True
    if read.is_loopback:
        return is_local
    if isinstance(read, IPv6Address) and any(read in network for network in TRANSLATED):
        return False
    return read.is_global and not read.is_multicast


SECRET_PREFIX: Final = "whsec_"  # noqa: S105 - begins each secret, and is none
SECRET_BYTES: Final = 32
# Within so many seconds of its timestamp a receiver is to take a request.
TOLERANCE_SECONDS: Final = 300


def signature(secret: str, delivery: str, timestamp: int, body: bytes) -> str:
    """Return `v1,` and the base64 of HMAC-SHA256 over `delivery.timestamp.body`.

    The secret is `whsec_` and the base64 of the key, as https://www.standardwebhooks.com has it.
    """
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    signed = f"{delivery}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a try: an answer as a code or a reason, and whether another may help."""

    answer: str
    is_sent: bool = False
    may_help: bool = False


TRIES: Final = 6
FIRST_WAIT: Final = timedelta(seconds=10)


def wait_after(attempt: int) -> timedelta | None:
    """Return how long to wait after a try, counted from 1; None where it was the last.

    Each wait is five times as long as the one before: about two hours in all.
    """
    return FIRST_WAIT * 5 ** (attempt - 1) if attempt < TRIES else None
