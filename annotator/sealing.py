"""Secrets that are stored to be used again, sealed: who reads the database cannot use them.

A Fernet token (AES-128-CBC with HMAC-SHA256) under a key that HKDF derives from SECRET_KEY and from
whose secret it is: moved to another row, a token opens no more.
"""

import base64
from collections.abc import Iterator
from typing import Final

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.utils.encoding import force_bytes

_PURPOSE: Final = b"annotator.kept_secrets:"


class WrongKey(Exception):
    """A secret was sealed under a key that counts no more, for somebody else, or was changed."""


def seal(secret: str, *, owner: str) -> str:
    """Return the secret as it may be stored, under the key of today."""
    return next(_ciphers(owner)).encrypt(secret.encode()).decode()


def unseal(sealed: str, *, owner: str) -> str:
    """Return the secret; raise WrongKey where neither SECRET_KEY nor a fallback opens it."""
    for cipher in _ciphers(owner):
        try:
            return cipher.decrypt(sealed.encode()).decode()
        except InvalidToken:
            continue
    raise WrongKey


def is_of_today(sealed: str, *, owner: str) -> bool:
    """Return whether SECRET_KEY itself opens it, and no fallback is needed."""
    try:
        next(_ciphers(owner)).decrypt(sealed.encode())
    except InvalidToken:
        return False
    return True


def _ciphers(owner: str) -> Iterator[Fernet]:
    """Yield the cipher of today, then those of the fallbacks."""
    for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        derive = HKDF(SHA256(), length=32, salt=None, info=_PURPOSE + owner.encode())
        yield Fernet(base64.urlsafe_b64encode(derive.derive(force_bytes(secret))))
