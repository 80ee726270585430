"""Atomic writes, and how an error shows that a disk is full."""

import errno
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import IO, Final

FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
# PostgreSQL's code for it, which its driver stores at the error that Django's own came from.
SQLSTATE: Final = "53100"
OF_SQLITE: Final = "disk is full"


def is_disk_full(error: BaseException | None) -> bool:
    """Return whether an error, or the one it came from, is that there was no space."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in FULL:
            return True
        if getattr(error, "pgcode", None) == SQLSTATE or OF_SQLITE in str(error):
            return True
        error = error.__cause__
    return False


def why_stopped(what: str, error: BaseException) -> str:
    """Return the message of a job that an error ended; an exception's own text may quote claims."""
    if is_disk_full(error):
        return (
            f"{what} stopped, because the server's disk is full; nothing of it was kept. Tell "
            "whoever runs this site, and start it again once there is room."
        )
    return f"{what} stopped on an unexpected error ({type(error).__name__})."


TEMPORARY_PREFIX: Final = ".aside-"


def atomic_write(target: Path, pieces: Iterable[bytes]) -> None:
    """Write a file; at every moment its name holds all of the new content or what it held before.

    The new content outlives a power cut from the moment that this returns.
    """
    with open_atomic(target) as file:
        file.writelines(pieces)


@contextmanager
def open_atomic(target: Path) -> Iterator[IO[bytes]]:
    """Open a temporary file and, if the block succeeds, flush it to disk and rename it to `target`.

    If the block fails, what was there before stays. The parent directory is flushed, too.
    """
    with temporary_file(target.parent) as (file, temporary):
        yield file
        flush_file(file)
        rename_and_flush(temporary, target)


@contextmanager
def temporary_file(
    directory: Path, prefix: str = TEMPORARY_PREFIX
) -> Iterator[tuple[IO[bytes], Path]]:
    """Open a new file of mode 0600 for writing; delete it if the block fails.

    The block flushes and renames it. For a target that is known beforehand use `open_atomic`.
    """
    descriptor, name = tempfile.mkstemp(dir=directory, prefix=prefix)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file, Path(name)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


@contextmanager
def atomic_directory(target: Path, temporary: Path) -> Iterator[None]:
    """Rename a directory beside `target` to it if the block succeeds; else delete the directory.

    The block fills `temporary` and flushes each file. Raises OSError if `target` is a directory
    that is not empty.
    """
    try:
        yield
        flush_directory(temporary)
        rename_and_flush(temporary, target)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def rename_and_flush(source: Path, target: Path) -> None:
    """Rename within a directory and flush the directory: a power cut does not undo the rename."""
    source.replace(target)
    flush_directory(target.parent)


def flush_file(file: IO[bytes]) -> None:
    """Write an open file's buffered content to disk (fsync)."""
    file.flush()
    os.fsync(file.fileno())


def flush_directory(path: Path) -> None:
    """Write a directory's entries to disk (fsync)."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


SUFFIXES: Final = frozenset(
    {".bin", ".ckpt", ".dill", ".joblib", ".npy", ".npz", ".pickle", ".pkl", ".pt", ".pth", ".py"}
)


def found_among(names: Iterable[str]) -> list[str]:
    """Return those of the file names that may not lie in a model directory, in order."""
    return sorted(name for name in names if PurePath(name).suffix.lower() in SUFFIXES)
