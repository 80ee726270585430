"""Passkeys as WebAuthn has them, on fido2: what a browser is asked, whether its answer is right.

It knows no tables: whose a key is, that a challenge counts once and that a key's count grows is for
its callers. A key is stored as the authenticator describes it, in base64url.
"""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from patclaimeval.text_io.strict_json import StrictJsonError, loads

if TYPE_CHECKING:
    from fido2.server import Fido2Server
    from fido2.webauthn import AuthenticatorData, CollectedClientData

LASTS_SECONDS: Final = 300
LONGEST_ANSWER: Final = 64 * 1024
# WebAuthn, section 7.1: keys with longer ids are to be refused.
LONGEST_ID: Final = 1023
ENCODED_PARTS: Final = (
    "clientDataJSON",
    "attestationObject",
    "authenticatorData",
    "signature",
    "userHandle",
)
CALLED: Final = "PatClaimEval"
PLAIN_PORTS: Final = {"https": 443, "http": 80}


class BadAnswer(Exception):
    """An answer that is not to be believed; the cause says why, and is for tests and developers."""


class NotVerified(BadAnswer):
    """The authenticator did not ask who its owner is, by a PIN, a finger or a face."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where passkeys count: the origin of the pages, and the name that browsers bind keys to."""

    origin: str
    rp_id: str


@dataclass(frozen=True, slots=True)
class Key:
    """A key that was made just now; `digest` is what it is found by."""

    digest: str
    credential: str
    sign_count: int
    is_backup_eligible: bool
    is_backed_up: bool


@dataclass(frozen=True, slots=True)
class Use:
    """What an authenticator says of itself where it uses a key."""

    sign_count: int
    is_backup_eligible: bool
    is_backed_up: bool


def place_of(url: str) -> Place:
    """Return where passkeys count for pages at an address."""
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    try:
        port = parts.port
    except ValueError:  # whoever asks writes the host; no browser gets there
        port = 0
    end = "" if port in (None, PLAIN_PORTS.get(parts.scheme)) else f":{port}"
    named = f"[{host}]" if ":" in host else host
    return Place(f"{parts.scheme}://{named}{end}", host)


def problem_at(place: Place) -> str:
    """Return why browsers use no passkeys there, as a sentence; "" where they do."""
    parts = urlsplit(place.origin)
    try:
        is_loopback = ip_address(place.rp_id).is_loopback
    except ValueError:
        is_local = place.rp_id == "localhost" or place.rp_id.endswith(".localhost")
        if is_local or parts.scheme == "https":
            return ""
        return "Browsers use passkeys over https only, and this site is served without TLS."
    port = f":{parts.port}" if parts.port else ""
    named = f"as {parts.scheme}://localhost{port}" if is_loopback else "by its name"
    return f"Browsers use no passkeys at an address of digits: open this site {named}."


def ask_to_make(
    place: Place, challenge: str, *, user_id: bytes, name: str, known: Sequence[str]
) -> dict[str, Any]:
    """Return what a browser is asked to make a key; not where one of those `known` is."""
    from fido2.webauthn import (
        PublicKeyCredentialUserEntity,
        ResidentKeyRequirement,
        UserVerificationRequirement,
    )

    options, _ = _server(place).register_begin(
        PublicKeyCredentialUserEntity(id=user_id, name=name, display_name=name),
        [_stored(one) for one in known],
        resident_key_requirement=ResidentKeyRequirement.PREFERRED,
        user_verification=UserVerificationRequirement.PREFERRED,
        challenge=_bytes(challenge),
    )
    return dict(options)


def ask_to_use(
    place: Place, challenge: str, *, keys: Sequence[str], is_verified: bool
) -> dict[str, Any]:
    """Return what a browser is asked to use one of the keys."""
    from fido2.webauthn import UserVerificationRequirement as Wish

    options, _ = _server(place).authenticate_begin(
        [_stored(one) for one in keys],
        user_verification=Wish.REQUIRED if is_verified else Wish.PREFERRED,
        challenge=_bytes(challenge),
    )
    return dict(options)


