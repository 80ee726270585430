"""The list of training runs, and what the page of one shows beside its row."""

from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from operator import and_
from typing import Any, Final

from django.db.models import F, Q, QuerySet

from annotator.models import User
from patclaimeval.rubric import NAMES
from scoring.access.scopes import find_version, is_researcher, measured_versions_for
from scoring.models import DatasetVersion, TrainingRun
from scoring.training.model_versions.card import headline
from scoring.training.model_versions.queries import runs_for, training_plots

MOST_LINES: Final = 50
ASCENDING, DESCENDING = "asc", "desc"
# What a list is sorted by: its name, and whether a click asks for the greatest first.
SORTS: Final = {
    "started": ("Run", True),
    "dataset": ("Dataset", False),
    "criterion": ("Criterion", False),
    "status": ("Status", False),
    "tau": ("tau-b, unseen references", True),
}
_COLUMNS: Final = {
    "started": ("created_at",),
    "dataset": ("dataset_version__dataset__name", "dataset_version__number"),
    "criterion": ("criterion",),
    "status": ("status",),
    "tau": ("validation_tau",),
}


@dataclass(frozen=True, slots=True)
class WantedRuns:
    """Which runs are listed, in which order; what is empty takes all.

    `text`: words, each of which stands in the name of the criterion or the dataset, in the tags or
    in the note. `dataset` as NAME@NUMBER, in full where two are NAME.
    """

    text: str = ""
    status: str = ""
    criterion: str = ""
    dataset: str = ""
    tag: str = ""
    sort: str = "started"
    is_descending: bool = True


def listed_runs(user: User, wanted: WantedRuns) -> QuerySet[TrainingRun]:
    """Return the person's runs of a list, in a full order; what has no figure comes last.

    Raises NoSuchVersion for a dataset that the person has no run on.
    """
    rows = runs_for(user)
    if wanted.text:
        rows = rows.filter(reduce(and_, map(_holds, wanted.text.split()), Q()))
    if wanted.status:
        rows = rows.filter(status=wanted.status)
    if wanted.criterion:
        rows = rows.filter(criterion=wanted.criterion)
    if wanted.dataset:
        rows = rows.filter(
            dataset_version=find_version(wanted.dataset, measured_versions_for(user))
        )
    if wanted.tag:
        rows = rows.filter(tags__contains=f" {wanted.tag.casefold()} ")
    columns = [
        F(name).desc(nulls_last=True) if wanted.is_descending else F(name).asc(nulls_last=True)
        for name in _COLUMNS[wanted.sort]
    ]
    return rows.order_by(*columns, "-created_at", "pk")


def _holds(word: str) -> Q:
    named = [key for key, name in NAMES.items() if word.casefold() in name.casefold()]
    return (
        Q(criterion__in=named)
        | Q(dataset_version__dataset__name__icontains=word)
        | Q(tags__contains=word.casefold())
        | Q(note__icontains=word)
    )


def trained_versions(user: User) -> list[DatasetVersion]:
    """Return the versions on which the person has runs."""
    rows = measured_versions_for(user).filter(training_runs__isnull=False).distinct()
    return list(rows.order_by("dataset__name", "-number", "pk"))


def used_tags(user: User) -> list[str]:
    """Return the tags of the person's runs, in the order of the alphabet."""
    rows = runs_for(user).exclude(tags="").order_by().values_list("tags", flat=True).distinct()
    return sorted({tag for tags in rows for tag in tags.split()})


def run_page(run: TrainingRun, user: User) -> dict[str, Any]:
    """Return what the page of a run shows beside its row; texts that are not known yet are empty.

    `log`: when each line was written, and the line, the newest first.
    """
    return {
        "time_left": "" if run.is_final else format_duration(run.seconds_left),
        "pace": pace_of(run),
        "headline": None if run.model is None else headline(run.model.card),
        "plots": training_plots(run.history),
        "log": [
            (datetime.fromisoformat(line["at"]), line["words"])
            for line in reversed(run.log[-MOST_LINES:])
        ],
        "may_train": is_researcher(user, run.dataset_version),
    }


def pace_of(run: TrainingRun) -> str:
    """Return how fast a run reads, or read last; empty where it has said nothing of it."""
    if not run.tokens_per_second:
        return ""
    read = "words" if run.settings.get("method") == "probe" else "tokens"
    return f"{run.tokens_per_second:,.0f} {read} per second"


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
