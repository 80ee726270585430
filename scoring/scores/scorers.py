"""Scorers by name: a published metric, or a model version as `model:ID`; what they need here."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import UUID

from django.conf import settings

from annotator.models import User
from core.errors import Refused
from patclaimeval.metrics.base import Places
from patclaimeval.metrics.endpoint import Endpoint
from patclaimeval.metrics.registry import UnknownMetricError, needs_of
from patclaimeval.models.errors import CheckpointInvalid
from patclaimeval.models.pair_scores import CachedScorer, PairModel, ScoreCache
from patclaimeval.models.prior import NAME as PRIOR_NAME
from patclaimeval.models.prior import load_prior, prior_sha256, prior_tie_threshold
from patclaimeval.models.stream import ModelDetails
from patclaimeval.rubric import ALL_CRITERIA
from scoring import files as scoring_files
from scoring.models import ModelVersion
from scoring.training.model_versions.files import BROKEN, directory_of, is_sealed
from scoring.training.model_versions.promotions import promoted
from scoring.training.model_versions.queries import MODEL_PREFIX, find_model

LEFT_OUT_NAME: Final = "patclaimeval-left-out"
"""The default recipe trained on all references but the one it scores; reports alone know it."""
OUR_NAMES: Final = (PRIOR_NAME, LEFT_OUT_NAME)


def metric_places() -> Places:
    """Return the places that the settings name; nothing is looked at yet."""
    return Places(Path(settings.METRIC_MODELS_DIR), _endpoint())


def _endpoint() -> Endpoint | None:
    if not settings.METRIC_ENDPOINT_URL:
        return None
    return Endpoint(
        url=settings.METRIC_ENDPOINT_URL,
        model=settings.METRIC_ENDPOINT_MODEL,
        api_key=settings.METRIC_ENDPOINT_KEY or None,
        requests_per_minute=settings.METRIC_ENDPOINT_REQUESTS_PER_MINUTE,
        price_in=settings.METRIC_ENDPOINT_PRICE_IN,
        price_out=settings.METRIC_ENDPOINT_PRICE_OUT,
        cache_directory=scoring_files.cache_directory() / "endpoint",
        timeout=settings.METRIC_ENDPOINT_TIMEOUT,
    )


def check_scorer_names(names: Sequence[str], criterion: str, user: User | None) -> None:
    """Refuse names that no scorer bears, models of another criterion, or an empty list."""
    if not names:
        raise _wrong("Name at least one scorer.")
    for name in names:
        if name.startswith(MODEL_PREFIX):
            model = find_model(name.removeprefix(MODEL_PREFIX), user, field="scorers")
            if model.criterion != criterion:
                raise _wrong(f"{name} scores {model.criterion}, and this report is on {criterion}.")
        elif name not in OUR_NAMES:
            try:
                needs_of(name)
            except UnknownMetricError as error:
                raise _wrong(str(error)) from error


def _wrong(sentence: str) -> Refused:
    return Refused.at("scorers", sentence)


logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ScoringModel:
    """What scores one criterion: a model version, or PatClaimEval-0 where `version` is None."""

    criterion: str
    version: ModelVersion | None = None

    @property
    def id(self) -> str:
        return PRIOR_NAME if self.version is None else str(self.version.pk)

    @property
    def tie_threshold(self) -> float:
        if self.version is None:
            return prior_tie_threshold(self.criterion)
        return float(self.version.card["tie_threshold"])

    @property
    def is_linear(self) -> bool:
        """Whether its score is a sum over named features, which can be explained."""
        return self.version is None or self.version.card["settings"]["method"] == "probe"

    @property
    def details(self) -> ModelDetails:
        """What stands beside each of its scores."""
        return ModelDetails(self.id, self.criterion, self.tie_threshold)


def promoted_or_prior(user: User | None = None) -> dict[str, ScoringModel]:
    """Return by criterion its promoted model, or PatClaimEval-0 where none is promoted."""
    models = {criterion: row.model for criterion, row in promoted(user).items()}
    return {key: ScoringModel(key, models.get(key)) for key in ALL_CRITERIA}


def scoring_model(name: str, user: User | None = None) -> ScoringModel:
    """Return what ID or model:ID names, or a criterion: its promoted model or PatClaimEval-0.

    `user` None means a command on this machine.
    """
    if name in ALL_CRITERIA:
        return promoted_or_prior(user)[name]
    name = name.removeprefix(MODEL_PREFIX)
    try:
        UUID(name)
    except ValueError as error:
        raise Refused(
            f"{name!r} is no model; give the id of a model version, or a criterion for its "
            "promoted one."
        ) from error
    model = find_model(name, user)
    return ScoringModel(model.criterion, model)


def cached_scorer(
    scoring: ScoringModel, log: Callable[[str], None] = logger.warning
) -> CachedScorer:
    """Return the model with its cache; it loads once a pair is met that the cache lacks.

    `log` gets what is wrong with the cache, if anything is. Raises CheckpointInvalid for a row
    whose seal is broken: not even what was scored before is known to be this model's.
    """
    cache = ScoreCache(scoring_files.score_cache_path(), log)

    def load() -> PairModel:
        return _loaded(scoring)

    return CachedScorer(load, _sealed_sha256(scoring), cache)


def _sealed_sha256(scoring: ScoringModel) -> str:
    if scoring.version is None:
        return prior_sha256(scoring.criterion)
    if not is_sealed(scoring.version):
        raise CheckpointInvalid(BROKEN)
    return scoring.version.manifest_sha256


def _loaded(scoring: ScoringModel) -> PairModel:
    model = scoring.version
    if model is None:
        return load_prior(scoring.criterion)
    # An encoder's torch loads here, in a worker or command, and never in the web process.
    from patclaimeval.models.scorer import LinearScorer, load_scorer

    found = load_scorer(directory_of(model), manifest_sha256=model.manifest_sha256)
    if scoring.is_linear and not isinstance(found, LinearScorer):
        raise CheckpointInvalid("The model is another than the linear one that its card names.")
    return found
