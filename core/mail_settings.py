"""The settings of outgoing mail: off without a server, and never readable on the way."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from core.configuration import is_loopback
from core.environment import switch, whole_number

ADDRESS: Final = re.compile(r"[\x21-\x3b\x3d\x3f\x41-\x7e]{1,64}@[A-Za-z0-9.-]{1,185}")


@dataclass(frozen=True, slots=True)
class MailSettings:
    """What is set; without a host no mail is ever sent. The password is not shown."""

    host: str = ""
    port: int = 587
    user: str = ""
    password: str = field(default="", repr=False)
    use_tls: bool = True
    use_ssl: bool = False
    sender: str = ""
    site_url: str = ""


def read(environment: Mapping[str, str], *, is_local: bool, private: Sequence[str]) -> MailSettings:
    """Return the settings, or raise ValueError that names the one that is wrong, never its value.

    `private` are hosts on the way to which nobody else can listen.
    """
    host = environment.get("EMAIL_HOST", "").strip()
    site_url = environment.get("SITE_URL", "").strip()
    if host or site_url:
        site_url = _site_url(site_url, is_local=is_local)
    if not host:
        return MailSettings(site_url=site_url)
    use_ssl = switch(environment, "EMAIL_USE_SSL", default=False)
    use_tls = switch(environment, "EMAIL_USE_TLS", default=not use_ssl)
    if use_ssl and use_tls:
        raise ValueError("EMAIL_USE_TLS and EMAIL_USE_SSL exclude each other; set one of them")
    if not (use_ssl or use_tls or is_loopback(host) or host in private):
        raise ValueError(
            "EMAIL_USE_TLS must be 1, or EMAIL_USE_SSL: mails hold links that let somebody in; or, "
            "where nobody else can listen on the way to EMAIL_HOST, name it in PRIVATE_HOSTS"
        )
    sender = environment.get("DEFAULT_FROM_EMAIL", "").strip()
    if not ADDRESS.fullmatch(sender):
        raise ValueError("DEFAULT_FROM_EMAIL must be a plain address such as claims@example.org")
    return MailSettings(
        host=host,
        port=whole_number(environment, "EMAIL_PORT", 465 if use_ssl else 587, 1, 65535),
        user=environment.get("EMAIL_HOST_USER", ""),
        password=environment.get("EMAIL_HOST_PASSWORD", ""),
        use_tls=use_tls,
        use_ssl=use_ssl,
        sender=sender,
        site_url=site_url,
    )


def _site_url(url: str, *, is_local: bool) -> str:
    try:
        parts = urlsplit(url)
        host = parts.hostname or "" if parts.port != 0 else ""
    except ValueError:
        host = ""
    is_sound = host and not (parts.path.strip("/") or parts.query or parts.fragment)
    is_sound = is_sound and "@" not in url and url.isascii() and url.isprintable()
    schemes = ("https", "http") if is_local and is_loopback(host) else ("https",)
    if not is_sound or parts.scheme not in schemes:
        raise ValueError(
            "SITE_URL must be where people find this site, such as https://claims.example.org: "
            "links in mails begin with it, and passkeys count there"
        )
    return url.rstrip("/")
