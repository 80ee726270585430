"""How an error says that a disk is full, of files, SQLite or PostgreSQL; how a job says so.

Files that are whole or absent: written aside, flushed to disk and renamed.

Names of files that run code when a library opens them. Standard library only.
"""

import base64
import errno
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePath
from typing import IO, Final, Protocol

from core.errors import Refused

FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
# PostgreSQL's code for it, which its driver keeps at the error that Django's own came from.
SQLSTATE: Final = "53100"
OF_SQLITE: Final = "disk is full"


def is_disk_full(error: BaseException | None) -> bool:
    """Say whether an error, or the one it came from, is that there was no room."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in FULL:
            return True
        if getattr(error, "pgcode", None) == SQLSTATE or OF_SQLITE in str(error):
            return True
        error = error.__cause__
    return False


def why_stopped(what: str, error: BaseException) -> str:
    """Return what a job is told to have ended by; an exception's own text may quote claims."""
    if is_disk_full(error):
        return (
            f"{what} stopped, because the server's disk is full; nothing of it was kept. Tell "
            "whoever runs this site, and start it again once there is room."
        )
    return f"{what} stopped on an unexpected error ({type(error).__name__})."


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


SUFFIXES: Final = frozenset(
    {".bin", ".ckpt", ".dill", ".joblib", ".npy", ".npz", ".pickle", ".pkl", ".pt", ".pth", ".py"}
)


def found_among(names: Iterable[str]) -> list[str]:
    """Return those of the file names that may not lie in a model directory, in order."""
    return sorted(name for name in names if PurePath(name).suffix.lower() in SUFFIXES)
