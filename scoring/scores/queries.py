"""Score requests of a person, the promoted models, and what the page of a request shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.conf import settings
from django.db.models import QuerySet

from annotator.access.visibility import judges_meanwhile
from annotator.models import User
from annotator.rubric import ALL_CRITERIA, NAMES
from core.jobs.rows import JobStatus
from scoring.models import ModelVersion, ScoreRequest, TrainingRun
from scoring.patclaimeval.data import Pair
from scoring.patclaimeval.errors import CheckpointInvalid
from scoring.patclaimeval.explanation import Explanation, Parts, explain_scores
from scoring.patclaimeval.pair_scores import PairScore
from scoring.patclaimeval.prior import NAME as PRIOR_NAME
from scoring.scores.scorers import ScoringModel, cached_parts, cached_scorer, promoted_or_prior
from scoring.training.model_versions.promotions import weaknesses

# Splits by which a validation reference was never seen in training.
UNSEEN: Final = frozenset({"reference", "family", "ipc", "time"})


def score_requests_for(user: User) -> QuerySet[ScoreRequest]:
    """Return the person's own requests: nobody else ever sees one, whatever their role.

    Who has begun to rate or adjudicate since sees none, until the sweeper deletes them.
    """
    rows = ScoreRequest.objects.filter(asked_by=user)
    return rows.none() if judges_meanwhile(user) else rows


def pairs_of(request: ScoreRequest) -> list[Pair]:
    return [(request.reference_text, candidate) for candidate in request.candidate_texts]


def known_scores(
    models: Mapping[str, ScoringModel], pairs: Sequence[Pair]
) -> dict[str, list[dict[str, Any]]] | None:
    """Return the entries of a request by criterion if the caches have all; no model is loaded.

    Of a linear model they have what its features add to the scores, too.
    """
    found = {}
    for criterion, model in models.items():
        try:
            scores, explained = cached_scorer(model).known(pairs), cached_parts(model)
        except CheckpointInvalid:
            return None  # the worker reports why, in place of this model's scores
        parts = None if explained is None else explained.known(pairs)
        if scores is None or (parts is None and explained is not None):
            return None
        found[criterion] = entries_of(scores, parts)
    return found


def entries_of(
    scores: Sequence[PairScore], parts: Sequence[Parts] | None = None
) -> list[dict[str, Any]]:
    """Return scores as their request stores them: {"score"} or {"error"}, and {"parts"}."""
    entries: list[dict[str, Any]] = [
        {"error": score.reason} if score.value is None else {"score": score.value}
        for score in scores
    ]
    if parts is not None:
        for entry, part in zip(entries, parts, strict=True):
            entry["parts"] = part
    return entries


@dataclass(frozen=True, slots=True)
class MeasuredModel:
    """What scores one criterion, with what is known of its error.

    `tau_b` is None where undefined, `low` and `high` where its 95 % interval is; `is_unseen` is
    whether the validation references had been left out of training. `weaknesses` say where it is no
    better than chance or than a baseline: then it names no best candidate.
    """

    scoring: ScoringModel
    n: int = 0
    tau_b: float | None = None
    low: float | None = None
    high: float | None = None
    is_unseen: bool = False
    weaknesses: tuple[str, ...] = ()

    @property
    def criterion(self) -> str:
        return self.scoring.criterion

    @property
    def model(self) -> ModelVersion | None:
        return self.scoring.version

    @property
    def tie_threshold(self) -> float:
        return self.scoring.tie_threshold

    @property
    def name(self) -> str:
        return NAMES[self.criterion]

    @property
    def worth(self) -> str:
        """How far its scores agree with people, in words."""
        if self.model is None:
            return "trained on no label; a report says how far it agrees with yours"
        references = "unseen references" if self.is_unseen else "references it may have seen"
        if self.tau_b is None:
            return f"{references}: tau-b undefined, n = {self.n}"
        interval = "" if self.low is None else f" [{self.low:.2f}, {self.high:.2f}]"
        return f"{references}: tau-b {self.tau_b:.2f}{interval}, n = {self.n}"


def measured_model(scoring: ScoringModel) -> MeasuredModel:
    """Return a model with the figures that stand beside its scores."""
    model = scoring.version
    if model is None:
        return MeasuredModel(scoring)
    measured = model.card["validation"]
    # Cards of older models have no intervals.
    interval = measured.get("figures", {}).get("tau_b", {})
    card = model.run.dataset_version.card
    is_apart = card.get("split", {}).get("by") in UNSEEN
    return MeasuredModel(
        scoring,
        n=measured.get("n") or 0,
        tau_b=measured.get("tau_b"),
        low=interval.get("low"),
        high=interval.get("high"),
        is_unseen=is_apart and not card["counts"].get("texts_in_several_splits"),
        weaknesses=tuple(weaknesses(model)),
    )


def models_of(request: ScoreRequest) -> dict[str, MeasuredModel]:
    """Return the models of a request by criterion, in the order of the rubric."""
    chosen = request.models_by_criterion
    rows = ModelVersion.objects.select_related("run__dataset_version__dataset").in_bulk(
        [name for name in chosen.values() if name != PRIOR_NAME]
    )
    by_id: dict[str, ModelVersion | None] = {str(pk): row for pk, row in rows.items()}
    by_id[PRIOR_NAME] = None
    return {
        criterion: measured_model(ScoringModel(criterion, by_id[chosen[criterion]]))
        for criterion in ALL_CRITERIA
        if chosen.get(criterion) in by_id
    }


def models_for_scoring(user: User) -> list[MeasuredModel]:
    """Return what scores for the person, in the order of the rubric."""
    return [measured_model(scoring) for scoring in promoted_or_prior(user).values()]


def explanations_of(request: ScoreRequest) -> list[tuple[MeasuredModel, Explanation]]:
    """Return why each linear model scores the best candidate above the next, or one as it does.

    Requests that were scored before parts were stored, and models that are not linear, have none.
    """
    found = []
    for criterion, model in models_of(request).items():
        entries = (request.scores or {}).get(criterion, [])
        if entries and all("parts" in entry and "score" in entry for entry in entries):
            scores, parts = ([entry[key] for entry in entries] for key in ("score", "parts"))
            found.append((model, explain_scores(scores, parts)))
    return found


BEST, TIED = "best", "tied for best"


def score_page(request: ScoreRequest) -> dict[str, Any]:
    """Return what the page of a request shows; it holds no text.

    `models`, and the `weak` of them; `rows`: the number of each candidate and its cells, empty
    until it has succeeded. A cell has its `score` or `error`, and its `place`: best, tied for best,
    or nothing.
    `explanations`: models with why they score so.
    """
    found = models_of(request)
    scores = request.scores or {}
    models = [model for key, model in found.items() if not scores or key in scores]
    columns = [_column(scores[model.criterion], model) for model in models if scores]
    return {
        "models": models,
        "weak": [model for model in models if model.weaknesses],
        "rows": list(enumerate(zip(*columns, strict=True), start=1)),
        "explanations": explanations_of(request),
        "deleted_at": request.created_at + timedelta(minutes=settings.SCORE_KEEP_MINUTES),
        "waits_for_training": request.status == JobStatus.QUEUED
        and TrainingRun.objects.filter(status=JobStatus.RUNNING).exists(),
    }


def _column(entries: list[dict[str, Any]], model: MeasuredModel) -> list[dict[str, Any]]:
    """Return one model's cells; scores within its threshold of the highest are tied with it.

    A model that is no better than chance or a baseline calls none the best.
    """
    known = [entry["score"] for entry in entries if "score" in entry and not model.weaknesses]
    near = [score for score in known if score >= max(known) - model.tie_threshold]
    best = BEST if len(near) == 1 else TIED
    return [
        entry | {"place": best if len(known) > 1 and entry.get("score") in near else ""}
        for entry in entries
    ]
