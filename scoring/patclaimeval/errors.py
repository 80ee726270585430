"""The errors that training and scoring raise, each carrying one sentence a person can act on.

Files that outlive a crash: written beside their name, flushed, renamed; a full disk is said.
"""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final


class PatClaimEvalError(Exception):
    """Base of every error of this library; ``str(error)`` is fit to be shown."""


class SettingsError(PatClaimEvalError, ValueError):
    """A setting makes no sense; ``field`` names it and ``message`` says what is wrong."""

    def __init__(self, field: str, message: str) -> None:
        """Keep ``field`` (a name of ``TrainingSettings``) and ``message`` (one sentence)."""
        super().__init__(f"{field}: {message}")
        self.field = field
        self.message = message


class DataError(PatClaimEvalError, ValueError):
    """A quadruplet, or a file of quadruplets, cannot be read as one."""


class EncoderUnavailable(PatClaimEvalError):
    """The encoder is missing or is not the one expected; the message says what to put where."""


class CheckpointInvalid(PatClaimEvalError):
    """A model directory is incomplete, changed, or holds something it must not hold."""


class TrainingFailed(PatClaimEvalError):
    """Training cannot start or cannot go on; the message gives the reason and, if any, the step."""


class TrainingCancelled(PatClaimEvalError):
    """Raised by the progress callback to stop a training run cleanly."""


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
