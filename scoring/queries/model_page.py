"""What the page of a model version shows: its card, its limits, its curves."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from annotator.models import User
from scoring.cards import model_card as parts
from scoring.cards.model_limits import model_limits
from scoring.models import ModelVersion
from scoring.plots.curves import curve_plot
from scoring.plots.shapes import Plot
from scoring.queries.exporters import may_export
from scoring.queries.model_data import model_data
from scoring.queries.version_access import version_reader

MOST_ROWS: Final = 100


@dataclass(frozen=True, slots=True)
class Epoch:
    """A row of the table beside the curves; what was not measured is None."""

    number: int
    loss: float | None
    tau: float | None


@dataclass(frozen=True, slots=True)
class ModelPage:
    """A model version, ready for its template; of an older card, what it says."""

    data: tuple[tuple[str, str], ...]
    facts: tuple[tuple[str, str], ...]
    settings: tuple[tuple[str, str], ...]
    n: int
    references: int | None
    interval: str
    agreement: tuple[parts.Figure, ...]
    without: parts.Figure | None
    n_without: int
    overlaps: tuple[parts.Overlap, ...]
    seen: tuple[parts.Seen, ...]
    limits: tuple[str, ...]
    warnings: tuple[str, ...]
    plots: tuple[Plot, ...]
    epochs: tuple[Epoch, ...]
    may_download: bool


def model_page(model: ModelVersion, user: User) -> ModelPage:
    """Return the page of a model version out of its stored card."""
    card, data = model.card, model_data(model.run.dataset_version)
    validation = card.get("validation") or {}
    left = parts.without_reference(card)
    history = card.get("history") or []
    return ModelPage(
        data=tuple(parts.data_facts(data))[2:],
        facts=tuple(parts.model_facts(card)),
        settings=tuple(parts.settings_facts(card)),
        n=validation.get("n") or 0,
        references=validation.get("references"),
        interval=validation.get("interval", ""),
        agreement=parts.agreement(card),
        without=left[0] if left else None,
        n_without=left[1] if left else 0,
        overlaps=parts.overlaps(card),
        seen=parts.seen(card),
        limits=tuple(model_limits(card, data)),
        warnings=tuple(card.get("warnings") or ()),
        plots=training_plots(history),
        epochs=_epochs(history),
        may_download=may_export(version_reader(user, model.run.dataset_version)),
    )


def training_plots(history: Sequence[dict[str, Any]]) -> tuple[Plot, ...]:
    """Return the curves of a training that has recorded epochs: its loss and its tau-b."""
    found = (
        curve_plot("Loss by epoch", "epoch", _points(history, "loss")),
        curve_plot("Validation tau-b by epoch", "epoch", _points(history, "validation_tau")),
    )
    return tuple(plot for plot in found if plot is not None)


def _points(history: Sequence[dict[str, Any]], key: str) -> list[tuple[int, float]]:
    return [(row["epoch"], row[key]) for row in history if row.get(key) is not None]


def _epochs(history: Sequence[dict[str, Any]]) -> tuple[Epoch, ...]:
    every = max(1, -(-len(history) // MOST_ROWS))
    last = len(history) - 1
    return tuple(
        Epoch(row["epoch"], row.get("loss"), row.get("validation_tau"))
        for place, row in enumerate(history)
        if place % every == 0 or place == last
    )
