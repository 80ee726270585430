"""What the address and the key of a language model's endpoint may be."""

import re
from ipaddress import ip_address
from urllib.parse import urlsplit

_UNPRINTED = re.compile(r"[^\x21-\x7e]")
_KEY = re.compile(r"[\x21-\x7e]{1,4096}")


def checked_address(url: str) -> str:
    """Return the address without a closing slash, or raise ValueError that says what is wrong.

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
    """Say whether a host name or address is this machine by its very name, without asking DNS."""
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
