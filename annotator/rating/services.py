"""Ratings submitted and revised, each in one transaction with its audit row; skips and recusals."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Unpack
from uuid import UUID

from django.db import IntegrityError, connection, transaction
from django.db.models import Q, Subquery

from annotator import audit_log
from annotator.access.locks import lock_open_campaign
from annotator.access.scopes import annotators_own, has_ruled_on, in_reach, recused_references
from annotator.assignments.services import add_places, free_place, hold_place, renew_lease
from annotator.conflicts.queries import LOCKED_SENTENCE, circumstances_of, is_locked
from annotator.conflicts.services import (
    answer_by_rating,
    answer_by_second_look,
    assign_further,
    measure_conflicts,
)
from annotator.models import (
    Assignment,
    AssignmentStatus,
    Candidate,
    Departure,
    DepartureKind,
    DepartureReason,
    Flag,
    FlagReason,
    IdempotencyKey,
    Rating,
    RatingRevision,
    Reference,
    RoundKind,
    User,
)
from annotator.rating.calibration.queries import refuse_uncalibrated
from annotator.rating.queries import RECUSED_SENTENCE, open_of_reference, recusals
from annotator.rating_values import COLUMNS, ERROR_TAGS, LONGEST_TEXT, Given, texts_of
from annotator.typology import clean_tags
from core.clock import database_now
from core.errors import Forbidden, OutOfDate, Refused
from core.shapes import LONGEST_REASON, check_text
from patclaimeval.rubric import overall_numerator

RULED_ON_IT = "You have ruled on this candidate, so you cannot rate it. Skip it."
LONGEST_ACTIVE_SECONDS = 10**6


def submit_rating(
    *,
    assignment_id: UUID,
    annotator: User,
    shown: Mapping[str, bool] | None = None,
    draft_version: int | None = None,
    idempotency_key: str = "",
    request_sha256: str = "",
    submitted_at: datetime | None = None,
    **given: Unpack[Given],
) -> Rating:
    """Store the first rating of an assignment and open the conflicts that it causes.

    The same key with the same request returns the rating stored before. `shown` is which
    reading aids were on the screen; `draft_version` which draft this ends: None, from a program,
    ends none. Raises Refused for bad values, OutOfDate for another request under the key, a second
    rating, a newer draft from another tab, a place given to somebody else, or a closed campaign.
    """
    fields = _checked(given, shown)
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
            refuse_uncalibrated(assignment.campaign, annotator)
            _end_draft(assignment, draft_version)
            fields |= _at_work(assignment, given)
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
            own = Assignment.objects.filter(pk=assignment.pk)
            own.update(status=AssignmentStatus.SUBMITTED)
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
        candidates = Assignment.objects.filter(pk=assignment_id).values_list("candidate_id")
        if has_ruled_on(annotator, [pk for (pk,) in candidates]):
            raise Forbidden(RULED_ON_IT) from error
        raise OutOfDate("You have already rated this candidate.") from error


def revise_rating(
    *,
    rating_id: UUID,
    annotator: User,
    version: int,
    shown: Mapping[str, bool] | None = None,
    draft_version: int | None = None,
    **given: Unpack[Given],
) -> Rating:
    """Change a rating that is not locked, store the earlier one, measure its conflicts again.

    `version` is the one that the person saw; OutOfDate when another revision came between, or
    when its author has recused themselves from the reference.
    """
    fields = _checked(given, shown)
    with transaction.atomic():
        rating = Rating.objects.select_related("assignment").get(pk=rating_id, annotator=annotator)
        assignment = _lock(rating.assignment_id, annotator)
        if recused_references(annotator.pk).filter(
            candidate__reference=assignment.candidate.reference_id
        ):
            raise OutOfDate(RECUSED_SENTENCE)
        if is_locked(assignment):
            raise OutOfDate(LOCKED_SENTENCE)
        _end_draft(assignment, draft_version)
        now = database_now()
        asked = circumstances_of(assignment)
        fields |= _at_work(assignment, given)
        # What was once given with open eyes stays so.
        fields["is_blind"] = rating.is_blind and asked.is_blind
        looks_again = asked.round_kind == RoundKind.AGAIN
        if looks_again:
            fields["round"] = asked.round_number
        changed = Rating.objects.filter(pk=rating.pk, version=version).update(
            version=version + 1, revised_at=now, **fields
        )
        if not changed:
            raise OutOfDate("This rating was changed elsewhere after you opened it.")
        rating.refresh_from_db()
        if looks_again:
            answer_by_second_look(assignment=assignment, now=now)
        _record(rating, assignment, "rating.revised", now)
        return rating


def _checked(given: Given, shown: Mapping[str, bool] | None) -> dict[str, Any]:
    """Return the columns that need nothing of the assignment."""
    try:
        numerator = overall_numerator(given["scores"])
    except ValueError as error:
        raise Refused(str(error)) from error
    texts = texts_of(given)
    for name, text in texts.items():
        check_text(name, text, longest=LONGEST_TEXT)
    of_work = {"overall_numerator": numerator, "shown": dict(shown or {})}
    return {**given["scores"], **texts, **of_work}


def _at_work(assignment: Assignment, given: Given) -> dict[str, Any]:
    """Return the columns that hang on the texts, and on the time that was worked on them."""
    seconds = assignment.work_time.seconds if hasattr(assignment, "work_time") else 0
    tags = given.get("error_tags", ())
    if tags:
        candidate = assignment.candidate
        texts = {"candidate": candidate.claims, "reference": candidate.reference.claims}
        try:
            tags = clean_tags(tags, texts)
        except ValueError as error:
            raise Refused.at("error_tags", str(error)) from error
    return {ERROR_TAGS: list(tags), "active_seconds": min(round(seconds), LONGEST_ACTIVE_SECONDS)}


def _lock(assignment_id: UUID, annotator: User) -> Assignment:
    """Return the assignment with its reference locked: conflicts are measured one at a time.

    Raises Assignment.DoesNotExist for one that is not theirs, or in a campaign they have left.
    """
    if connection.features.has_select_for_update:
        # SQLite's transactions wait for each other as they are. Each key is looked up once: with
        # joins, and no statistics yet of rows just imported, PostgreSQL compared every row with
        # every other for minutes.
        candidate = Assignment.objects.filter(pk=assignment_id).values("candidate_id")
        reference = Candidate.objects.filter(pk=Subquery(candidate)).values("reference_id")
        # Of the reference only: who leaves or lapses an assignment locks it before its candidate.
        locked = Reference.objects.select_for_update(of=("self",), no_key=True)
        locked.filter(pk=Subquery(reference)).values_list("pk").first()
    # The texts, which only placed error tags need, follow when they are asked for.
    rows = annotators_own(annotator.pk).filter(in_reach(annotator)).defer("candidate__claims")
    rows = rows.select_related("campaign", "candidate", "rating", "work_time", "draft")
    return rows.select_for_update(of=("self",), no_key=True).get(pk=assignment_id)


def _answered_before(annotator: User, key: str, request_sha256: str) -> Rating | None:
    known = IdempotencyKey.objects.filter(user=annotator, key=key).first() if key else None
    if known and known.request_sha256 != request_sha256:
        raise OutOfDate("This Idempotency-Key was used for another request.")
    return known.rating if known else None


def _refuse_unless_open(assignment: Assignment) -> None:
    if hasattr(assignment, "rating"):
        raise OutOfDate("You have already rated this candidate.")
    if not assignment.campaign.is_open:
        raise OutOfDate("The campaign is closed; ratings are no longer taken.")
    if assignment.status in (AssignmentStatus.SKIPPED, AssignmentStatus.RECUSED):
        raise OutOfDate("You left this candidate. Take it back before you rate it.")
    if assignment.status == AssignmentStatus.WITHDRAWN:
        raise OutOfDate("This candidate is no longer assigned to you.")
    # A lease that ran out does no harm while nobody else has taken the place.
    is_lapsed = assignment.status == AssignmentStatus.LAPSED
    if is_lapsed and not hold_place(assignment.candidate_id):
        raise OutOfDate("Your lease of this candidate expired, and another annotator has it now.")


def _end_draft(assignment: Assignment, version: int | None) -> None:
    """Delete the draft that became this rating, and no other that was typed elsewhere."""
    if version is None or not hasattr(assignment, "draft"):
        return
    if assignment.draft.version != version:
        raise OutOfDate("Another tab has a newer draft of this form; both are shown here.")
    assignment.draft.delete()


def _record(rating: Rating, assignment: Assignment, action: str, now: datetime) -> None:
    RatingRevision.objects.create(
        rating=rating,
        number=rating.version,
        made_at=now,
        **{name: getattr(rating, name) for name in COLUMNS},
    )
    said = {"version": rating.version, "scores": rating.scores}
    audit_log.record_on(rating, action, rating.annotator_id, assignment.campaign, **said)
    measure_conflicts(assignment.campaign, assignment.candidate.reference_id, now)


@transaction.atomic
def skip_assignment(*, assignment: Assignment, reason_code: str, reason: str = "") -> Departure:
    """Leave one candidate unrated, its place free for somebody else; the draft stays.

    Refused without a known reason; OutOfDate when it is rated, or left already.
    """
    if reason_code == DepartureReason.CONFLICT_OF_INTEREST:
        raise Refused(
            "A conflict of interest concerns the whole reference: recuse yourself instead.",
            {"reason_code": ["Recuse yourself instead."]},
        )
    _check(reason_code, DepartureReason.values, reason)
    lock_open_campaign(assignment.campaign_id)
    _leave(assignment, AssignmentStatus.SKIPPED)
    return _depart(assignment, DepartureKind.SKIP, reason_code, reason, database_now())


@transaction.atomic
def recuse(*, assignment: Assignment, reason: str = "") -> Sequence[Departure]:
    """Withdraw an annotator from a whole reference for a conflict of interest.

    Every open assignment of the reference leaves them; what was assigned by name goes to the
    annotator of the campaign with the least open work who may rate it, if there is one. What is
    rated already stays, and the audit trail shows that the recusal came after it.
    """
    _check(DepartureReason.CONFLICT_OF_INTEREST, DepartureReason.values, reason)
    lock_open_campaign(assignment.campaign_id)
    now = database_now()
    departures = []
    for row in open_of_reference(assignment).select_related("campaign", "candidate"):
        was_open = row.status == AssignmentStatus.OPEN
        _leave(row, AssignmentStatus.RECUSED)
        departure = _depart(
            row, DepartureKind.RECUSAL, DepartureReason.CONFLICT_OF_INTEREST, reason, now
        )
        # Given by name: to somebody else then, if anybody can take it. The place of a skipped one
        # may be taken already: then nobody else is given it as well.
        if (
            row.lease_expires_at is None
            and (was_open or row.candidate.has_room)
            and (further := assign_further(candidate=row.candidate))
        ):
            came = {"from": str(row.pk)}
            audit_log.record_on(further, "assignment.rerouted", row.annotator_id, **came)
            departure.rerouted_to = further
            departure.save(update_fields=["rerouted_to"])
        departures.append(departure)
    if not departures:
        raise OutOfDate("Nothing of this reference is open for you any more.")
    return departures


@transaction.atomic
def return_to(*, assignment: Assignment) -> None:
    """Take a skipped candidate back, if its place is still free."""
    lock_open_campaign(assignment.campaign_id)
    rows = Assignment.objects.filter(pk=assignment.pk, status=AssignmentStatus.SKIPPED)
    # The status first: whoever changes it holds the place, and a refusal below undoes it.
    if not rows.update(status=AssignmentStatus.OPEN):
        raise OutOfDate("This candidate was not skipped, or is yours again already.")
    if assignment.lease_expires_at is None:
        add_places([assignment.candidate_id])
    elif not hold_place(assignment.candidate_id):
        raise OutOfDate("Somebody else has taken this candidate in the meantime.")
    renew_lease(assignment=assignment)
    audit_log.record_on(assignment, "assignment.returned", assignment.annotator_id)


@transaction.atomic
def take_recusal_back(*, assignment: Assignment) -> tuple[int, int]:
    """Undo the recusal from the assignment's reference; return how many are back and how many not.

    A candidate that somebody else got by name and has not begun comes back from them; one that was
    begun or taken meanwhile stays theirs, and is withdrawn here: who has a candidate of the
    reference again is not recused from it. Where none comes back the recusal stands. OutOfDate
    once the time for it is over.
    """
    lock_open_campaign(assignment.campaign_id)
    left = recusals(assignment).select_related(
        "assignment__campaign", "assignment__candidate", "rerouted_to"
    )
    # A recusal that was taken back and made again has left two rows of each assignment.
    latest = {row.assignment_id: row for row in left.order_by("made_at")}
    departures = sorted(latest.values(), key=lambda row: row.assignment.position)
    if not departures:
        raise OutOfDate("This recusal can no longer be taken back.")
    gone = [row.assignment_id for row in departures if not _come_back(row)]
    back = len(departures) - len(gone)
    if back:
        Assignment.objects.filter(pk__in=gone).update(status=AssignmentStatus.WITHDRAWN)
    return back, len(gone)


def _come_back(departure: Departure) -> bool:
    row, other = departure.assignment, departure.rerouted_to
    if other:
        begun = Q(rating__isnull=False) | Q(draft__isnull=False) | Q(work_time__isnull=False)
        given = Assignment.objects.filter(pk=other.pk, status=AssignmentStatus.OPEN)
        untouched = given.exclude(pk__in=Assignment.objects.filter(begun, pk=other.pk).values("pk"))
        if not untouched.update(status=AssignmentStatus.WITHDRAWN):
            return False
        audit_log.record_on(other, "assignment.taken_back", row.annotator_id)
    elif not hold_place(row.candidate_id):
        return False
    Assignment.objects.filter(pk=row.pk).update(status=AssignmentStatus.OPEN)
    row.status = AssignmentStatus.OPEN
    renew_lease(assignment=row)
    audit_log.record_on(row, "assignment.returned", row.annotator_id)
    return True


@transaction.atomic
def flag_candidate(*, assignment: Assignment, reason_code: str, reason: str = "") -> Flag:
    """Report to the campaign's admin that something is wrong with a candidate."""
    _check(reason_code, FlagReason.values, reason)
    flag = Flag.objects.create(
        assignment=assignment, reason_code=reason_code, reason=reason, made_at=database_now()
    )
    who = assignment.annotator_id
    audit_log.record_on(assignment, "candidate.flagged", who, reason=reason_code)
    return flag


def _check(reason_code: str, known: Collection[str], reason: str) -> None:
    if reason_code not in known:
        raise Refused.at("reason_code", "Choose a reason.")
    empty = "Say in a few words what it is." if reason_code == DepartureReason.OTHER else ""
    check_text("reason", reason, longest=LONGEST_REASON, empty=empty)


def _leave(assignment: Assignment, status: AssignmentStatus) -> None:
    """Change the status, freeing the place that an open assignment held."""
    rows = Assignment.objects.filter(pk=assignment.pk)
    if rows.filter(status=AssignmentStatus.OPEN).update(status=status):
        free_place(assignment.candidate_id)
        return
    others = (AssignmentStatus.LAPSED, AssignmentStatus.SKIPPED)
    if not rows.filter(status__in=others).exclude(status=status).update(status=status):
        raise OutOfDate("This candidate is already rated or left; nothing was changed.")


def _depart(
    assignment: Assignment, kind: DepartureKind, reason_code: str, reason: str, now: datetime
) -> Departure:
    who = assignment.annotator_id
    audit_log.record_on(assignment, f"assignment.{kind}", who, reason=reason_code)
    return Departure.objects.create(
        assignment=assignment, kind=kind, reason_code=reason_code, reason=reason, made_at=now
    )
