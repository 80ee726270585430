"""What a training's row tells while a worker is at it: figures, a log, a curve."""

from collections.abc import Callable
from time import monotonic
from typing import Any, Final

from annotator.clock import database_now
from annotator.jobs import leases
from scoring.models import TrainingRun
from scoring.patclaimeval.results import Progress

SECONDS_BETWEEN_BEATS: Final = 2.0
MOST_LINES: Final = 200
MOST_POINTS: Final = 200
"""Of the log and of the curve: the newest lines, and points spread over the epochs."""


class RunProgress:
    """Hears a training and writes its row, in at most one UPDATE every two seconds.

    Every message looks first whether the lease is still ours: `check`, once set, raises LostLease
    if not.
    """

    def __init__(self, run: TrainingRun, say: Callable[[str], None]) -> None:
        self.check: Callable[[], None] = lambda: None
        self._run, self._say = run, say
        self._written_at = 0.0
        self._stage = ""
        # A run that was taken up again goes on with what its row already tells.
        self._log: list[dict[str, str]] = list(run.log)
        self._history: list[dict[str, Any]] = list(run.history)

    def hear(self, progress: Progress) -> None:
        """Take over one message of the training."""
        self.check()
        if progress.stage != self._stage:
            self._stage = progress.stage
            self.note(f"{progress.stage} began")
        if progress.note:
            self.note(progress.note)
        if progress.ends_epoch and _is_kept(progress):
            self._end_epoch(progress)
        now = monotonic()
        if now - self._written_at >= SECONDS_BETWEEN_BEATS:
            self._written_at = now
            fields = progress_fields(progress)
            leases.beat(self._run, **fields, **self.lists())
            self._say(fields["message"])

    def note(self, words: str) -> None:
        """Add a line to the log; it is written along with the next figures."""
        line = {"at": database_now().isoformat(timespec="seconds"), "words": words}
        self._log = [*self._log, line][-MOST_LINES:]

    def lists(self) -> dict[str, Any]:
        """Return the columns of the log and the curve as they stand."""
        return {"log": self._log, "history": self._history}

    def _end_epoch(self, progress: Progress) -> None:
        point = {
            "epoch": progress.epoch,
            "loss": progress.loss,
            "validation_tau": progress.validation_tau,
        }
        # An epoch that is repeated after a kill stands once.
        earlier = [other for other in self._history if other["epoch"] < progress.epoch]
        self._history = [*earlier, point]
        words = f"epoch {progress.epoch} of {progress.epochs}: loss {progress.loss:.4f}"
        if progress.validation_tau is not None:
            words += f", validation tau-b {progress.validation_tau:.3f}"
        self.note(words)


def progress_fields(progress: Progress) -> dict[str, Any]:
    """Return the columns of one message."""
    share = progress.step / progress.steps if progress.steps else 0.0
    fields: dict[str, Any] = {
        "stage": progress.stage,
        "step": progress.step,
        "steps": progress.steps,
        "epoch": progress.epoch,
        "epochs": progress.epochs,
        "progress": min(max(share, 0.0), 1.0),
        "message": f"{progress.stage}: {progress.step} of {progress.steps}",
        "tokens_per_second": progress.tokens_per_second,
        "seconds_left": progress.seconds_left,
    }
    if progress.loss is not None:
        fields["loss"] = progress.loss
    if progress.validation_tau is not None:
        fields["validation_tau"] = progress.validation_tau
    return fields


def _is_kept(progress: Progress) -> bool:
    every = -(-progress.epochs // MOST_POINTS)
    return progress.epoch % max(1, every) == 0 or progress.epoch == progress.epochs
