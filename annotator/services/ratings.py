"""Writes of ratings: submit and revise, each one transaction with its audit row."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, connection, transaction
from django.db.models import Subquery

from annotator.clock import database_now
from annotator.formats.free_text import check_words
from annotator.models import (
    Assignment,
    AssignmentStatus,
    Candidate,
    IdempotencyKey,
    Rating,
    RatingRevision,
    Reference,
    RoundKind,
    User,
)
from annotator.queries.access import assignments_for
from annotator.queries.adjudicators import has_ruled_on
from annotator.queries.circumstances import circumstances_of
from annotator.queries.locks import LOCKED_SENTENCE, is_locked
from annotator.refusals import Forbidden, OutOfDate, Refused
from annotator.rubric import overall_numerator
from annotator.services import audit
from annotator.services.measured_conflicts import measure_conflicts
from annotator.services.places import hold_place
from annotator.services.round_answers import answer_by_rating, answer_by_second_look
from annotator.typology import clean_tags

LONGEST_COMMENT = 20_000
RULED_ON_IT = "You have ruled on this candidate, so it is not yours to rate; give it back."
LONGEST_ACTIVE_SECONDS = 10**6
# What a submit looks at, of the assignment and of what is joined to it.
LOOKED_AT = (
    *("label", "status", "annotator_id", "lease_expires_at", "candidate__reference_id"),
    *("rating__version", "work_time__seconds", "draft__version"),
    *(
        f"campaign__{name}"
        for name in (
            *("slug", "status", "overlap", "rubric_version", "revision_hours"),
            *("criterion_gap", "overall_gap_numerator", "flip_gap_numerator"),
            *("has_ladder", "rules_version"),
        )
    ),
)


def submit_rating(
    *,
    assignment_id: UUID,
    annotator: User,
    scores: Mapping[str, int],
    comment: str = "",
    note: str = "",
    error_tags: Sequence[Any] = (),
    shown: Mapping[str, bool] | None = None,
    draft_version: int | None = None,
    idempotency_key: str = "",
    request_sha256: str = "",
    submitted_at: datetime | None = None,
) -> Rating:
    """Store the first rating of an assignment and open the conflicts that it causes.

    The same key with the same request returns the rating stored before. `shown` says which
    reading aids were on the screen; `draft_version` which draft this ends: None, from a program,
    ends none. Raises Refused for bad values, OutOfDate for another request under the key, a second
    rating, a newer draft from another tab, a place given to somebody else, or a closed campaign.
    """
    fields = _clean(scores, comment, note) | {"shown": dict(shown or {})}
    try:
        with transaction.atomic():
            assignment = _lock(assignment_id, annotator)
            now = submitted_at or database_now()
            # A key that was used for another assignment is found when it is stored, below.
            if hasattr(assignment, "rating") and (
                known := _answered_before(annotator, idempotency_key, request_sha256)
            ):
                return known
            _refuse_unless_open(assignment)
            _end_draft(assignment, draft_version)
            fields |= _worked(assignment, error_tags)
            asked = circumstances_of(assignment)
            is_further = asked.round_kind in (RoundKind.LADDER, RoundKind.ANOTHER)
            rating = Rating.objects.create(
                assignment=assignment,
                candidate_id=assignment.candidate_id,
                annotator=annotator,
                rubric_version=assignment.campaign.rubric_version,
                is_blind=asked.is_blind,
                round=asked.round_number if is_further else 1,
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
            if is_further:
                answer_by_rating(assignment=assignment, now=now)
            _record(rating, assignment, "rating.submitted", now)
            return rating
    except IntegrityError as error:
        # Two equal requests met: the other one won, and its answer is this one's too.
        if known := _answered_before(annotator, idempotency_key, request_sha256):
            return known
        if has_ruled_on(annotator, _candidate_of(assignment_id)):
            raise Forbidden(RULED_ON_IT) from error
        raise OutOfDate("This candidate has been rated by you already.") from error


def _candidate_of(assignment_id: UUID) -> list[UUID]:
    rows = Assignment.objects.filter(pk=assignment_id)
    return list(rows.values_list("candidate_id", flat=True))


def revise_rating(
    *,
    rating_id: UUID,
    annotator: User,
    version: int,
    scores: Mapping[str, int],
    comment: str = "",
    note: str = "",
    error_tags: Sequence[Any] = (),
    shown: Mapping[str, bool] | None = None,
    draft_version: int | None = None,
) -> Rating:
    """Change a rating that is not locked, keep the earlier one, measure its conflicts again.

    `version` is the one that the person saw; OutOfDate when another revision came between.
    """
    fields = _clean(scores, comment, note) | {"shown": dict(shown or {})}
    with transaction.atomic():
        rating = Rating.objects.select_related("assignment").get(pk=rating_id, annotator=annotator)
        assignment = _lock(rating.assignment_id, annotator)
        if is_locked(assignment):
            raise OutOfDate(LOCKED_SENTENCE)
        _end_draft(assignment, draft_version)
        now = database_now()
        asked = circumstances_of(assignment)
        fields |= _worked(assignment, error_tags)
        # What was once given with open eyes stays so.
        fields["is_blind"] = rating.is_blind and asked.is_blind
        looks_again = asked.round_kind == RoundKind.AGAIN
        if looks_again:
            fields["round"] = asked.round_number
        changed = Rating.objects.filter(pk=rating.pk, version=version).update(
            version=version + 1, revised_at=now, **fields
        )
        if not changed:
            raise OutOfDate("This rating was changed elsewhere since you opened it.")
        rating.refresh_from_db()
        if looks_again:
            answer_by_second_look(assignment=assignment, now=now)
        _record(rating, assignment, "rating.revised", now)
        return rating


def _clean(scores: Mapping[str, int], comment: str, note: str) -> dict[str, Any]:
    try:
        numerator = overall_numerator(scores)
    except ValueError as error:
        raise Refused(str(error)) from error
    for name, text in (("comment", comment), ("note", note)):
        check_words(name, text, longest=LONGEST_COMMENT)
    return {**scores, "overall_numerator": numerator, "comment": comment, "note": note}


def _worked(assignment: Assignment, error_tags: Sequence[Any]) -> dict[str, Any]:
    """Return the tags as they are stored, and the active seconds so far."""
    tags = _clean_tags(assignment, error_tags) if error_tags else []
    seconds = assignment.work_time.seconds if hasattr(assignment, "work_time") else 0
    active = min(round(seconds), LONGEST_ACTIVE_SECONDS)
    return {"error_tags": tags, "active_seconds": active}


def _clean_tags(assignment: Assignment, error_tags: Sequence[Any]) -> list[dict[str, Any]]:
    candidate = assignment.candidate
    texts = {"candidate": candidate.claims, "reference": candidate.reference.claims}
    try:
        return clean_tags(error_tags, texts)
    except ValueError as error:
        raise Refused(str(error), {"error_tags": [str(error)]}) from error


def _lock(assignment_id: UUID, annotator: User) -> Assignment:
    """Return the assignment with its reference locked: conflicts are measured one at a time.

    Raises Assignment.DoesNotExist for one that is not theirs, or in a campaign they have left.
    """
    own = assignments_for(annotator).filter(pk=assignment_id)
    if connection.features.has_select_for_update:
        # SQLite's transactions wait for each other as they are.
        # Each key is looked up once, whatever PostgreSQL believes of the tables: with joins, and no
        # statistics yet of rows just imported, it compared every row with every other for minutes.
        candidate = Assignment.objects.filter(pk=assignment_id).values("candidate_id")
        reference = Candidate.objects.filter(pk=Subquery(candidate)).values("reference_id")
        # Of the reference only: who leaves or lapses an assignment locks it before its candidate.
        locked = Reference.objects.select_for_update(of=("self",), no_key=True).only("pk")
        list(locked.filter(pk=Subquery(reference)))
    # Everything that a submit looks at comes in one row, read after the lock, and nothing else:
    # the texts, which only placed error tags need, follow when they are asked for.
    joined = ("campaign", "candidate", "rating", "work_time", "draft")
    row = own.select_related(None).select_related(*joined).only(*LOOKED_AT)
    return row.select_for_update(of=("self",), no_key=True).get()


def _answered_before(annotator: User, key: str, request_sha256: str) -> Rating | None:
    known = IdempotencyKey.objects.filter(user=annotator, key=key).first() if key else None
    if known and known.request_sha256 != request_sha256:
        raise OutOfDate("This Idempotency-Key was used for another request.")
    return known.rating if known else None


def _refuse_unless_open(assignment: Assignment) -> None:
    if hasattr(assignment, "rating"):
        raise OutOfDate("This candidate has been rated by you already.")
    if not assignment.campaign.is_open:
        raise OutOfDate("The campaign is closed; ratings are no longer taken.")
    if assignment.status in (AssignmentStatus.SKIPPED, AssignmentStatus.RECUSED):
        raise OutOfDate("You have left this candidate; take it back before you rate it.")
    if assignment.status == AssignmentStatus.WITHDRAWN:
        raise OutOfDate("The campaign's admin has taken this candidate back.")
    # A lease that ran out does no harm while nobody else has taken the place.
    is_lapsed = assignment.status == AssignmentStatus.LAPSED
    if is_lapsed and not hold_place(assignment.candidate_id):
        raise OutOfDate("Your time for this candidate ran out and it was given to another.")


def _end_draft(assignment: Assignment, version: int | None) -> None:
    """Delete the draft that became this rating, and no other that was typed elsewhere."""
    if version is None or not hasattr(assignment, "draft"):
        return
    if assignment.draft.version != version:
        raise OutOfDate("Another tab has typed more into this form since; both are shown here.")
    assignment.draft.delete()


def _record(rating: Rating, assignment: Assignment, action: str, now: datetime) -> None:
    RatingRevision.objects.create(
        rating=rating,
        number=rating.version,
        made_at=now,
        overall_numerator=rating.overall_numerator,
        comment=rating.comment,
        note=rating.note,
        error_tags=rating.error_tags,
        shown=rating.shown,
        active_seconds=rating.active_seconds,
        is_blind=rating.is_blind,
        round=rating.round,
        **rating.scores,
    )
    audit.record(
        actor=rating.annotator_id,
        campaign=assignment.campaign,
        action=action,
        object_type="rating",
        object_id=rating.pk,
        details={"version": rating.version, "scores": rating.scores},
    )
    candidate = assignment.candidate
    measure_conflicts(assignment.campaign, candidate.reference_id, now, rated=candidate.pk)
