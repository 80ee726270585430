"""Bounds how many passwords are hashed at once, so that guesses leave threads and cores to raters.

A hash takes a core for a good part of a second. Each process answers with few threads, so a flood
of sign-ins would otherwise occupy all of them, and every page would wait behind it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore
from typing import Any, Final

from django.contrib.auth import hashers

from core.errors import TooOften

MOST_AT_ONCE: Final = 2
MOST_WAITING: Final = 2
LONGEST_WAIT_SECONDS: Final = 2.0
BUSY: Final = (
    "Too many passwords are being checked at this moment. Nothing was stored: try again in a "
    "second."
)

_hashing: Final = BoundedSemaphore(MOST_AT_ONCE)
_hashing_or_waiting: Final = BoundedSemaphore(MOST_AT_ONCE + MOST_WAITING)
_signing_in: Final = BoundedSemaphore(1)


@contextmanager
def hashing_slot() -> Iterator[None]:
    """Wait briefly for one of this process's slots; raise TooOften if too many are waiting."""
    if not _hashing_or_waiting.acquire(blocking=False):
        raise TooOften(BUSY, retry_after=1)
    try:
        if not _hashing.acquire(timeout=LONGEST_WAIT_SECONDS):
            raise TooOften(BUSY, retry_after=1)
        try:
            yield
        finally:
            _hashing.release()
    finally:
        _hashing_or_waiting.release()


@contextmanager
def sign_in_slot() -> Iterator[None]:
    """Let one sign-in at a time into this process; raise TooOften for any other at once.

    Anybody may try to sign in, so waiting would occupy the threads that others need. The second
    slot for hashes stays free for people who are signed in, and sign or change a password.
    """
    if not _signing_in.acquire(blocking=False):
        raise TooOften(BUSY, retry_after=1)
    try:
        yield
    finally:
        _signing_in.release()


class BoundedPBKDF2PasswordHasher(hashers.PBKDF2PasswordHasher):
    """Django's default hasher, in one of the slots of this process."""

    def encode(self, *args: Any, **more: Any) -> str:
        with hashing_slot():
            return super().encode(*args, **more)


class BoundedScryptPasswordHasher(hashers.ScryptPasswordHasher):
    """Django's hasher for passwords stored by scrypt, in one of the slots of this process."""

    def encode(self, *args: Any, **more: Any) -> str:
        with hashing_slot():
            return super().encode(*args, **more)
