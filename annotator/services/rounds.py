"""Writes of rounds: send a conflict back to the annotators, or call it back."""

from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from annotator.models import (
    AssignmentStatus,
    AuditEvent,
    Candidate,
    Conflict,
    Round,
    RoundKind,
    SecondLook,
    Turn,
    User,
)
from annotator.queries.conflict_cases import conflicts_for
from annotator.refusals import OutOfDate, Refused
from annotator.services.further_annotators import further_annotator, make_room, next_number
from annotator.services.measured_conflicts import measure_conflicts
from annotator.services.turns import lock_conflict, refuse_taken, undecided

LONGEST_QUESTION: Final = 2_000
# What an adjudicator may choose; the ladder is the campaign's own.
CHOICES: Final = (RoundKind.AGAIN, RoundKind.ANOTHER)


@transaction.atomic
def send_back(
    *, conflict_id: UUID, adjudicator: User, kind: str, question: str = ""
) -> list[Round]:
    """Ask the annotators once more about the candidates of a conflict, before it is ruled.

    "again" has those who rated look again, each by themselves, at what the question says;
    "another" has one annotator more rate. The conflict waits until they have answered. Who sent
    it back does not rule on it while the campaign has another adjudicator.

    Raises Conflict.DoesNotExist out of reach, Forbidden for one's own candidate, Refused for bad
    values or where nobody is left to ask, OutOfDate when it is ruled, lapsed, taken or asked.
    """
    _check(kind, question)
    conflict = lock_conflict(conflict_id, adjudicator)
    candidates = undecided(conflict)
    refuse_taken(candidates, adjudicator)
    if not conflict.campaign.is_open:
        raise OutOfDate("The campaign is closed: nobody rates any more. Rule on it, or reopen it.")
    if Round.objects.filter(candidate__in=candidates, finished_at=None).exists():
        raise OutOfDate("The annotators are being asked already.")
    now = timezone.now()
    rows = [_ask(one, conflict, adjudicator, kind, question, now) for one in candidates]
    Turn.objects.filter(candidate__in=candidates).delete()
    _audit(conflict, adjudicator, "conflict.sent_back", {"kind": kind})
    measure_conflicts(conflict.campaign, conflict.candidate.reference_id, now)
    return rows


@transaction.atomic
def call_back(*, conflict_id: UUID, adjudicator: User) -> None:
    """End the rounds of a waiting conflict unanswered, so that it can be ruled as it is."""
    conflict = (
        conflicts_for(adjudicator).select_related("campaign", "candidate").get(pk=conflict_id)
    )
    pair = [pk for pk in (conflict.candidate_id, conflict.other_candidate_id) if pk]
    rows = list(Round.objects.select_for_update().filter(candidate__in=pair, finished_at=None))
    if not rows:
        raise OutOfDate("Nobody is being asked about this conflict any more.")
    now = timezone.now()
    Round.objects.filter(pk__in=[row.pk for row in rows]).update(finished_at=now)
    _audit(conflict, adjudicator, "conflict.called_back", {})
    measure_conflicts(conflict.campaign, conflict.candidate.reference_id, now)


def _check(kind: str, question: str) -> None:
    if kind not in CHOICES:
        why = f"Choose who is asked: {', '.join(CHOICES)}."
        raise Refused(why, {"kind": [why]})
    why = ""
    if kind == RoundKind.AGAIN and not question.strip():
        why = "Say what the annotators shall look at again."
    elif len(question) > LONGEST_QUESTION:
        why = f"A question has at most {LONGEST_QUESTION:,} characters; this has {len(question):,}."
    elif "\x00" in question:
        why = "The question holds a NUL character."
    if why:
        raise Refused(why, {"question": [why]})


def _ask(
    candidate: Candidate,
    conflict: Conflict,
    adjudicator: User,
    kind: str,
    question: str,
    now: datetime,
) -> Round:
    if kind == RoundKind.ANOTHER and further_annotator(candidate) is None:
        why = "No other annotator of this campaign can rate it: each has it, had it or is recused."
        raise Refused(why, {"kind": [why]})
    row = Round.objects.create(
        candidate=candidate,
        conflict=conflict,
        number=next_number(candidate),
        kind=kind,
        question=question,
        asked_by=adjudicator,
        made_at=now,
    )
    if kind == RoundKind.ANOTHER:
        make_room(candidate)
        return row
    rated = candidate.assignments.filter(status=AssignmentStatus.SUBMITTED)
    SecondLook.objects.bulk_create(SecondLook(round=row, assignment=one) for one in rated)
    return row


def _audit(conflict: Conflict, actor: User, action: str, details: dict[str, str]) -> None:
    AuditEvent.objects.create(
        actor=actor,
        campaign_id=conflict.campaign_id,
        action=action,
        object_type="conflict",
        object_id=str(conflict.pk),
        details=details,
    )
