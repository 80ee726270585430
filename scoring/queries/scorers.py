"""Scorers by name: a published metric, or a model version as `model:ID`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import UUID

from annotator.models import User
from annotator.refusals import Refused
from scoring import storage
from scoring.metrics.base import Metric, MetricUnavailable, Missing, Pair
from scoring.metrics.registry import UnknownMetricError, get_metric
from scoring.models import ModelVersion
from scoring.queries.models import models_for

MODEL_PREFIX = "model:"
Score = Callable[[Sequence[tuple[str, str]]], list[float]]


@dataclass(frozen=True, slots=True)
class Scorer:
    """Anything that turns (reference, candidate) pairs into numbers; `key` names its version."""

    name: str
    version: str
    score: Score

    @property
    def key(self) -> str:
        return f"{self.name} {self.version}"


def check_scorer_names(names: Sequence[str], criterion: str, user: User | None) -> None:
    """Refuse names that no scorer bears, models of another criterion, or an empty list."""
    if not names:
        raise Refused("Name at least one scorer.", {"scorers": ["Name at least one scorer."]})
    for name in names:
        if name.startswith(MODEL_PREFIX):
            model = find_model(name.removeprefix(MODEL_PREFIX), user)
            if model.criterion != criterion:
                raise Refused(
                    f"{name} scores {model.criterion}, and this report is on {criterion}."
                )
        else:
            try:
                get_metric(name)
            except (UnknownMetricError, MetricUnavailable) as error:
                raise Refused(str(error), {"scorers": [str(error)]}) from error


def find_model(model_id: str, user: User | None = None) -> ModelVersion:
    """Return the model version or refuse; `user` None means a command on this machine."""
    rows = ModelVersion.objects.all() if user is None else models_for(user)
    try:
        return rows.get(pk=UUID(model_id))
    except (ValueError, ModelVersion.DoesNotExist) as error:
        raise Refused(f"There is no model {model_id!r}.") from error


def load_scorer(name: str) -> Scorer:
    """Load a scorer by a name that was checked; for workers and commands, as it may load torch."""
    if name.startswith(MODEL_PREFIX):
        return _load_model(name)
    metric = get_metric(name)
    return Scorer(
        name,
        metric.version,
        lambda pairs: _numbers(metric, [Pair(reference, text) for reference, text in pairs]),
    )


def _numbers(metric: Metric, pairs: Sequence[Pair]) -> list[float]:
    scores = metric.score(pairs)
    missing = next((score for score in scores if isinstance(score, Missing)), None)
    if missing:
        raise Refused(f"{metric.name} cannot score every candidate: {missing.reason}")
    return [score for score in scores if not isinstance(score, Missing)]


def _load_model(name: str) -> Scorer:
    # torch loads here, and only where a model version really scores.
    from scoring.patclaimeval.score import load_scorer as load_network

    model = find_model(name.removeprefix(MODEL_PREFIX))
    network = load_network(
        storage.models_directory() / model.directory,
        cache_directory=storage.cache_directory(),
    )
    return Scorer(name, model.manifest_sha256[:16], network.score)
