"""Files that are whole or absent: written aside, flushed to disk and renamed."""

import base64
import errno
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import IO, Final, Protocol

from annotator.refusals import Refused

ASIDE: Final = ".aside-"


def write_whole(target: Path, pieces: Iterable[bytes]) -> None:
    """Write a file whose name never holds half of it, whatever happens meanwhile."""
    with written_aside(target) as file:
        file.writelines(pieces)


@contextmanager
def written_aside(target: Path) -> Iterator[IO[bytes]]:
    """Give a file to write to; it gets its name once the block has ended without an exception.

    The name is on disk, too, when this returns: a power cut does not take it back.
    """
    descriptor, aside = tempfile.mkstemp(dir=target.parent, prefix=ASIDE)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        Path(aside).replace(target)
    except BaseException:
        Path(aside).unlink(missing_ok=True)
        raise
    _sync_directory(target.parent)


def _sync_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@dataclass(frozen=True, slots=True)
class Spooled:
    """A whole file without a name, open at its beginning; `digest` is its SHA-256 in base64."""

    file: IO[bytes]
    size: int
    digest: str


class Export(Protocol):
    """What is read piece by piece."""

    def pieces(self) -> Iterator[bytes]: ...


def spooled(export: Export) -> Spooled:
    """Read an export to its end, so that a slow reader holds up nobody; NoRoom when it is full."""
    digest = sha256()
    file = tempfile.TemporaryFile()  # noqa: SIM115 - closed by the answer that sends it
    try:
        for piece in export.pieces():
            file.write(piece)
            digest.update(piece)
        size = file.tell()
        file.seek(0)
    except OSError as error:
        file.close()
        if error.errno == errno.ENOSPC:
            raise NoRoom("There is no room on the disk for the file; try again later.") from error
        raise
    except BaseException:
        file.close()
        raise
    return Spooled(file, size, base64.b64encode(digest.digest()).decode())


class NoRoom(Refused):
    """The disk is full."""

    status = 507
