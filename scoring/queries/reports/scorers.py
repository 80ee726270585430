"""The scorers of a report: loaded by name, each with what its scores are kept under."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from scoring.metrics.base import MetricUnavailable, Missing, Pair, Score
from scoring.metrics.registry import (
    BASELINE_NAMES,
    get_metric,
    needs_of,
    what_is_missing,
)
from scoring.patclaimeval.pair_scores import SCORING_VERSION
from scoring.queries.metric_places import metric_places
from scoring.queries.model_scorers import cached_scorer
from scoring.queries.models import MODEL_PREFIX, find_model

LONGEST_KEY: Final = 200
A_FEW: Final = 16
MANY: Final = 256
Check = Callable[[], None]


@dataclass(frozen=True, slots=True)
class ReportScorer:
    """Anything that scores pairs.

    `key` names the version that stored scores belong to; "" for one that keeps its own.
    `is_repeatable`: the same pairs get the same scores whenever they are asked. `at_once`: how many
    pairs it is handed at most. `score` calls the check it is given from time to time.
    """

    name: str
    version: str
    key: str
    reads_drafts: bool
    is_repeatable: bool
    at_once: int
    score: Callable[[Sequence[Pair], Check], Sequence[Score]]


def kind_of(name: str) -> str:
    """Say what a scorer is: "model", "baseline" or "metric"."""
    if name.startswith(MODEL_PREFIX):
        return "model"
    return "baseline" if name in BASELINE_NAMES else "metric"


def is_neural(name: str) -> bool:
    """Say whether a scorer runs a network or asks an endpoint, and is able to."""
    if name.startswith(MODEL_PREFIX):
        return True
    needs = needs_of(name)
    return (needs.model_directory or needs.endpoint) and not what_is_missing(name, metric_places())


def version_words(name: str, seed: int, criterion: str) -> str:
    """Name what would score now, or what is missing to score, without loading weights."""
    if name.startswith(MODEL_PREFIX):
        return _model_version(find_model(name.removeprefix(MODEL_PREFIX)).manifest_sha256)
    places = metric_places()
    try:
        return get_metric(name, places=places, seed=seed, criterion=criterion).version
    except MetricUnavailable as error:
        return f"missing: {error}"


def load_scorer(name: str, seed: int, criterion: str) -> ReportScorer:
    """Load a scorer by a name that was checked; weights load with the first pair.

    Raises MetricError or PatClaimEvalError where it cannot score.
    """
    if name.startswith(MODEL_PREFIX):
        return _load_model(name)
    metric = get_metric(name, places=metric_places(), seed=seed, criterion=criterion)
    needs = needs_of(name)
    return ReportScorer(
        name=name,
        version=metric.version,
        key=_key(name, metric.version),
        reads_drafts=needs.draft,
        is_repeatable=not needs.endpoint,
        at_once=A_FEW if needs.endpoint or needs.model_directory else MANY,
        score=lambda pairs, check: metric.score(pairs),
    )


def _load_model(name: str) -> ReportScorer:
    model = find_model(name.removeprefix(MODEL_PREFIX))
    network = cached_scorer(model)

    def score(pairs: Sequence[Pair], check: Check) -> list[Score]:
        texts = [(pair.reference, pair.candidate) for pair in pairs]
        found = network.score(texts, lambda count: check())
        return [Missing(one.reason) if one.value is None else one.value for one in found]

    return ReportScorer(
        name=name,
        version=_model_version(model.manifest_sha256),
        key="",
        reads_drafts=False,
        is_repeatable=True,
        at_once=MANY,
        score=score,
    )


def _model_version(manifest_sha256: str) -> str:
    return f"{manifest_sha256[:16]}, scoring {SCORING_VERSION}"


def _key(name: str, version: str) -> str:
    """Name a version of a scorer; one that is too long for its column by a digest."""
    key = f"{name} {version}"
    if len(key) <= LONGEST_KEY:
        return key
    return f"{name} {sha256(version.encode()).hexdigest()}"
