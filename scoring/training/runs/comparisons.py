"""Several training runs beside each other: curves, figures, and the settings that differ."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils import timezone
from django.utils.formats import date_format

from core.plots.curves import MOST_CURVES, Curve, overlay_plot
from core.plots.shapes import Plot
from patclaimeval.rubric import ALL_CRITERIA, NAMES
from scoring.models import TrainingRun
from scoring.training.model_versions.card import headline
from scoring.training.model_versions.queries import points_of
from scoring.training.runs.queries import format_duration, pace_of

FEWEST: Final = 2
MOST: Final = MOST_CURVES
SHOWN: Final = (("validation_tau", "Validation tau-b"), ("loss", "Loss"))
NOTHING: Final = "\N{EN DASH}"


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """One of the runs, with its number here; `name` is how a legend calls it."""

    number: int
    run: TrainingRun
    name: str


@dataclass(frozen=True, slots=True)
class ComparedRuns:
    """The page of a comparison.

    `groups`: by criterion the runs that train it and their plots, none where no run has a curve.
    `figures` and `settings`: a name and a text for each run; `same`: settings that all share.
    """

    runs: tuple[ComparedRun, ...]
    groups: tuple[tuple[str, tuple[Plot, ...], tuple[ComparedRun, ...]], ...]
    figures: tuple[tuple[str, tuple[str, ...]], ...]
    settings: tuple[tuple[str, tuple[str, ...]], ...]
    same: tuple[tuple[str, str], ...]

    @property
    def plots(self) -> list[Plot]:
        return [plot for _, plots, _ in self.groups for plot in plots]


def compare_runs(runs: Sequence[TrainingRun]) -> ComparedRuns:
    """Set FEWEST to MOST runs beside each other, in their order."""
    numbered = tuple(
        ComparedRun(number, run, _name(number, run)) for number, run in enumerate(runs, start=1)
    )
    settings = list(_settings(runs))
    return ComparedRuns(
        runs=numbered,
        groups=tuple(
            (NAMES[criterion], tuple(_plots(criterion, group)), tuple(group))
            for criterion in ALL_CRITERIA
            if (group := [one for one in numbered if one.run.criterion == criterion])
        ),
        figures=tuple(_figures(runs)),
        settings=tuple((name, texts) for name, texts in settings if len(set(texts)) > 1),
        same=tuple((name, texts[0]) for name, texts in settings if len(set(texts)) == 1),
    )


def _name(number: int, run: TrainingRun) -> str:
    started = date_format(timezone.localtime(run.created_at), "j M H:i")
    return f"{number}: {', '.join([str(run.dataset_version), started, *run.tag_names])}"


def _plots(criterion: str, group: Sequence[ComparedRun]) -> list[Plot]:
    found = []
    for key, name in SHOWN:
        curves = [Curve(one.name, one.number, points_of(one.run.history, key)) for one in group]
        plot = overlay_plot(f"{name} by epoch, {NAMES[criterion].lower()}", "epoch", curves)
        if plot is not None:
            found.append(plot)
    return found


def _figures(runs: Sequence[TrainingRun]) -> list[tuple[str, tuple[str, ...]]]:
    kinds: dict[str, Callable[[TrainingRun], str]] = {
        "tau-b, unseen references": _tau,
        "Measured on": _measured_on,
        "Loss, last": lambda run: NOTHING if run.loss is None else f"{run.loss:.4f}",
        "Epochs": lambda run: f"{run.epoch} of {run.epochs}" if run.epochs else NOTHING,
        "Took": lambda run: format_duration(_seconds(run)) or NOTHING,
        "Pace": lambda run: pace_of(run) or NOTHING,
        "Tie threshold": lambda run: _of_card(run, "tie_threshold"),
        "Warnings": lambda run: _warnings(run) or NOTHING,
    }
    found = [(name, tuple(text(run) for run in runs)) for name, text in kinds.items()]
    return [(name, texts) for name, texts in found if set(texts) != {NOTHING}]


def _tau(run: TrainingRun) -> str:
    if run.model is None:
        return NOTHING if run.validation_tau is None else f"{run.validation_tau:.3f}"
    return headline(run.model.card).words


def _measured_on(run: TrainingRun) -> str:
    if run.model is None:
        return NOTHING
    found = headline(run.model.card)
    return f"{found.n} quadruplets, {found.where}" if found.n else NOTHING


def _of_card(run: TrainingRun, key: str) -> str:
    value = _card(run).get(key)
    return NOTHING if value is None else f"{value:.4g}"


def _warnings(run: TrainingRun) -> str:
    return " ".join(_card(run).get("warnings") or ())


def _card(run: TrainingRun) -> dict[str, Any]:
    return run.model.card if run.model is not None else {}


def _seconds(run: TrainingRun) -> float | None:
    if run.started_at is None or run.finished_at is None:
        return None
    return (run.finished_at - run.started_at).total_seconds()


def _settings(runs: Sequence[TrainingRun]) -> list[tuple[str, tuple[str, ...]]]:
    names = dict.fromkeys(name for run in runs for name in sorted(run.settings))
    return [
        (name.replace("_", " "), tuple(_text(run.settings.get(name)) for run in runs))
        for name in names
        if name != "criterion"
    ]


def _text(value: Any) -> str:
    if value is None:
        return NOTHING
    return f"{value:.6g}" if isinstance(value, float) else str(value)
