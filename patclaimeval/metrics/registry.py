"""The names of the metrics that can be asked for, each loaded only when it is used."""

from __future__ import annotations

from typing import Final

from patclaimeval.metrics.base import (
    DIRECTORY,
    DRAFT,
    ENDPOINT,
    ENDPOINT_AND_RIVAL,
    NOTHING,
    Entry,
    Metric,
    MetricUnavailable,
    Needs,
    Places,
)
from patclaimeval.metrics.ngram import NGRAM
from patclaimeval.rubric import OVERALL


class UnknownMetricError(ValueError):
    """No metric bears that name; the message lists which there are."""


_ENTRIES: Final[dict[str, Entry]] = {
    **NGRAM,
    "bertscore": Entry("bertscore", "BertScore", "BERTScore", needs=DIRECTORY),
    "bartscore": Entry("bartscore", "BartScore", "BARTScore", needs=DIRECTORY),
    "moverscore": Entry("moverscore", "MoverScore", "MoverScore", needs=DIRECTORY),
    "simcse": Entry("simcse", "SimCse", "SimCSE", needs=DIRECTORY),
    "unieval": Entry("unieval", "UniEval", "UniEval", needs=DIRECTORY),
    "alignscore": Entry("alignscore", "AlignScore", "AlignScore", needs=DIRECTORY),
    "g-eval": Entry("g_eval", "GEval", "G-Eval", needs=ENDPOINT, takes_criterion=True),
    "llmscore": Entry("llmscore", "LLMScore", "LLMScore", needs=ENDPOINT),
    "pairwise-judge": Entry(
        *("pairwise_judge", "PairwiseJudge", "Pairwise judge"),
        needs=ENDPOINT_AND_RIVAL,
        takes_criterion=True,
    ),
    "pairwise-judge-reasoned": Entry(
        *("pairwise_judge", "PairwiseJudge", "Pairwise judge, reasoned", {"is_reasoned": True}),
        needs=ENDPOINT_AND_RIVAL,
        takes_criterion=True,
    ),
    "sari": Entry("sari", "Sari", "SARI", needs=DRAFT),
    "defects": Entry("defects", "Defects", "Free of formal defects"),
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
    by 'random' alone; the report's criterion, read by 'g-eval' and the pairwise judges. Output: the
    metric; its weights are loaded when it first scores.
    Raises UnknownMetricError, or MetricUnavailable with the sentence of `what_is_missing`.
    """
    entry = _entry(name)
    places = places or Places()
    arguments: dict[str, object] = {}
    if entry.needs.model_directory:
        from patclaimeval.metrics.neural import checked_directory

        directories = places.model_directories
        arguments["directory"] = checked_directory(name, directories and directories / name)
    if entry.needs.endpoint:
        from patclaimeval.metrics.endpoint import missing_setting

        if places.endpoint is None:
            raise MetricUnavailable(missing_setting(name))
        arguments["endpoint"] = places.endpoint
    if entry.takes_seed:
        arguments["seed"] = seed
    if entry.takes_criterion:
        arguments["criterion"] = criterion
    return entry.make(**arguments)


def needs_of(name: str) -> Needs:
    """Return what a metric reads beside two texts. Input: a name of METRIC_NAMES. Loads nothing."""
    return _entry(name).needs


def what_is_missing(name: str, places: Places) -> str:
    """Return what to put where so that a metric can score. Output: a sentence; '' if it can.

    Looks at file names and small files only: no weights are read, no endpoint is called.
    Raises UnknownMetricError.
    """
    try:
        get_metric(name, places=places)
    except MetricUnavailable as error:
        return str(error)
    return ""


def _entry(name: str) -> Entry:
    if entry := _ENTRIES.get(name):
        return entry
    why = f"There is no metric called {name!r}."
    if name == "majority":
        why = "majority is a baseline of labels that every report shows by itself."
    raise UnknownMetricError(f"{why} Available: {', '.join(METRIC_NAMES)}.")
