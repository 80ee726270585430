"""Files that are whole or absent: written aside, flushed to disk and renamed."""

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

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
