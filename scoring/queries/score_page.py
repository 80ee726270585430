"""What the page of a score request shows: a row per candidate, a column per model."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings

from annotator.jobs.rows import JobStatus
from annotator.rubric import ALL_CRITERIA
from scoring.models import ScoreRequest, TrainingRun
from scoring.queries.promotions import no_model
from scoring.queries.scores import ScoringModel, models_of

BEST, TIED = "best", "tied for best"


@dataclass(frozen=True, slots=True)
class ScoreCell:
    """One score, or why there is none; `place` says best, tied for best, or nothing."""

    score: float | None
    error: str
    place: str = ""


@dataclass(frozen=True, slots=True)
class ScorePage:
    """A request with its models; `rows` are empty until it has succeeded.

    `missing` says which criteria had no model, and what to do.
    """

    models: tuple[ScoringModel, ...]
    rows: tuple[tuple[int, tuple[ScoreCell, ...]], ...]
    missing: str
    deleted_at: datetime
    waits_for_training: bool


def score_page(request: ScoreRequest) -> ScorePage:
    """Return what the page of a request shows; it holds no text."""
    found = models_of(request)
    scores = request.scores or {}
    models = tuple(model for key, model in found.items() if not scores or key in scores)
    columns = [_column(scores[model.criterion], model.tie_threshold) for model in models if scores]
    return ScorePage(
        models=models,
        rows=tuple(enumerate(zip(*columns, strict=True), start=1)),
        missing=no_model([key for key in ALL_CRITERIA if key not in found]),
        deleted_at=request.created_at + timedelta(minutes=settings.SCORE_KEEP_MINUTES),
        waits_for_training=request.status == JobStatus.QUEUED
        and TrainingRun.objects.filter(status=JobStatus.RUNNING).exists(),
    )


def _column(entries: list[dict[str, Any]], tie_threshold: float) -> list[ScoreCell]:
    """Return one model's cells; scores within its threshold of the highest are tied with it."""
    known = [entry["score"] for entry in entries if "score" in entry]
    near = [score for score in known if score >= max(known) - tie_threshold]
    best = BEST if len(near) == 1 else TIED
    return [
        ScoreCell(
            entry.get("score"),
            entry.get("error", ""),
            best if len(known) > 1 and entry.get("score") in near else "",
        )
        for entry in entries
    ]
