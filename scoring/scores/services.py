"""Writes of score requests: asked for, answered from the cache or by a worker, deleted."""

import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db import transaction

from annotator import audit_log
from annotator.access.visibility import judges_meanwhile
from annotator.models import User
from annotator.rate_limits import RateLimit, refuse_haste
from core.clock import database_now
from core.errors import Forbidden, Refused, TooOften
from core.jobs import leases
from core.jobs.rows import FINAL_STATUSES, JobStatus
from core.jobs.running import run_job
from patclaimeval.limits import CANDIDATES, claim_set_problem
from patclaimeval.models.errors import PatClaimEvalError
from patclaimeval.rubric import ALL_CRITERIA
from patclaimeval.text_io.shapes import is_blank
from scoring.models import DatasetVersion, ScoreRequest
from scoring.scores.occlusions import compared, occluded_pairs
from scoring.scores.queries import entries_of, known_scores, models_of, pairs_of, texts_of
from scoring.scores.scorers import ScoringModel, cached_scorer, promoted_or_prior

MOST_WAITING: Final = 10
OF_SCORES: Final = RateLimit("scores", 120, 0.5)
RENEW_EVERY_SECONDS: Final = 0.5


def request_scores(
    *,
    reference: str,
    candidates: Sequence[str],
    criteria: Sequence[str] | None = None,
    explain: bool = False,
    asked_by: User,
) -> ScoreRequest:
    """Return a request for scores; it is done if the cache has them all, and nothing is left out.

    A criterion's promoted model scores, or PatClaimEval-0 where none is promoted. `criteria` None
    means all. With `explain`, encoders are explained, too. Raises Refused naming the field,
    Forbidden for who rates meanwhile, TooOften where too many wait.
    """
    refuse_haste(OF_SCORES, asked_by, "Scores")
    if judges_meanwhile(asked_by):
        raise Forbidden("Model scores are withheld from who rates or adjudicates meanwhile.")
    _refuse_texts(reference, candidates)
    models = _models(criteria, asked_by)
    texts = reference, list(candidates)
    is_occluded = explain and not all(model.is_linear for model in models.values())
    known = None if is_occluded else known_scores(models, pairs_of(texts))
    request = ScoreRequest(
        reference_text=reference,
        candidate_texts=texts[1],
        explains=explain,
        models_by_criterion={key: model.id for key, model in models.items()},
        scores=known,
    )
    return _ask(request, asked_by)


def request_occlusion(
    *, version: DatasetVersion, row_number: int, model: ScoringModel, asked_by: User
) -> ScoreRequest:
    """Return a request to explain an encoder's scores of a row, whose texts stay where they are.

    Callers have looked whether the person may see the row's scores; they are not told the texts.
    Raises Refused for a model that is explained without it, TooOften where too many wait.
    """
    refuse_haste(OF_SCORES, asked_by, "Scores")
    if model.is_linear:
        raise Refused("A linear model is explained at once: look below the claims.")
    request = ScoreRequest(
        dataset_version=version,
        row_number=row_number,
        candidate_texts=[],
        explains=True,
        models_by_criterion={model.criterion: model.id},
    )
    return _ask(request, asked_by)


@transaction.atomic
def _ask(request: ScoreRequest, asked_by: User) -> ScoreRequest:
    """Store a request, done where it has its scores."""
    # Two requests at once are counted one after the other.
    list(User.objects.select_for_update(no_key=True).filter(pk=asked_by.pk))
    waiting = ScoreRequest.objects.filter(asked_by=asked_by).exclude(status__in=FINAL_STATUSES)
    is_done = request.scores is not None
    if not is_done and waiting.count() >= MOST_WAITING:
        raise TooOften(f"{MOST_WAITING} of your requests wait already; read them first.")
    request.asked_by = asked_by
    request.status = JobStatus.SUCCEEDED if is_done else JobStatus.QUEUED
    request.progress = float(is_done)
    request.finished_at = database_now() if is_done else None
    request.message = "Scored before." if is_done else "Waiting for a worker."
    request.save()
    _record("scores.requested", request, asked_by)
    return request


def carry_out_scores(pk: UUID | str) -> None:
    """Claim a request, score it, and end in one final state.

    What a worker that died has scored is in the cache, and is not scored again.
    """
    run_job(
        ScoreRequest,
        pk,
        _score,
        noun="Scoring",
        on_success=lambda request: _record("scores.finished", request, request.asked_by),
        on_failure=lambda request: _record("scores.failed", request, None),
    )


@transaction.atomic
def delete_scores(*, request: ScoreRequest, deleted_by: User) -> None:
    """Delete a request with its texts and scores; a worker that has it finds it gone."""
    count, _ = ScoreRequest.objects.filter(pk=request.pk).delete()
    if count:
        _record("scores.deleted", request, deleted_by)


