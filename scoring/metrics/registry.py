"""The names of the metrics that can be asked for, each loaded only when it is used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from annotator.rubric import OVERALL
from scoring.metrics.base import (
    DIRECTORY,
    DRAFT,
    ENDPOINT,
    NOTHING,
    Metric,
    MetricUnavailable,
    Needs,
    Places,
)

if TYPE_CHECKING:
    from scoring.metrics.endpoint import Endpoint


class UnknownMetricError(ValueError):
    """No metric bears that name; the message says which there are."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a metric's class stands, what it is called on screen and what it is made with.

    takes_seed, takes_criterion, needs.model_directory and needs.endpoint each hand one more
    argument to the class: seed, criterion, directory, endpoint.
    """

    module: str
    maker: str
    label: str
    arguments: Mapping[str, object] = field(default_factory=dict)
    needs: Needs = NOTHING
    takes_seed: bool = False
    takes_criterion: bool = False


_ENTRIES: Final[dict[str, Entry]] = {
    "bleu-1": Entry("bleu", "Bleu", "BLEU-1", {"order": 1}),
    "bleu-4": Entry("bleu", "Bleu", "BLEU-4", {"order": 4}),
    "rouge-1": Entry("rouge", "Rouge", "ROUGE-1", {"variant": "1"}),
    "rouge-2": Entry("rouge", "Rouge", "ROUGE-2", {"variant": "2"}),
    "rouge-l": Entry("rouge", "Rouge", "ROUGE-L", {"variant": "l"}),
    "meteor": Entry("meteor", "Meteor", "METEOR"),
    "bertscore": Entry("bertscore", "BertScore", "BERTScore", needs=DIRECTORY),
    "bartscore": Entry("bartscore", "BartScore", "BARTScore", needs=DIRECTORY),
    "moverscore": Entry("moverscore", "MoverScore", "MoverScore", needs=DIRECTORY),
    "simcse": Entry("simcse", "SimCse", "SimCSE", needs=DIRECTORY),
    "unieval": Entry("unieval", "UniEval", "UniEval", needs=DIRECTORY),
    "alignscore": Entry("alignscore", "AlignScore", "AlignScore", needs=DIRECTORY),
    "g-eval": Entry("g_eval", "GEval", "G-Eval", needs=ENDPOINT, takes_criterion=True),
    "llmscore": Entry("llmscore", "LLMScore", "LLMScore", needs=ENDPOINT),
    "sari": Entry("sari", "Sari", "SARI", needs=DRAFT),
    "identity": Entry("baselines", "Identity", "Is it the reference?"),
    "length": Entry("baselines", "Length", "Number of words"),
    "claim-count": Entry("baselines", "ClaimCount", "Number of claims"),
    "random": Entry("baselines", "Random", "Random numbers", takes_seed=True),
}
METRIC_NAMES: Final[tuple[str, ...]] = tuple(_ENTRIES)
METRIC_LABELS: Final = {name: entry.label for name, entry in _ENTRIES.items()}
BASELINE_NAMES: Final[tuple[str, ...]] = ("random", "identity", "length", "claim-count")
# What a form may tick by itself: needs no weights, no endpoint and no drafts.
READY_NAMES: Final[tuple[str, ...]] = tuple(
    name
    for name, entry in _ENTRIES.items()
    if entry.needs == NOTHING and name not in BASELINE_NAMES
)


def get_metric(
    name: str, *, places: Places | None = None, seed: int = 0, criterion: str = OVERALL
) -> Metric:
    """Load one metric by name.

    Input: a name of METRIC_NAMES; where weights and endpoint are; `seed` (any whole number), read
    by 'random' alone; the report's criterion, read by 'g-eval' alone. Output: the metric; its
    weights are loaded when it first scores.
    Raises UnknownMetricError, or MetricUnavailable with the sentence of `what_is_missing`.
    """
    entry = _entry(name)
    places = places or Places()
    arguments = dict(entry.arguments)
    if entry.needs.model_directory:
        arguments["directory"] = _directory(name, places)
    if entry.needs.endpoint:
        arguments["endpoint"] = _endpoint(name, places)
    if entry.takes_seed:
        arguments["seed"] = seed
    if entry.takes_criterion:
        arguments["criterion"] = criterion
    maker: Any = getattr(import_module(f"scoring.metrics.{entry.module}"), entry.maker)
    metric: Metric = maker(**arguments)
    return metric


def needs_of(name: str) -> Needs:
    """Say what a metric reads beside two texts. Input: a name of METRIC_NAMES. Loads nothing."""
    return _entry(name).needs


def what_is_missing(name: str, places: Places) -> str:
    """Say what to put where so that a metric can score. Output: a sentence; '' if it can.

    Looks at file names and small files only: no weights are read, no endpoint is called.
    Raises UnknownMetricError.
    """
    try:
        get_metric(name, places=places)
    except MetricUnavailable as error:
        return str(error)
    return ""


def _directory(name: str, places: Places) -> Path:
    from scoring.metrics.neural import checked_directory

    directories = places.model_directories
    return checked_directory(name, directories and directories / name)


def _endpoint(name: str, places: Places) -> Endpoint:
    from scoring.metrics.endpoint import missing_words

    if places.endpoint is None:
        raise MetricUnavailable(missing_words(None, name))
    return places.endpoint


def _entry(name: str) -> Entry:
    entry = _ENTRIES.get(name)
    if entry is None:
        raise UnknownMetricError(_refusal(name))
    return entry


def _refusal(name: str) -> str:
    available = f"Available: {', '.join(METRIC_NAMES)}."
    if name == "majority":
        return f"majority is a baseline of labels that every report shows by itself. {available}"
    return f"There is no metric called {name!r}. {available}"