def made(place: Place, challenge: str, answer: str) -> Key:
    """Return the key that was made; BadAnswer where this is no answer to what was asked here."""
    from fido2.cose import CoseKey
    from fido2.utils import websafe_encode
    from fido2.webauthn import RegistrationResponse

    with _believed():
        response = RegistrationResponse.from_dict(_read(answer))
        _refuse_framed(response.response.client_data)
        asked = {"challenge": challenge, "user_verification": None}
        found = _server(place).register_complete(asked, response)
        key = found.credential_data
        if key is None or len(key.credential_id) > LONGEST_ID:
            raise ValueError("no key, or one with too long an id")
        if key.public_key[3] not in CoseKey.supported_algorithms():
            raise ValueError("an algorithm that was not asked for")
        use = _use(found)
    return Key(
        digest=_digest(key.credential_id),
        credential=websafe_encode(key),
        sign_count=use.sign_count,
        is_backup_eligible=use.is_backup_eligible,
        is_backed_up=use.is_backed_up,
    )


def digest_named(answer: str) -> str:
    """Return the digest of the key that an answer says it is of; nothing is checked yet."""
    with _believed():
        return _digest(_bytes(str(_read(answer)["rawId"])))


def used(
    place: Place,
    challenge: str,
    answer: str,
    *,
    key: str,
    user_id: bytes,
    is_verified: bool,
) -> Use:
    """Return the use of a stored key; BadAnswer where its owner did not use it here just now.

    With `is_verified` the authenticator has to have asked for a PIN, a finger or a face: else
    NotVerified.
    """
    from fido2.webauthn import AuthenticationResponse

    with _believed():
        response = AuthenticationResponse.from_dict(_read(answer))
        _refuse_framed(response.response.client_data)
        asked = {"challenge": challenge, "user_verification": None}
        _server(place).authenticate_complete(asked, [_stored(key)], response)
        owner = response.response.user_handle
        if owner and owner != user_id:
            raise ValueError("the key is another person's")
        found = response.response.authenticator_data
        if is_verified and not found.is_user_verified():
            raise NotVerified
        return _use(found)


def _server(place: Place) -> "Fido2Server":
    # Some hundredths of a second at import, which only who uses passkeys shall wait for.
    from fido2.server import Fido2Server
    from fido2.webauthn import PublicKeyCredentialRpEntity

    rp = PublicKeyCredentialRpEntity(id=place.rp_id, name=CALLED)
    # The library would take every subdomain's pages for ours.
    server = Fido2Server(rp, verify_origin=lambda origin: origin == place.origin)
    server.timeout = LASTS_SECONDS * 1000  # type: ignore[assignment]
    return server


@contextmanager
def _believed() -> Iterator[None]:
    try:
        yield
    except BadAnswer:
        raise
    except Exception as error:
        # Anybody sends these bytes, and the library trips over them in many ways.
        raise BadAnswer from error


def _read(answer: str) -> dict[str, Any]:
    if len(answer) > LONGEST_ANSWER:
        raise BadAnswer
    try:
        found = loads(answer.encode("utf-8", "surrogatepass"))
    except StrictJsonError as error:
        raise BadAnswer from error
    parts = found.get("response") if isinstance(found, dict) else None
    if not isinstance(parts, dict):
        raise BadAnswer
    # The library makes bytes(n) of a number n: as many zeros, even where they fill all memory.
    for name in ENCODED_PARTS:
        if not isinstance(parts.get(name, ""), str | None):
            raise BadAnswer
    return found


def _refuse_framed(client_data: "CollectedClientData") -> None:
    if client_data.cross_origin:
        raise ValueError("another site's page had this one in a frame")


def _use(found: "AuthenticatorData") -> Use:
    if found.is_backed_up() and not found.is_backup_eligible():
        raise ValueError("backed up, although it cannot be")
    return Use(found.counter, found.is_backup_eligible(), found.is_backed_up())


def _stored(credential: str) -> Any:
    from fido2.webauthn import AttestedCredentialData

    return AttestedCredentialData(_bytes(credential))


def _bytes(text: str) -> bytes:
    from fido2.utils import websafe_decode

    return websafe_decode(text)


def _digest(credential_id: bytes) -> str:
    return hashlib.sha256(credential_id).hexdigest()
