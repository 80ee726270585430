"""The scorers that a report can be asked for, in groups, each with what it lacks at this site."""

from dataclasses import dataclass
from typing import Final

from annotator.models import User
from annotator.rubric import NAMES
from scoring.metrics.base import Places
from scoring.metrics.registry import BASELINE_NAMES, METRIC_NAMES, needs_of, what_is_missing
from scoring.queries.metric_places import metric_places
from scoring.queries.models import MODEL_PREFIX, models_for
from scoring.queries.reports.scorer_labels import scorer_label

WITH_DRAFT: Final = "Scores only candidates whose reference has a draft in its campaign."
NO_MODEL: Final = "No model version yet: a training run makes one."


@dataclass(frozen=True, slots=True)
class Choice:
    """A scorer: its name in commands, its label, and a sentence on what it lacks, or ""."""

    name: str
    label: str
    lacks: str = ""
    sends_texts: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """Scorers of one kind; `nothing` says why there is none."""

    title: str
    scorers: tuple[Choice, ...]
    nothing: str = ""


def scorer_groups(user: User) -> tuple[Group, ...]:
    """Return every scorer but the baselines, which stand in each report by themselves."""
    places = metric_places()
    names = [name for name in METRIC_NAMES if name not in BASELINE_NAMES]
    judged = [name for name in names if needs_of(name).endpoint]
    neural = [name for name in names if needs_of(name).model_directory]
    plain = [name for name in names if name not in {*judged, *neural}]
    return (
        Group("Words in common", _metrics(plain, places)),
        Group("Neural, on weights of this machine", _metrics(neural, places)),
        Group("By a language model", _metrics(judged, places)),
        Group("Ours", _models(user), NO_MODEL),
    )


def ready_names(groups: tuple[Group, ...]) -> list[str]:
    """Return what a form ticks by itself: what scores here without anything more."""
    return [
        one.name
        for group in groups
        for one in group.scorers
        if not one.lacks and not one.sends_texts and not one.name.startswith(MODEL_PREFIX)
    ]


def _metrics(names: list[str], places: Places) -> tuple[Choice, ...]:
    return tuple(
        Choice(
            name,
            scorer_label(name),
            what_is_missing(name, places) or (WITH_DRAFT if needs_of(name).draft else ""),
            needs_of(name).endpoint,
        )
        for name in names
    )


def _models(user: User) -> tuple[Choice, ...]:
    return tuple(
        Choice(
            f"{MODEL_PREFIX}{model.pk}",
            f"{scorer_label(f'{MODEL_PREFIX}{model.pk}')}, {NAMES[model.criterion]}, "
            f"trained on {model.run.dataset_version}",
        )
        for model in models_for(user)
    )
