"""Files that outlive a crash: written beside their name, flushed, renamed; a full disk is said."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from scoring.patclaimeval.errors import TrainingFailed

PART: Final = ".part"
"""How the name of a file ends that is not whole yet."""
_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})


def write_whole(path: Path, data: bytes) -> None:
    """Write ``data`` to ``path``, which holds all of it or what it held before.

    The rename itself outlives a power cut once :func:`sync` was called on the folder.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=PART)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def sync(directory: Path) -> None:
    """Flush the names in ``directory`` to disk."""
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def full_disk_said() -> Iterator[None]:
    """Turn a full disk or quota into ``TrainingFailed`` with a sentence; pass on all else."""
    try:
        yield
    except OSError as error:
        if error.errno not in _FULL:
            raise
        raise TrainingFailed(
            "The disk is full, so training stopped and nothing of it was kept. Free some space "
            "in the data directory and run it again."
        ) from error
