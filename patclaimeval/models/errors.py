"""The errors that training and scoring raise, each carrying one sentence a person can act on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from patclaimeval.files import FULL


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


class MissingExtra(PatClaimEvalError):
    """An optional package is not installed; the message says which, and how to install it."""


class CheckpointInvalid(PatClaimEvalError):
    """A model directory is incomplete, changed, or holds something it must not hold."""


class TrainingFailed(PatClaimEvalError):
    """Training cannot start or cannot go on; the message gives the reason and, if any, the step."""


class TrainingCancelled(PatClaimEvalError):
    """Raised by the progress callback to stop a training run cleanly."""


@contextmanager
def needs_extra(extra: str) -> Iterator[None]:
    """Turn the absence of a package that ``extra`` brings into ``MissingExtra``."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingExtra(
            f"The package {error.name} is not installed; install it with: "
            f"pip install patclaimeval[{extra}]"
        ) from error


@contextmanager
def full_disk_reported() -> Iterator[None]:
    """Turn a full disk or quota into ``TrainingFailed`` with a sentence; pass on all else."""
    try:
        yield
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise TrainingFailed(
            "The disk is full, so training stopped and nothing of it was kept. Free some space "
            "in the data directory and run it again."
        ) from error
