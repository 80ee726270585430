"""How exported files get to a directory that a person named: aside first, then whole.

A writer holds a lock on what it writes aside, so that the next one there can tell a file that is
being written from what a killed process left, and removes the latter.
"""

import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from annotator.files.whole import write_whole
from scoring.checksums import SUMS_NAME, digest_of, sums
from scoring.formats.byte_streams import in_blocks

ASIDE: Final = ".export-"


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file that was written: its name, digest and length."""

    name: str
    sha256: str
    bytes: int


def put_file(target: Path, pieces: Iterable[bytes], beside: Mapping[str, bytes]) -> WrittenFile:
    """Write a file and small ones beside it, with the SHA256SUMS of them all.

    Input: where to; the bytes; the contents of the small files by name. Output: the file. At
    each moment its name holds nothing, or a whole file whose digest SHA256SUMS gives: the others
    are there before it. Raises OSError, with what stood there untouched.
    """
    if target.exists() and not target.is_file():
        raise IsADirectoryError(0, "it is no file")
    directory = target.parent
    with _locked(directory):
        _remove_what_was_left(directory)
        descriptor, aside = tempfile.mkstemp(dir=directory, prefix=ASIDE)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        # The lock goes with the closing of the file: not before it has its name.
        with os.fdopen(descriptor, "wb") as file:
            hashed = HashedFile(file, target.name)
            for block in in_blocks(pieces):
                hashed.write(block)
            written = hashed.finish()
            with _locked(directory):
                _put_beside(target, written, beside)
                Path(aside).replace(target)
                _flush(directory)
    except BaseException:
        Path(aside).unlink(missing_ok=True)
        raise
    return written


@contextmanager
def new_directory(target: Path) -> Iterator[Path]:
    """Give a directory to fill, which gets its name when everything in it is on disk.

    Raises OSError where something stands there already, an empty directory excepted; whatever is
    raised while it is filled, nothing of it is left.
    """
    parent = target.parent
    with _locked(parent):
        _remove_what_was_left(parent)
        aside = Path(tempfile.mkdtemp(dir=parent, prefix=ASIDE))
        descriptor = os.open(aside, os.O_RDONLY)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        yield aside
        _flush(aside)
        # Renaming a directory over another works for an empty one only, which is what is wanted.
        aside.rename(target)
        _flush(parent)
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        raise
    finally:
        os.close(descriptor)


class HashedFile:
    """Counts and digests what is written to a file."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self.name = name
        self._file = file
        self._digest = hashlib.sha256()
        self._length = 0

    def write(self, piece: bytes) -> None:
        self._digest.update(piece)
        self._length += len(piece)
        self._file.write(piece)

    def finish(self) -> WrittenFile:
        """Flush the file to disk and say what was written."""
        self._file.flush()
        os.fsync(self._file.fileno())
        return WrittenFile(self.name, self._digest.hexdigest(), self._length)


def _put_beside(target: Path, written: WrittenFile, beside: Mapping[str, bytes]) -> None:
    directory = target.parent
    sums_file = directory / SUMS_NAME
    earlier = sums_file.read_bytes() if sums_file.is_file() else b""
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in beside.items()}
    if digest_of(target.name, earlier) != written.sha256:
        # Else its name would for a moment hold a file that its digest does not fit.
        target.unlink(missing_ok=True)
    for name, content in beside.items():
        write_whole(directory / name, [content])
    write_whole(sums_file, [sums({**digests, written.name: written.sha256}, earlier)])


@contextmanager
def _locked(directory: Path) -> Iterator[None]:
    """Keep other exports to a directory waiting; a process that dies lets go."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _remove_what_was_left(directory: Path) -> None:
    """Remove what killed exports left aside: nobody holds its lock any more."""
    for path in directory.glob(f"{ASIDE}*"):
        with suppress(OSError):
            descriptor = os.open(path, os.O_RDONLY)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            finally:
                os.close(descriptor)


def _flush(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
