"""Writes of leaving: skip a candidate, recuse oneself from a reference, come back, flag."""

from collections.abc import Collection, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from annotator.clock import database_now
from annotator.formats.free_text import LONGEST_REASON, check_words
from annotator.models import (
    Assignment,
    AssignmentStatus,
    Campaign,
    Departure,
    DepartureKind,
    DepartureReason,
    Flag,
    FlagReason,
)
from annotator.refusals import OutOfDate, Refused
from annotator.services import audit
from annotator.services.assignments import renew_lease
from annotator.services.further_annotators import assign_further
from annotator.services.places import add_places, free_place, hold_place

LEAVABLE = (AssignmentStatus.OPEN, AssignmentStatus.LAPSED)


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
    _lock_open_campaign(assignment)
    _leave(assignment, AssignmentStatus.SKIPPED)
    return _depart(assignment, DepartureKind.SKIP, reason_code, reason, database_now())


@transaction.atomic
def recuse(*, assignment: Assignment, reason: str = "") -> Sequence[Departure]:
    """Withdraw an annotator from a whole reference for a conflict of interest.

    Every open assignment of the reference leaves them; what was assigned by name goes to the
    annotator of the campaign with the least open work who may rate it, if there is one. What is
    rated already stays, and the audit trail says that the recusal came after it.
    """
    _check(DepartureReason.CONFLICT_OF_INTEREST, DepartureReason.values, reason)
    _lock_open_campaign(assignment)
    now = database_now()
    rows = Assignment.objects.filter(
        annotator_id=assignment.annotator_id,
        candidate__reference_id=assignment.candidate.reference_id,
    ).select_related("campaign", "candidate")
    departures = []
    for row in rows.filter(Q(status__in=LEAVABLE) | Q(status=AssignmentStatus.SKIPPED)):
        was_open = row.status == AssignmentStatus.OPEN
        _leave(row, AssignmentStatus.RECUSED)
        departure = _depart(
            row, DepartureKind.RECUSAL, DepartureReason.CONFLICT_OF_INTEREST, reason, now
        )
        # The place of a skipped one may be taken already: then nobody else is given it as well.
        if row.lease_expires_at is None and (was_open or row.candidate.has_room):
            departure.rerouted_to = _reroute(row)
            departure.save(update_fields=["rerouted_to"])
        departures.append(departure)
    if not departures:
        raise OutOfDate("Nothing of this reference is open for you any more.")
    return departures


@transaction.atomic
def return_to(*, assignment: Assignment) -> None:
    """Take a skipped candidate back, if its place is still free."""
    _lock_open_campaign(assignment)
    rows = Assignment.objects.filter(pk=assignment.pk, status=AssignmentStatus.SKIPPED)
    # The status first: whoever changes it holds the place, and a refusal below undoes it.
    if not rows.update(status=AssignmentStatus.OPEN):
        raise OutOfDate("This candidate was not skipped, or is yours again already.")
    if assignment.lease_expires_at is None:
        add_places([assignment.candidate_id])
    elif not hold_place(assignment.candidate_id):
        raise OutOfDate("Somebody else has taken this candidate meanwhile.")
    renew_lease(assignment=assignment)
    _audit(assignment, "assignment.returned", {})


@transaction.atomic
def flag_candidate(*, assignment: Assignment, reason_code: str, reason: str = "") -> Flag:
    """Tell the campaign's admin that something is wrong with a candidate."""
    _check(reason_code, FlagReason.values, reason)
    flag = Flag.objects.create(
        assignment=assignment, reason_code=reason_code, reason=reason, made_at=database_now()
    )
    _audit(assignment, "candidate.flagged", {"reason": reason_code})
    return flag


def _check(reason_code: str, known: Collection[str], reason: str) -> None:
    if reason_code not in known:
        raise Refused("Choose a reason.", {"reason_code": ["Choose a reason."]})
    empty = "Say in a few words what it is." if reason_code == DepartureReason.OTHER else ""
    check_words("reason", reason, longest=LONGEST_REASON, empty=empty)


def _lock_open_campaign(assignment: Assignment) -> None:
    """Refuse in a closed campaign; have those who leave it at one moment wait for each other."""
    # Not its key: who holds the candidate that is left may be writing rows that name the campaign.
    if not Campaign.objects.select_for_update(no_key=True).get(pk=assignment.campaign_id).is_open:
        raise OutOfDate("The campaign is closed; nothing changes hands any more.")


def _leave(assignment: Assignment, status: AssignmentStatus) -> None:
    """Change the status, freeing the place that an open assignment held."""
    rows = Assignment.objects.filter(pk=assignment.pk)
    if rows.filter(status=AssignmentStatus.OPEN).update(status=status):
        free_place(assignment.candidate_id)
        return
    others = (AssignmentStatus.LAPSED, AssignmentStatus.SKIPPED)
    if not rows.filter(status__in=others).exclude(status=status).update(status=status):
        raise OutOfDate("This candidate is rated or left already; nothing was changed.")


def _depart(
    assignment: Assignment, kind: DepartureKind, reason_code: str, reason: str, now: datetime
) -> Departure:
    _audit(assignment, f"assignment.{kind}", {"reason": reason_code})
    return Departure.objects.create(
        assignment=assignment, kind=kind, reason_code=reason_code, reason=reason, made_at=now
    )


def _reroute(left: Assignment) -> Assignment | None:
    """Give a named assignment to another annotator; None when nobody can take it."""
    row = assign_further(candidate=left.candidate)
    if row is not None:
        audit.record(
            actor=left.annotator_id,
            campaign=left.campaign,
            action="assignment.rerouted",
            object_type="assignment",
            object_id=row.pk,
            details={"from": str(left.pk)},
        )
    return row


def _audit(assignment: Assignment, action: str, details: dict[str, str]) -> None:
    audit.record(
        actor=assignment.annotator_id,
        campaign=assignment.campaign,
        action=action,
        object_type="assignment",
        object_id=assignment.pk,
        details=details,
    )
