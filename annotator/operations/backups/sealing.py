"""The seal of a backup: age encryption, by a passphrase or to public keys, streamed.

A passphrase seals a key made for this one backup, and the key seals the contents: age's own
passphrase mode holds everything in memory.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO, Final

import pyrage

from core.errors import Refused

MAGIC: Final = b"patclaimeval-backup 1 "
LONGEST_FIRST_LINE: Final = 64
SHORTEST_PASSPHRASE: Final = 12
NOT_OPENED: Final = (
    "The backup cannot be opened: {why}. Nothing was written. Check that the whole file was "
    "copied, or take another backup."
)


# age looks how fast the machine is at this moment, and refuses what would take it too long.
TOO_BUSY: Final = "this machine is too slow or too busy to try the passphrase; try again later"


@dataclass(frozen=True, slots=True)
class Passphrase:
    """A passphrase of at least twelve characters."""

    passphrase: str

    def identity(self, sealed_key: bytes) -> pyrage.x25519.Identity:
        """Open the backup's own key with the passphrase."""
        if not sealed_key:
            raise Refused(
                "This backup was made with --recipient: open it with --identity KEYFILE, "
                "not with a passphrase."
            )
        try:
            key = pyrage.passphrase.decrypt(sealed_key, self.passphrase)
        except pyrage.DecryptError as error:
            why = TOO_BUSY if "xcessive work" in str(error) else "the passphrase is wrong"
            raise Refused(NOT_OPENED.format(why=why)) from error
        return pyrage.x25519.Identity.from_str(key.decode())


@dataclass(frozen=True, slots=True)
class KeyFile:
    """A file as `age-keygen` writes it."""

    path: Path

    def identity(self, sealed_key: bytes) -> pyrage.x25519.Identity:
        """Read the private key from the file."""
        if sealed_key:
            raise Refused("This backup was made with a passphrase; leave out --identity.")
        try:
            lines = self.path.read_text().splitlines()
            (key,) = [line for line in lines if line.startswith("AGE-SECRET-KEY-")]
            return pyrage.x25519.Identity.from_str(key.strip())
        except OSError as error:
            raise Refused(f"Cannot read {self.path}: {error.strerror}.") from error
        except (ValueError, pyrage.IdentityError) as error:
            raise Refused(
                f"{self.path} is no key file: one line must begin with AGE-SECRET-KEY-1."
            ) from error


# What opens a backup; `identity` is given what the backup holds of its own key, or nothing.
Key = Passphrase | KeyFile


@dataclass(frozen=True, slots=True)
class Seal:
    """Who can open what is sealed: `sealed_key` travels with it."""

    recipients: tuple[pyrage.x25519.Recipient, ...]
    sealed_key: bytes = b""


def seal_by_passphrase(passphrase: str) -> Seal:
    """Return a seal that the passphrase opens."""
    if len(passphrase) < SHORTEST_PASSPHRASE:
        raise Refused(
            f"A passphrase has at least {SHORTEST_PASSPHRASE} characters; a backup that is "
            "stolen can be tried for ever. Six random words are good."
        )
    key = pyrage.x25519.Identity.generate()
    return Seal((key.to_public(),), pyrage.passphrase.encrypt(str(key).encode(), passphrase))


def seal_to(recipients: Sequence[str]) -> Seal:
    """Return a seal that the private key of any of these public keys opens."""
    try:
        return Seal(tuple(pyrage.x25519.Recipient.from_str(name) for name in recipients))
    except pyrage.RecipientError as error:
        raise Refused(
            "--recipient takes the public key that age-keygen prints; it begins with age1."
        ) from error


class _Pulled:
    """An iterator of bytes as a file to read from."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._left = memoryview(b"")
        self.error: Exception | None = None

    def read(self, size: int) -> bytes:
        try:
            while not self._left:
                self._left = memoryview(next(self._pieces))
        except StopIteration:
            return b""
        except Exception as error:
            self.error = error  # the library would pass on only its text
            raise
        taken, self._left = self._left[:size], self._left[size:]
        return bytes(taken)


def write_sealed(pieces: Iterator[bytes], target: IO[bytes], seal: Seal) -> None:
    """Encrypt the pieces into a file as they come."""
    target.write(MAGIC + b"%d\n" % len(seal.sealed_key) + seal.sealed_key)
    source = _Pulled(pieces)
    try:
        pyrage.encrypt_io(source, target, list(seal.recipients))
    except Exception as error:
        raise source.error or error from error


def open_sealed(source: BinaryIO, target: IO[bytes], key: Key) -> None:
    """Decrypt a backup into a file; raise Refused unless each byte of it is as it was written."""
    sealed_key = source.read(_key_length(source))
    identity = key.identity(sealed_key)
    try:
        pyrage.decrypt_io(source, target, [identity])
    except pyrage.DecryptError as error:
        why = "the key is another one, or the file is damaged"
        raise Refused(NOT_OPENED.format(why=why)) from error
    except OSError as error:
        if error.errno is not None:  # our own disk, not the file's contents
            raise
        why = "the file is damaged or cut off"
        raise Refused(NOT_OPENED.format(why=why)) from error


def _key_length(source: BinaryIO) -> int:
    line = source.readline(LONGEST_FIRST_LINE)
    digits = line.removeprefix(MAGIC).removesuffix(b"\n")
    if not line.startswith(MAGIC) or not digits.isdigit() or int(digits) > 1 << 16:
        raise Refused("This is no backup of this application; the command `backup` makes them.")
    return int(digits)
