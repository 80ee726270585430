"""The scorers that a report can be asked for, in groups, each with what it lacks at this site."""

from dataclasses import dataclass
from typing import Final

from annotator.models import User
from annotator.rubric import NAMES
from scoring.metrics.registry import BASELINE_NAMES, METRIC_NAMES
from scoring.queries.models import models_for
from scoring.queries.scorers import MODEL_PREFIX

NEURAL: Final = ("bertscore", "bartscore", "moverscore", "simcse", "unieval", "alignscore")
JUDGED: Final = ("g-eval", "llmscore")
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
    apart = {*BASELINE_NAMES, *NEURAL, *JUDGED}
    metrics = tuple(name for name in METRIC_NAMES if name not in apart)
    groups = (
        Group("Words in common", _metrics(metrics)),
        Group("Neural, on weights of this machine", _metrics(NEURAL)),
        Group("By a language model", _metrics(JUDGED)),
        Group("Ours", _models(user), NO_MODEL),
    )
    return tuple(group for group in groups if group.scorers or group.nothing)


def ready_names(groups: tuple[Group, ...]) -> list[str]:
    """Return what a form ticks by itself: what scores here without anything more."""
    return [
        one.name
        for group in groups
        for one in group.scorers
        if not one.lacks and not one.sends_texts and not one.name.startswith(MODEL_PREFIX)
    ]


def _metrics(names: tuple[str, ...]) -> tuple[Choice, ...]:
    return tuple(Choice(name, name) for name in names if name in METRIC_NAMES)


def _models(user: User) -> tuple[Choice, ...]:
    return tuple(
        Choice(
            f"{MODEL_PREFIX}{model.pk}",
            f"PatClaimEval {str(model.pk)[:8]}, {NAMES[model.criterion]}, "
            f"trained on {model.run.dataset_version}",
        )
        for model in models_for(user)
    )
