"""What the page of a training run shows beside its row: curves, log, rate, and what may be done."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from annotator.models import User
from scoring.access.scopes import is_researcher
from scoring.models import TrainingRun
from scoring.plots.shapes import Plot
from scoring.training.model_versions.queries import training_plots

MOST_LINES: Final = 50


@dataclass(frozen=True, slots=True)
class RunPage:
    """A run, ready for its template; words that are not known yet are empty.

    `log`: when each line was written, and its words.
    """

    time_left: str
    pace: str
    plots: tuple[Plot, ...]
    log: tuple[tuple[datetime, str], ...]
    may_train: bool


def run_page(run: TrainingRun, user: User) -> RunPage:
    """Return the page of a run as its row stands: the newest lines of the log come first."""
    going_on = not run.is_final
    return RunPage(
        time_left=format_duration(run.seconds_left) if going_on else "",
        pace=f"{run.tokens_per_second:,.0f} tokens per second" if run.tokens_per_second else "",
        plots=training_plots(run.history),
        log=tuple(
            (datetime.fromisoformat(line["at"]), line["words"])
            for line in reversed(run.log[-MOST_LINES:])
        ),
        may_train=is_researcher(user, run.dataset_version),
    )


def format_duration(seconds: float | None) -> str:
    """Return a duration as text that promises no more than is known; empty for none."""
    if seconds is None:
        return ""
    if seconds < 60:
        return "less than a minute"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"about {minutes} min"
    return f"about {minutes // 60} h {minutes % 60} min"
