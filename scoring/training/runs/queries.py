"""What the page of a training run shows beside its row: curves, log, rate, and what may be done."""

from datetime import datetime
from typing import Any, Final

from annotator.models import User
from scoring.access.scopes import is_researcher
from scoring.models import TrainingRun
from scoring.training.model_versions.queries import training_plots

MOST_LINES: Final = 50


def run_page(run: TrainingRun, user: User) -> dict[str, Any]:
    """Return what the page of a run shows beside its row; texts that are not known yet are empty.

    `log`: when each line was written, and the line, the newest first.
    """
    return {
        "time_left": "" if run.is_final else format_duration(run.seconds_left),
        "pace": f"{run.tokens_per_second:,.0f} tokens per second" if run.tokens_per_second else "",
        "plots": training_plots(run.history),
        "log": [
            (datetime.fromisoformat(line["at"]), line["words"])
            for line in reversed(run.log[-MOST_LINES:])
        ],
        "may_train": is_researcher(user, run.dataset_version),
    }


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
