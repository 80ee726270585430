"""An authenticator that says what a test wants: its key, its count, its flags, where it is."""

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from fido2.cose import ES256
from fido2.utils import websafe_decode, websafe_encode
from fido2.webauthn import (
    Aaguid,
    AttestationObject,
    AttestedCredentialData,
    AuthenticatorData,
    CollectedClientData,
)

FLAG = AuthenticatorData.FLAG
HERE = "http://localhost"


@dataclass
class Authenticator:
    """Holds one key; what differs from what an honest one does is set by hand."""

    origin: str = HERE
    rp_id: str = "localhost"
    credential_id: bytes = b"one key"
    count: int = 0
    is_verified: bool = True
    is_present: bool = True
    is_backup_eligible: bool = False
    is_framed: bool = False
    handle: bytes | None = None
    more: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.key = ec.generate_private_key(ec.SECP256R1())

    def make(self, asked: str) -> str:
        """Return what a browser answers where a key is to be made."""
        wish = json.loads(asked)
        self.handle = websafe_decode(wish["user"]["id"])
        cose = ES256.from_cryptography_key(self.key.public_key())
        made = AttestedCredentialData.create(Aaguid.NONE, self.credential_id, cose)
        data = AuthenticatorData.create(*self._said(FLAG.AT), made)
        attested = AttestationObject.create("none", data, {})
        client = self._client("webauthn.create", wish["challenge"])
        return self._answer(clientDataJSON=client.b64, attestationObject=websafe_encode(attested))

    def use(self, asked: str, **more: str) -> str:
        """Return what a browser answers where a key is to be used; `more` replaces parts of it."""
        wish = json.loads(asked)
        data = AuthenticatorData.create(*self._said())
        client = self._client("webauthn.get", wish["challenge"])
        signature = self.key.sign(data + client.hash, ec.ECDSA(SHA256()))
        parts = {
            "clientDataJSON": client.b64,
            "authenticatorData": websafe_encode(data),
            "signature": websafe_encode(signature),
        }
        if self.handle is not None:
            parts["userHandle"] = websafe_encode(self.handle)
        return self._answer(**parts | more)

    def _said(self, more: int = 0) -> tuple[bytes, Any, int]:
        flags = (FLAG.UP if self.is_present else 0) | (FLAG.UV if self.is_verified else 0) | more
        flags |= FLAG.BE if self.is_backup_eligible else 0
        return hashlib.sha256(self.rp_id.encode()).digest(), flags, self.count

    def _client(self, kind: str, challenge: str) -> CollectedClientData:
        framed = {"cross_origin": self.is_framed}
        return CollectedClientData.create(kind, challenge, self.origin, **framed)

    def _answer(self, **parts: str) -> str:
        named = websafe_encode(self.credential_id)
        return json.dumps(
            {"id": named, "rawId": named, "type": "public-key", "response": parts}
            | {"clientExtensionResults": {}}
            | self.more
        )
