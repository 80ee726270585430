"""Model versions that score: one by its id or name, with the cache of what it scored before."""

import logging
from collections.abc import Callable
from uuid import UUID

from annotator.models import User
from annotator.refusals import Refused
from annotator.rubric import ALL_CRITERIA
from scoring import storage
from scoring.model_directories.seals import BROKEN, is_sealed
from scoring.models import ModelVersion
from scoring.patclaimeval.errors import CheckpointInvalid
from scoring.patclaimeval.pair_scores import CachedScorer, PairModel
from scoring.patclaimeval.score_cache import ScoreCache
from scoring.patclaimeval.stream import ModelWords
from scoring.queries.models import MODEL_PREFIX, find_model
from scoring.queries.promotions import promoted_model

logger = logging.getLogger(__name__)


def scoring_model(name: str, user: User | None = None) -> ModelVersion:
    """Return the model that ID or model:ID names, or a criterion's promoted one; or refuse.

    `user` None means a command on this machine.
    """
    if name in ALL_CRITERIA:
        return promoted_model(name, user)
    name = name.removeprefix(MODEL_PREFIX)
    try:
        UUID(name)
    except ValueError as error:
        raise Refused(
            f"{name!r} is no model; give the id of a model version, or a criterion for its "
            "promoted one."
        ) from error
    return find_model(name, user)


def cached_scorer(model: ModelVersion, say: Callable[[str], None] = logger.warning) -> CachedScorer:
    """Return the model with its cache; torch loads once a pair is met that the cache lacks.

    `say` hears what is wrong with the cache, if anything is. Raises CheckpointInvalid for a row
    whose seal is broken: not even what was scored before is known to be this model's.
    """
    if not is_sealed(model):
        raise CheckpointInvalid(BROKEN)

    def load() -> PairModel:
        # torch loads here, in a worker or command, and never in the web process.
        from scoring.patclaimeval.score import load_scorer

        return load_scorer(
            storage.models_directory() / model.directory,
            storage.cache_directory(),
            manifest_sha256=model.manifest_sha256,
        )

    return CachedScorer(load, model.manifest_sha256, ScoreCache(storage.score_cache_path(), say))


def model_words(model: ModelVersion) -> ModelWords:
    """Return what stands beside each score of the model."""
    return ModelWords(str(model.pk), model.criterion, float(model.card["tie_threshold"]))
