"""Writes of turns: one adjudicator at a time has a conflict open, for as long as the lease runs."""

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import connection, transaction
from django.db.models.functions import Now

from annotator.clock import database_now
from annotator.models import (
    Candidate,
    Conflict,
    ConflictStatus,
    Reference,
    Turn,
    User,
)
from annotator.queries.conflict_cases import (
    SENT_SENTENCE,
    conflicts_for,
    conflicts_in_reach,
    conflicts_to_rule,
    live_turns,
)
from annotator.refusals import Forbidden, OutOfDate
from annotator.services import audit

TURN_LENGTH: Final = timedelta(minutes=60)
RULED_SENTENCE: Final = "This conflict has been ruled already; nothing was stored."
AGREED_SENTENCE: Final = "The ratings agree again: there is nothing left to rule."
TAKEN_SENTENCE: Final = "Another adjudicator has this conflict open; nothing was stored."
ASKED_SENTENCE: Final = "The annotators are being asked about this; call it back to rule now."
OWN_SENTENCE: Final = "Who rates a candidate, or is to rate it, does not rule on it."
NOT_OPEN: Final = {
    ConflictStatus.RULED: RULED_SENTENCE,
    ConflictStatus.LAPSED: AGREED_SENTENCE,
    ConflictStatus.WAITING: ASKED_SENTENCE,
}


@transaction.atomic
def take_turn(*, conflict_id: UUID, adjudicator: User) -> datetime:
    """Open a conflict for one adjudicator and lock its ratings; return until when.

    Taking it again gives it its whole time again. Raises Conflict.DoesNotExist for a conflict
    out of reach, Forbidden for one's own candidate, OutOfDate when it is ruled, lapsed or taken.
    """
    conflict = lock_conflict(conflict_id, adjudicator)
    candidates = undecided(conflict)
    refuse_taken(candidates, adjudicator)
    pks = [candidate.pk for candidate in candidates]
    own = Turn.objects.filter(candidate__in=pks, adjudicator=adjudicator, expires_at__gt=Now())
    is_new = not own.exists()
    now = database_now()
    Turn.objects.filter(candidate__in=pks).delete()
    Turn.objects.bulk_create(
        Turn(candidate_id=pk, adjudicator=adjudicator, taken_at=now, expires_at=now + TURN_LENGTH)
        for pk in pks
    )
    if is_new:
        _audit(conflict, adjudicator, "turn.taken")
    return now + TURN_LENGTH


@transaction.atomic
def give_back(*, conflict_id: UUID, adjudicator: User) -> None:
    """Close a conflict unruled, so that another may open it; its ratings unlock with it."""
    conflict = conflicts_in_reach(adjudicator).get(pk=conflict_id)
    pks = [pk for pk in (conflict.candidate_id, conflict.other_candidate_id) if pk]
    if Turn.objects.filter(candidate__in=pks, adjudicator=adjudicator).delete()[0]:
        _audit(conflict, adjudicator, "turn.given_back")


def lock_conflict(conflict_id: UUID, adjudicator: User) -> Conflict:
    """Return an open conflict that they may rule on, with its reference locked."""
    reach = conflicts_in_reach(adjudicator)
    lock_reference(reach.select_related("candidate").get(pk=conflict_id).candidate.reference_id)
    refuse_who_may_not(conflict_id, adjudicator)
    joined = ("campaign", "candidate", "other_candidate")
    conflict = reach.select_related(*joined).get(pk=conflict_id)
    if conflict.status in NOT_OPEN:
        raise OutOfDate(NOT_OPEN[ConflictStatus(conflict.status)])
    return conflict


def lock_reference(reference_id: UUID) -> None:
    """Have whatever changes the ratings or conflicts of a reference wait for each other."""
    if connection.features.has_select_for_update:
        # SQLite's transactions wait for each other as they are.
        rows = Reference.objects.select_for_update(of=("self",), no_key=True).only("pk")
        list(rows.filter(pk=reference_id))


def refuse_who_may_not(conflict_id: UUID, adjudicator: User) -> None:
    """Raise Forbidden for who has to do with a conflict's ratings, or sent it back themselves.

    Raises Conflict.DoesNotExist for a conflict out of reach.
    """
    if conflicts_to_rule(adjudicator).filter(pk=conflict_id).exists():
        return
    conflicts_in_reach(adjudicator).get(pk=conflict_id)
    is_sender = conflicts_for(adjudicator).filter(pk=conflict_id).exists()
    raise Forbidden(SENT_SENTENCE if is_sender else OWN_SENTENCE)


def undecided(conflict: Conflict) -> list[Candidate]:
    """Return those candidates of a conflict that have no valid ruling yet, its own first."""
    pair = [conflict.candidate, conflict.other_candidate]
    ruled = Candidate.objects.filter(
        pk__in=[row.pk for row in pair if row], rulings__is_valid=True
    ).values_list("pk", flat=True)
    settled = set(ruled)
    return [row for row in pair if row and row.pk not in settled]


def refuse_taken(candidates: list[Candidate], adjudicator: User) -> None:
    """Raise OutOfDate while another adjudicator has one of the candidates open."""
    turns = live_turns(row.pk for row in candidates)
    if any(turn.adjudicator_id != adjudicator.pk for turn in turns.values()):
        raise OutOfDate(TAKEN_SENTENCE)


def _audit(conflict: Conflict, actor: User, action: str) -> None:
    audit.record(
        actor=actor,
        campaign=conflict.campaign_id,
        action=action,
        object_type="conflict",
        object_id=conflict.pk,
    )