@transaction.atomic
def delete_old_scores() -> int:
    """Delete the requests whose time is over, done or not; return how many."""
    until = database_now() - timedelta(minutes=settings.SCORE_KEEP_MINUTES)
    rows = ScoreRequest.objects.select_for_update(no_key=True, skip_locked=True)
    ids = list(rows.filter(created_at__lt=until).values_list("pk", flat=True))
    ScoreRequest.objects.filter(pk__in=ids).delete()
    audit_log.record_each(
        action="scores.expired", object_type="score_request", details_by_id=((pk, {}) for pk in ids)
    )
    return len(ids)


def _score(request: ScoreRequest, check: Callable[[], None]) -> dict[str, Any]:
    """Score by criterion; a model that cannot score stores its error in place of its scores."""
    models, texts = models_of(request), texts_of(request)
    pairs = pairs_of(texts)
    explained = {
        criterion
        for criterion, model in models.items()
        if request.explains and not model.scoring.is_linear
    }
    # What is left out of the first two is about as much as of the two that will lead.
    more = len(occluded_pairs(texts, range(len(pairs))[:2])) if explained else 0
    total = max(1, len(models) * len(pairs) + len(explained) * more)
    done, renewed_at = 0, time.monotonic()

    def on_step(count: int) -> None:
        nonlocal done, renewed_at
        check()
        done += count
        if time.monotonic() - renewed_at >= RENEW_EVERY_SECONDS:
            leases.renew_lease(request, progress=min(1.0, done / total), message="Scoring.")
            renewed_at = time.monotonic()

    found: dict[str, Any] = {}
    occluded: dict[str, list[float | None]] = {}
    reasons = []
    for number, (criterion, scoring) in enumerate(models.items(), start=1):
        leases.renew_lease(request, progress=done / total, message=f"Scoring {scoring.name}.")
        try:
            scorer = cached_scorer(scoring.scoring)
            scores = scorer.score(pairs, on_step, with_parts=scoring.scoring.is_linear)
            found[criterion] = entries_of(scores)
            if criterion in explained:
                left = scorer.score(occluded_pairs(texts, compared(found[criterion])), on_step)
                occluded[criterion] = [score.value for score in left]
        except PatClaimEvalError as error:
            reasons.append(f"{scoring.name}: {error}")
            found[criterion] = [{"error": str(error)}] * len(pairs)
        done = number * len(pairs) + more * len(explained & {*list(models)[:number]})
    if len(reasons) == len(models):
        raise Refused(" ".join(reasons) or "The models of this request are gone.")
    return {"scores": found, "occluded_scores": occluded or None}


def _models(criteria: Sequence[str] | None, user: User) -> dict[str, ScoringModel]:
    if criteria is None:
        criteria = list(ALL_CRITERIA)
    unknown = [name for name in criteria if name not in ALL_CRITERIA]
    if unknown or not criteria:
        sentence = f"Choose from {', '.join(ALL_CRITERIA)}."
        raise Refused(f"criteria: {sentence}", {"criteria": [sentence]})
    return {key: one for key, one in promoted_or_prior(user).items() if key in criteria}


def _refuse_texts(reference: str, candidates: Sequence[str]) -> None:
    """Refuse by field; candidates are counted from 1, and no text is quoted."""
    wrong = {"reference": _text_reasons("The reference", reference)}
    if not candidates:
        wrong["candidates"] = ["Give at least one candidate."]
    elif len(candidates) > CANDIDATES:
        wrong["candidates"] = [f"Give at most {CANDIDATES} candidates at once."]
    else:
        wrong["candidates"] = [
            reason
            for number, text in enumerate(candidates, start=1)
            for reason in _text_reasons(f"Candidate {number}", text)
        ]
    fields = {name: reasons for name, reasons in wrong.items() if reasons}
    if fields:
        raise Refused(" ".join(reason for row in fields.values() for reason in row), fields)


def _text_reasons(what: str, text: str) -> list[str]:
    if is_blank(text):
        return [f"{what} is empty."]
    if problem := claim_set_problem(text):
        return [f"{what} has {problem}."]
    return []


def _record(action: str, request: ScoreRequest, actor: User | None) -> None:
    version = request.dataset_version
    audit_log.record(
        actor=actor,
        campaign=None if version is None else version.dataset.campaign,
        action=action,
        object_type="score_request",
        object_id=request.pk,
        details={
            "candidates": len(request.candidate_texts) if version is None else 2,
            "models": sorted(request.models_by_criterion.values()),
        }
        | ({} if version is None else {"dataset": str(version), "row": request.row_number}),
    )
