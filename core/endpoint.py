"""The settings of a language model's endpoint, and what its address and key may be."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import urlsplit

from core.environment import whole_number

_UNPRINTED = re.compile(r"[^\x21-\x7e]")
_KEY = re.compile(r"[\x21-\x7e]{1,4096}")


def checked_address(url: str) -> str:
    """Return the address without a closing slash, or raise ValueError with what is wrong.

    Only https leaves the machine: claims and the key travel with each request. Plain http may
    reach a server on this machine alone. The message never repeats the address, which may hold a
    password that somebody put there.
    """
    if _UNPRINTED.search(url):
        raise ValueError("the address of the endpoint must be printable ASCII without white space")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
        # What the resolver would do to it, and fail at.
        (host or "").encode("idna")
    except ValueError:
        raise ValueError("the address of the endpoint cannot be read as a URL") from None
    if parts.scheme not in ("https", "http") or not host or port == 0:
        raise ValueError("the address of the endpoint must begin with https:// and name a host")
    if "@" in parts.netloc:
        raise ValueError(
            "the address of the endpoint must hold no user name or password; "
            "set METRIC_ENDPOINT_KEY"
        )
    if "?" in url or "#" in url:
        raise ValueError("the address of the endpoint must hold no question mark and no #")
    if parts.scheme == "http" and not is_this_machine(host):
        raise ValueError(
            "the address of the endpoint must begin with https://: claims are sent there, and "
            "plain http is taken only for 127.0.0.1, [::1] and localhost"
        )
    return url.rstrip("/")


def is_this_machine(host: str) -> bool:
    """Return whether a host name or address names this machine itself, without asking DNS."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def checked_key(key: str) -> str:
    """Return the key, or raise ValueError without repeating it; it goes into a header as it is."""
    if not _KEY.fullmatch(key):
        raise ValueError(
            "the key of the endpoint must be printable ASCII characters without white space"
        )
    return key


PREFIX = "METRIC_ENDPOINT_"
LONGEST_TIMEOUT = 3600
MOST_REQUESTS = 100_000


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    """What is set; without an address nothing is ever sent. The key is not shown."""

    url: str
    model: str
    key: str = field(repr=False)
    requests_per_minute: int
    price_in: float
    price_out: float
    timeout: float


def read(environment: Mapping[str, str]) -> EndpointSettings:
    """Return the settings, or raise ValueError that names the one that is wrong, never its value.

    Values are taken as they stand: a key may begin with a dollar sign.
    """
    url = _checked(environment, "URL", checked_address)
    model = environment.get(f"{PREFIX}MODEL", "").strip()
    if url and not model:
        raise ValueError("METRIC_ENDPOINT_MODEL must name a model of METRIC_ENDPOINT_URL")
    return EndpointSettings(
        url=url,
        model=model,
        key=_checked(environment, "KEY", checked_key),
        requests_per_minute=whole_number(
            environment, f"{PREFIX}REQUESTS_PER_MINUTE", 60, 1, MOST_REQUESTS
        ),
        price_in=_number(environment, "PRICE_IN", 0.0),
        price_out=_number(environment, "PRICE_OUT", 0.0),
        timeout=_timeout(environment),
    )


def _checked(environment: Mapping[str, str], name: str, check: Callable[[str], str]) -> str:
    text = environment.get(PREFIX + name, "")
    try:
        return check(text) if text else ""
    except ValueError as error:
        raise ValueError(f"{PREFIX}{name}: {error}") from None


def _number(environment: Mapping[str, str], name: str, default: float) -> float:
    try:
        value = float(environment.get(PREFIX + name, "") or default)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        raise ValueError(f"{PREFIX}{name} must be a number, 0 or more")
    return value


def _timeout(environment: Mapping[str, str]) -> float:
    value = _number(environment, "TIMEOUT", 60.0)
    if not 0 < value <= LONGEST_TIMEOUT:
        raise ValueError(f"{PREFIX}TIMEOUT must be above 0 and at most {LONGEST_TIMEOUT} seconds")
    return value
