"""Model versions for tests: rows with a manifest alone, and a tiny one that really scores."""

from hashlib import sha256
from itertools import count
from math import log
from pathlib import Path
from typing import Any

from annotator.models import User
from patclaimeval.models.pair_scores import PairScore, ScoreCache, cache_key, pair_key
from patclaimeval.models.prior import prior_sha256
from patclaimeval.rubric import ALL_CRITERIA
from scoring import files as scoring_files
from scoring.models import DatasetVersion, ModelVersion, Promotion, PromotionAct, TrainingRun
from scoring.training.runs.services import request_training
from scoring.training.runs.work import carry_out_training
from tests.scoring.model_rows import sealed

CRITERION = "feature_completeness"
MEASURED: dict[str, Any] = {
    "n": 12,
    "references": 6,
    "tau_b": 0.5,
    "tau_b_labels": 0.4,
    "accuracy": 0.6,
    "macro_f1": 0.5,
}
_numbers = count(1)


def make_model(
    version: DatasetVersion,
    criterion: str = CRITERION,
    by: User | None = None,
    method: str = "probe",
    **measured: Any,
) -> ModelVersion:
    """Return a model version whose directory holds nothing but a manifest."""
    number = next(_numbers)
    directory = scoring_files.models_directory() / f"model-{number}"
    directory.mkdir()
    manifest = f"manifest {number}".encode()
    (directory / "MANIFEST.json").write_bytes(manifest)
    run = TrainingRun.objects.create(
        dataset_version=version, criterion=criterion, settings={}, requested_by=by
    )
    model = ModelVersion(run=run, criterion=criterion, directory=directory.name, code_version="1")
    model.manifest_sha256 = sha256(manifest).hexdigest()
    model.dataset_sha256 = version.sha256
    model.card = {
        "n_training": 20,
        "n_validation": 12,
        "validation": MEASURED | measured,
        "tie_threshold": 0.1,
        "settings": {"method": method, "encoder": "default"},
        "warnings": [],
    }
    return sealed(model)


def train_tiny(version: DatasetVersion, encoder: Path, by: User | None = None) -> ModelVersion:
    """Return a model that was trained in a moment and scores."""
    run = request_training(
        version=version,
        criterion=CRITERION,
        options={"encoder": str(encoder), "method": "finetune", "epochs": 1, "device": "cpu"},
        requested_by=by,
    )
    carry_out_training(run.pk)
    return ModelVersion.objects.get(run=run)


def promote(model: ModelVersion, by: User, act: str = PromotionAct.AGREED) -> Promotion:
    """Return the row that makes the model count, or ends that."""
    campaign = model.run.dataset_version.dataset.campaign
    about = {"act": act, "criterion": model.criterion, "campaign": campaign}
    return Promotion.objects.create(model=model, actor=by, reason="for a test", **about)


def know(model: ModelVersion, reference: str, scores: dict[str, float]) -> None:
    """Put scores of candidates into the cache, as if the model had given them before.

    Of the other criteria PatClaimEval-0 is known to give the same scores, and one feature
    explains each.
    """
    digests = {criterion: prior_sha256(criterion) for criterion in ALL_CRITERIA}
    for digest in (digests | {model.criterion: model.manifest_sha256}).values():
        known = {
            pair_key((reference, candidate)): PairScore(
                value, parts={"rouge_1": [value, 0.5, logit(value)]}
            )
            for candidate, value in scores.items()
        }
        ScoreCache(scoring_files.score_cache_path()).put(cache_key(digest), known)


def logit(score: float) -> float:
    return log(score / (1 - score))
