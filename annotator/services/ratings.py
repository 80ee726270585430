"""Writes of ratings: submit and revise, each one transaction with its audit row."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from annotator.conflicts import ConflictRules, Finding, RatedScores, find_conflicts
from annotator.models import (
    Assignment,
    AssignmentStatus,
    AuditEvent,
    Campaign,
    Conflict,
    ConflictStatus,
    IdempotencyKey,
    Rating,
    RatingRevision,
    Reference,
    User,
)
from annotator.queries.locks import LOCKED_SENTENCE, is_locked
from annotator.refusals import OutOfDate, Refused
from annotator.rubric import overall_numerator

LONGEST_COMMENT = 20_000


def submit_rating(
    *,
    assignment_id: UUID,
    annotator: User,
    scores: Mapping[str, int],
    comment: str = "",
    error_tags: Sequence[Any] = (),
    idempotency_key: str = "",
    request_sha256: str = "",
    submitted_at: datetime | None = None,
) -> Rating:
    """Store the first rating of an assignment and open the conflicts that it causes.

    The same key with the same request returns the rating stored before. Raises Refused for bad
    values, OutOfDate for another request under the key, a second rating, an expired lease or a
    closed campaign.
    """
    fields = _clean(scores, comment, error_tags)
    try:
        with transaction.atomic():
            if known := _answered_before(annotator, idempotency_key, request_sha256):
                return known
            assignment = _lock(assignment_id, annotator)
            now = submitted_at or timezone.now()
            _refuse_unless_open(assignment)
            rating = Rating.objects.create(
                assignment=assignment,
                candidate_id=assignment.candidate_id,
                annotator=annotator,
                rubric_version=assignment.campaign.rubric_version,
                submitted_at=now,
                revised_at=now,
                **fields,
            )
            Assignment.objects.filter(pk=assignment.pk).update(status=AssignmentStatus.SUBMITTED)
            if idempotency_key:
                IdempotencyKey.objects.create(
                    user=annotator,
                    key=idempotency_key,
                    request_sha256=request_sha256,
                    rating=rating,
                )
            _record(rating, assignment, "rating.submitted", now)
            return rating
    except IntegrityError as error:
        # Two equal requests met: the other one won, and its answer is this one's too.
        if known := _answered_before(annotator, idempotency_key, request_sha256):
            return known
        raise OutOfDate("This candidate has been rated by you already.") from error


def revise_rating(
    *,
    rating_id: UUID,
    annotator: User,
    version: int,
    scores: Mapping[str, int],
    comment: str = "",
    error_tags: Sequence[Any] = (),
) -> Rating:
    """Change a rating that is not locked, keep the earlier one, measure its conflicts again.

    `version` is the one that the person saw; OutOfDate when another revision came between.
    """
    fields = _clean(scores, comment, error_tags)
    with transaction.atomic():
        rating = Rating.objects.select_related("assignment").get(pk=rating_id, annotator=annotator)
        assignment = _lock(rating.assignment_id, annotator)
        if is_locked(assignment):
            raise OutOfDate(LOCKED_SENTENCE)
        now = timezone.now()
        changed = Rating.objects.filter(pk=rating.pk, version=version).update(
            version=version + 1, revised_at=now, **fields
        )
        if not changed:
            raise OutOfDate("This rating was changed elsewhere since you opened it.")
        rating.refresh_from_db()
        _record(rating, assignment, "rating.revised", now)
        return rating


def _clean(scores: Mapping[str, int], comment: str, error_tags: Sequence[Any]) -> dict[str, Any]:
    try:
        numerator = overall_numerator(scores)
    except ValueError as error:
        raise Refused(str(error)) from error
    if len(comment) > LONGEST_COMMENT:
        reason = f"A comment may have {LONGEST_COMMENT:,} characters; this has {len(comment):,}."
        raise Refused(reason, {"comment": [reason]})
    if "\x00" in comment:
        raise Refused("The comment holds a NUL character.", {"comment": ["NUL character."]})
    return {
        **scores,
        "overall_numerator": numerator,
        "comment": comment,
        "error_tags": list(error_tags),
    }


def _lock(assignment_id: UUID, annotator: User) -> Assignment:
    """Return the assignment with its reference locked: conflicts are measured one at a time."""
    assignment = Assignment.objects.select_related("campaign", "candidate").get(
        pk=assignment_id, annotator=annotator
    )
    Reference.objects.select_for_update().get(pk=assignment.candidate.reference_id)
    return assignment


def _answered_before(annotator: User, key: str, request_sha256: str) -> Rating | None:
    known = (
        IdempotencyKey.objects.select_related("rating").filter(user=annotator, key=key).first()
        if key
        else None
    )
    if known and known.request_sha256 != request_sha256:
        raise OutOfDate("This Idempotency-Key was used for another request.")
    return known.rating if known else None


def _refuse_unless_open(assignment: Assignment) -> None:
    if Rating.objects.filter(assignment=assignment).exists():
        raise OutOfDate("This candidate has been rated by you already.")
    if not assignment.campaign.is_open:
        raise OutOfDate("The campaign is closed; ratings are no longer taken.")
    expires = assignment.lease_expires_at
    if expires and expires < timezone.now():
        others = Assignment.objects.filter(candidate_id=assignment.candidate_id)
        taken = others.exclude(pk=assignment.pk).count()
        if taken >= assignment.campaign.overlap:
            raise OutOfDate("Your time for this candidate ran out and it was given to another.")


def _record(rating: Rating, assignment: Assignment, action: str, now: datetime) -> None:
    RatingRevision.objects.create(
        rating=rating,
        number=rating.version,
        made_at=now,
        overall_numerator=rating.overall_numerator,
        comment=rating.comment,
        error_tags=rating.error_tags,
        **rating.scores,
    )
    AuditEvent.objects.create(
        actor_id=rating.annotator_id,
        campaign=assignment.campaign,
        action=action,
        object_type="rating",
        object_id=str(rating.pk),
        details={"version": rating.version, "scores": rating.scores},
    )
    _measure_conflicts(assignment.campaign, assignment.candidate.reference_id, now)


def _measure_conflicts(campaign: Campaign, reference_id: UUID, now: datetime) -> None:
    """Make the conflict rows of a reference say what its ratings show now."""
    ratings = Rating.objects.filter(candidate__reference_id=reference_id)
    rules = ConflictRules(
        campaign.criterion_gap,
        campaign.overall_gap_numerator,
        campaign.flip_gap_numerator,
    )
    found = {
        (f.kind, f.candidate, f.other_candidate, f.criterion): f
        for f in find_conflicts(
            [
                RatedScores(
                    str(r.annotator_id),
                    str(r.candidate_id),
                    r.scores,
                    r.overall_numerator,
                )
                for r in ratings
            ],
            rules,
        )
    }
    for row in Conflict.objects.filter(candidate__reference_id=reference_id):
        key = (
            row.kind,
            str(row.candidate_id),
            str(row.other_candidate_id or ""),
            row.criterion,
        )
        finding = found.pop(key, None)
        row.status = ConflictStatus.OPEN if finding else ConflictStatus.LAPSED
        row.gap = finding.gap if finding else row.gap
        row.save(update_fields=["status", "gap"])
    for finding in found.values():
        _open_conflict(campaign, finding, now)


def _open_conflict(campaign: Campaign, finding: Finding, now: datetime) -> None:
    conflict = Conflict.objects.create(
        campaign=campaign,
        candidate_id=finding.candidate,
        other_candidate_id=finding.other_candidate or None,
        kind=finding.kind,
        criterion=finding.criterion,
        gap=finding.gap,
        opened_at=now,
    )
    AuditEvent.objects.create(
        campaign=campaign,
        action="conflict.opened",
        object_type="conflict",
        object_id=str(conflict.pk),
        details={
            "kind": finding.kind,
            "criterion": finding.criterion,
            "gap": finding.gap,
        },
    )
