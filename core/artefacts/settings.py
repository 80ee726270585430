"""The settings of the artefact store: off without an address, and never readable on the way."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from core.configuration import PRIVATE, is_loopback

_ADDRESS: Final = re.compile(
    r"s3://(?P<bucket>[a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?P<prefix>(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*)/?"
)
_REGION: Final = re.compile(r"[a-z0-9-]{1,40}")
_KEY: Final = re.compile(r"[\x21-\x7e]{1,4096}")
_ENCRYPTION: Final = re.compile(r"AES256|aws:kms(:[A-Za-z0-9:/_-]{1,2048})?")


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """Where the store is, and how it is spoken to. The secret is not shown.

    Without a key the credentials are those that the machine has: a role of it, or of its container.
    """

    bucket: str
    prefix: str = ""
    endpoint: str = ""
    region: str = ""
    key_id: str = ""
    secret: str = field(default="", repr=False)
    encryption: str = ""

    @property
    def address(self) -> str:
        """Return what a sentence calls the store."""
        return f"s3://{self.bucket}/{self.prefix}".rstrip("/")


def read(environment: Mapping[str, str], private: Sequence[str]) -> StoreSettings | None:
    """Return the settings, None where no store is set; ValueError names what is wrong with one.

    `private` are hosts on the way to which nobody else can listen.
    """

    def given(name: str, pattern: re.Pattern[str], rule: str) -> str:
        text = environment.get(name, "").strip()
        if text and not pattern.fullmatch(text):
            raise ValueError(f"{name} must be {rule}")
        return text

    address = environment.get("ARTEFACT_STORE", "").strip()
    if not address:
        return None
    found = _ADDRESS.fullmatch(address)
    if not found:
        raise ValueError(
            "ARTEFACT_STORE must be s3://BUCKET or s3://BUCKET/PREFIX, such as "
            "s3://claims-of-a-firm/workbench"
        )
    printed = "printable ASCII without blanks"
    key_id = given("ARTEFACT_STORE_KEY_ID", _KEY, printed)
    secret = given("ARTEFACT_STORE_SECRET", _KEY, printed)
    if bool(key_id) != bool(secret):
        raise ValueError(
            "ARTEFACT_STORE_KEY_ID and ARTEFACT_STORE_SECRET belong together; set both, or none "
            "where the machine has a role"
        )
    return StoreSettings(
        bucket=found["bucket"],
        prefix=found["prefix"].strip("/"),
        endpoint=_endpoint(environment.get("ARTEFACT_STORE_ENDPOINT", "").strip(), private),
        region=given("ARTEFACT_STORE_REGION", _REGION, "a region such as eu-central-1"),
        key_id=key_id,
        secret=secret,
        encryption=given(
            "ARTEFACT_STORE_ENCRYPTION", _ENCRYPTION, "AES256, aws:kms or aws:kms:KEY"
        ),
    )


def _endpoint(url: str, private: Sequence[str]) -> str:
    """Return the address of a server that is not Amazon's, or raise ValueError."""
    if not url:
        return ""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        is_sound = parts.port != 0 and not (parts.path.strip("/") or parts.query or parts.fragment)
    except ValueError:
        host, is_sound = "", False
    is_sound = is_sound and "@" not in url and url.isascii() and url.isprintable()
    if not (host and is_sound and parts.scheme in ("https", "http")):
        raise ValueError(
            "ARTEFACT_STORE_ENDPOINT must be an address such as https://s3.example.org, without a "
            "user name or a path"
        )
    if parts.scheme == "http" and not (is_loopback(host) or host in private):
        raise ValueError(
            "ARTEFACT_STORE_ENDPOINT must begin with https://, as claims and models travel there, "
            f"{PRIVATE}"
        )
    return url.rstrip("/")
