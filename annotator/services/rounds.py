"""Writes of rounds: send a conflict back to the annotators, or call it back."""

from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import transaction

from annotator.clock import database_now
from annotator.formats.free_text import check_words
from annotator.models import (
    Assignment,
    AssignmentStatus,
    Candidate,
    Conflict,
    ConflictStatus,
    Membership,
    Role,
    Round,
    RoundKind,
    SecondLook,
    Turn,
    User,
)
from annotator.queries.conflict_cases import conflicts_for
from annotator.refusals import OutOfDate, Refused
from annotator.services import audit
from annotator.services.further_annotators import blind_annotators, make_room, next_number
from annotator.services.measured_conflicts import measure_conflicts
from annotator.services.places import narrow
from annotator.services.turns import lock_conflict, lock_reference, refuse_taken, undecided

LONGEST_QUESTION: Final = 2_000
NOBODY_ELSE: Final = (
    "No other annotator of this campaign can rate it blind: each has it, had it, is recused, or "
    "sees what others gave."
)
NOBODY_LEFT: Final = "Nobody who rated it is an annotator of this campaign any more."
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
    candidates = _in_order(undecided(conflict))
    refuse_taken(candidates, adjudicator)
    if not conflict.campaign.is_open:
        raise OutOfDate("The campaign is closed: nobody rates any more. Rule on it, or reopen it.")
    if Round.objects.filter(candidate__in=candidates, finished_at=None).exists():
        raise OutOfDate("The annotators are being asked already.")
    now = database_now()
    # Before any candidate changes: its row names the campaign, which who leaves a candidate holds.
    _audit(conflict, adjudicator, "conflict.sent_back", {"kind": kind})
    rows = [_ask(one, conflict, adjudicator, kind, question, now) for one in candidates]
    Turn.objects.filter(candidate__in=candidates).delete()
    measure_conflicts(conflict.campaign, conflict.candidate.reference_id, now)
    return rows


@transaction.atomic
def call_back(*, conflict_id: UUID, adjudicator: User) -> None:
    """End the rounds of a waiting conflict unanswered, so that it can be ruled as it is.

    A further annotator who has the candidate open may still rate it; the place is given to nobody
    else. Raises Conflict.DoesNotExist out of reach, OutOfDate when nobody is asked any more.
    """
    row = conflicts_for(adjudicator).select_related("candidate").get(pk=conflict_id)
    lock_reference(row.candidate.reference_id)
    joined = ("campaign", "candidate", "other_candidate")
    conflict = Conflict.objects.select_related(*joined).get(pk=conflict_id)
    candidates = _in_order([one for one in (conflict.candidate, conflict.other_candidate) if one])
    running = list(Round.objects.filter(candidate__in=candidates, finished_at=None))
    if not running and conflict.status != ConflictStatus.WAITING:
        raise OutOfDate("Nobody is being asked about this conflict any more.")
    now = database_now()
    _audit(conflict, adjudicator, "conflict.called_back", {})
    Round.objects.filter(pk__in=[one.pk for one in running]).update(finished_at=now)
    for one in running:
        if one.kind != RoundKind.AGAIN:
            narrow(one.candidate_id)
    _await_no_longer([one for one in candidates if not one.rounds.exists()], now)
    measure_conflicts(conflict.campaign, conflict.candidate.reference_id, now)


def _await_no_longer(candidates: list[Candidate], now: datetime) -> None:
    """Note that a rating which is to come in a candidate's own places is awaited no more."""
    Round.objects.bulk_create(
        Round(
            candidate=one,
            number=next_number(one),
            kind=RoundKind.LADDER,
            made_at=now,
            finished_at=now,
        )
        for one in candidates
    )


def _in_order(candidates: list[Candidate]) -> list[Candidate]:
    """Return candidates in the order in which everybody locks them."""
    return sorted(candidates, key=lambda one: one.pk.hex)


def _check(kind: str, question: str) -> None:
    if kind not in CHOICES:
        why = f"Choose who is asked: {', '.join(CHOICES)}."
        raise Refused(why, {"kind": [why]})
    empty = "Say what the annotators shall look at again." if kind == RoundKind.AGAIN else ""
    check_words("question", question, longest=LONGEST_QUESTION, empty=empty)


def _ask(
    candidate: Candidate,
    conflict: Conflict,
    adjudicator: User,
    kind: str,
    question: str,
    now: datetime,
) -> Round:
    rated = _who_can_look_again(candidate) if kind == RoundKind.AGAIN else []
    if kind == RoundKind.ANOTHER and not blind_annotators(candidate).exists():
        raise Refused(NOBODY_ELSE, {"kind": [NOBODY_ELSE]})
    if kind == RoundKind.AGAIN and not rated:
        raise Refused(NOBODY_LEFT, {"kind": [NOBODY_LEFT]})
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
    SecondLook.objects.bulk_create(SecondLook(round=row, assignment=one) for one in rated)
    return row


def _who_can_look_again(candidate: Candidate) -> list[Assignment]:
    """Return the shares of those who have rated a candidate and are annotators still."""
    members = Membership.objects.filter(campaign=candidate.campaign_id, role=Role.ANNOTATOR)
    rated = candidate.assignments.filter(status=AssignmentStatus.SUBMITTED)
    return list(rated.filter(annotator__in=members.values("user_id"), annotator__is_active=True))


def _audit(conflict: Conflict, actor: User, action: str, details: dict[str, str]) -> None:
    audit.record(
        actor=actor,
        campaign=conflict.campaign_id,
        action=action,
        object_type="conflict",
        object_id=conflict.pk,
        details=details,
    )
