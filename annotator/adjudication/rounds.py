"""Rounds and turns: who has a conflict open, and what annotators are asked once more.

Nothing here reveals who was asked, nor when they answered.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from typing import Final
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from annotator import audit_log
from annotator.adjudication.cases import (
    SENT_SENTENCE,
    candidate_names,
    conflicts_for,
    conflicts_in_reach,
    conflicts_to_rule,
    describe_finding,
    live_turns,
)
from annotator.assignments.services import narrow
from annotator.conflicts.services import add_place, blind_annotators, measure_conflicts, next_number
from annotator.models import (
    Assignment,
    AssignmentStatus,
    CampaignStatus,
    Candidate,
    Conflict,
    ConflictStatus,
    Membership,
    PreparedRuling,
    Rating,
    RatingRevision,
    Reference,
    Role,
    Round,
    RoundKind,
    SecondLook,
    Turn,
    User,
)
from annotator.rating_values import Points, points_of
from core.clock import database_now
from core.errors import Forbidden, OutOfDate, Refused
from core.shapes import check_text

KIND_LABELS = {
    RoundKind.LADDER: "one more annotator, by the campaign's rules",
    RoundKind.ANOTHER: "one more annotator",
    RoundKind.AGAIN: "the same annotators look again",
}


@dataclass(frozen=True, slots=True)
class SeenRound:
    """A round on one candidate; `state` is how far it is, as text."""

    candidate_id: UUID
    number: int
    words: str
    question: str
    made_at: datetime
    is_running: bool
    state: str


def rounds_on(candidates: Iterable[UUID]) -> list[SeenRound]:
    """Return the rounds on candidates in their order."""
    looks = SecondLook.objects.filter(round=OuterRef("pk"))
    further = Rating.objects.filter(candidate=OuterRef("candidate"), round=OuterRef("number"))
    rows = Round.objects.filter(candidate__in=set(candidates)).annotate(
        is_missing=Exists(looks.filter(answered_at=None)), is_rated=Exists(further)
    )
    found = []
    for row in rows.order_by("number", "candidate"):
        is_unanswered = row.is_missing if row.kind == RoundKind.AGAIN else not row.is_rated
        ended = "called back" if is_unanswered else "answered"
        is_running = row.finished_at is None
        state = "being asked" if is_running else ended
        label = KIND_LABELS[RoundKind(row.kind)]
        where = (row.candidate_id, row.number)
        found.append(SeenRound(*where, label, row.question, row.made_at, is_running, state))
    return found


def earlier_points(ratings: Sequence[Rating]) -> Mapping[UUID, tuple[Points, ...]]:
    """Return the points with which each rating left the rounds before its last one, in order."""
    again = [rating for rating in ratings if rating.round > 1 and rating.version > 1]
    last: dict[UUID, dict[int, RatingRevision]] = {}
    for row in RatingRevision.objects.filter(rating__in=again) if again else ():
        # The last one of a round stands for it.
        last.setdefault(row.rating_id, {})[row.round] = row
    return {
        rating.pk: tuple(
            points_of(row.all_scores)
            for number, row in sorted(last[rating.pk].items())
            if number < rating.round
        )
        for rating in again
    }


@dataclass(frozen=True, slots=True)
class WaitingCase:
    """The waiting conflicts of one candidate, or of one pair; `conflict_id` is one of them.

    `round` is the number of the round that runs: two for the first after the ratings.
    """

    conflict_id: UUID
    reference: str
    campaign: str
    names: tuple[str, ...]
    findings: tuple[str, ...]
    round: int
    words: str
    since: datetime
    is_campaign_closed: bool


def waiting_cases(user: User) -> tuple[WaitingCase, ...]:
    """Return the cases about which annotators are asked, the longest first.

    Among them those in which the ratings agree again while somebody has not answered yet.
    """
    running = Round.objects.filter(conflict=OuterRef("pk"), finished_at=None)
    agreed = Q(status=ConflictStatus.LAPSED) & Q(Exists(running))
    rows = list(
        conflicts_for(user)
        .filter(Q(status=ConflictStatus.WAITING) | agreed)
        .select_related("campaign", "candidate__reference")
        .defer("candidate__claims", "candidate__reference__claims")
        .order_by("candidate", "other_candidate", "-gap", "pk")
    )
    if not rows:
        return ()
    names = candidate_names({row.candidate.reference_id for row in rows}, user)
    asked = [one for one in rounds_on(pk for row in rows for pk in row.pair) if one.is_running]
    cases = []
    for pair, group in groupby(rows, key=lambda row: row.pair):
        found = list(group)
        here = [one for one in asked if one.candidate_id in pair]
        first = found[0]
        cases.append(
            WaitingCase(
                first.pk,
                first.candidate.reference.title or first.candidate.reference.reference_id,
                first.campaign.name,
                tuple(sorted(names[pk] for pk in pair)),
                tuple(
                    "the ratings agree again"
                    if row.status == ConflictStatus.LAPSED
                    else describe_finding(row.kind, row.criterion, row.gap)
                    for row in found
                ),
                max((one.number for one in here), default=1),
                here[0].words if here else "a rating is still to come",
                min((one.made_at for one in here), default=first.opened_at),
                first.campaign.status == CampaignStatus.CLOSED,
            )
        )
    return tuple(sorted(cases, key=lambda case: case.since))


TURN_LENGTH: Final = timedelta(minutes=60)
RULED_SENTENCE: Final = "This conflict has already been ruled on; nothing was stored."
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
        audit_log.record_on(conflict, "turn.taken", adjudicator)
    return now + TURN_LENGTH


@transaction.atomic
def give_back(*, conflict_id: UUID, adjudicator: User) -> None:
    """Close a conflict unruled, so that another may open it; its ratings unlock with it.

    A ruling that they had prepared on it is forgotten.
    """
    conflict = conflicts_in_reach(adjudicator).get(pk=conflict_id)
    prepared_on(conflict).filter(adjudicator=adjudicator).delete()
    if Turn.objects.filter(candidate__in=conflict.pair, adjudicator=adjudicator).delete()[0]:
        audit_log.record_on(conflict, "turn.given_back", adjudicator)


def prepared_on(conflict: Conflict) -> QuerySet[PreparedRuling]:
    """Return the rulings that are prepared on exactly the candidates of a conflict."""
    return PreparedRuling.objects.filter(
        conflict__candidate=conflict.candidate_id,
        conflict__other_candidate=conflict.other_candidate_id,
    )


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
    ruled = Candidate.objects.filter(pk__in=conflict.pair, rulings__is_valid=True)
    settled = set(ruled.values_list("pk", flat=True))
    pair = (conflict.candidate, conflict.other_candidate)
    return [row for row in pair if row and row.pk not in settled]


def refuse_taken(candidates: list[Candidate], adjudicator: User) -> None:
    """Raise OutOfDate while another adjudicator has one of the candidates open."""
    turns = live_turns(row.pk for row in candidates)
    if any(turn.adjudicator_id != adjudicator.pk for turn in turns.values()):
        raise OutOfDate(TAKEN_SENTENCE)


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

    "again" has those who rated look again, each by themselves, at what the question is about;
    "another" has one annotator more rate. The conflict waits until they have answered. Who sent
    it back does not rule on it while the campaign has another adjudicator.

    Raises Conflict.DoesNotExist out of reach, Forbidden for one's own candidate, Refused for bad
    values or where nobody is left to ask, OutOfDate when it is ruled, lapsed, taken or asked.
    """
    if kind not in CHOICES:
        raise Refused.at("kind", f"Choose who is asked: {', '.join(CHOICES)}.")
    empty = "Say what the annotators shall look at again." if kind == RoundKind.AGAIN else ""
    check_text("question", question, longest=LONGEST_QUESTION, empty=empty)
    conflict = lock_conflict(conflict_id, adjudicator)
    candidates = _in_order(undecided(conflict))
    refuse_taken(candidates, adjudicator)
    if not conflict.campaign.is_open:
        raise OutOfDate("The campaign is closed: nobody rates any more. Rule on it, or reopen it.")
    if Round.objects.filter(candidate__in=candidates, finished_at=None).exists():
        raise OutOfDate("The annotators are being asked already.")
    now = database_now()
    # Before any candidate changes: its row names the campaign, which who leaves a candidate holds.
    audit_log.record_on(conflict, "conflict.sent_back", adjudicator, kind=kind)
    rows = [_ask(one, conflict, adjudicator, kind, question, now) for one in candidates]
    Turn.objects.filter(candidate__in=candidates).delete()
    prepared_on(conflict).delete()
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
        raise OutOfDate("The annotators are no longer being asked about this conflict.")
    now = database_now()
    audit_log.record_on(conflict, "conflict.called_back", adjudicator)
    Round.objects.filter(pk__in=[one.pk for one in running]).update(finished_at=now)
    for one in running:
        if one.kind != RoundKind.AGAIN:
            narrow(one.candidate_id)
    # A rating that is to come in a candidate's own places is awaited no more.
    ended = {"kind": RoundKind.LADDER, "made_at": now, "finished_at": now}
    Round.objects.bulk_create(
        Round(candidate=one, number=next_number(one), **ended)
        for one in candidates
        if not one.rounds.exists()
    )
    measure_conflicts(conflict.campaign, conflict.candidate.reference_id, now)


def _in_order(candidates: list[Candidate]) -> list[Candidate]:
    """Return candidates in the order in which everybody locks them."""
    return sorted(candidates, key=lambda one: one.pk.hex)


def _ask(
    candidate: Candidate,
    conflict: Conflict,
    adjudicator: User,
    kind: str,
    question: str,
    now: datetime,
) -> Round:
    rated: list[Assignment] = []
    if kind == RoundKind.AGAIN:
        # Those who have rated it, are annotators still and have not recused themselves since.
        members = Membership.objects.filter(campaign=candidate.campaign_id, role=Role.ANNOTATOR)
        able = {"annotator__in": members.values("user_id"), "annotator__is_active": True}
        shares = candidate.assignments.filter(status=AssignmentStatus.SUBMITTED)
        recused = Assignment.objects.filter(
            candidate__reference=candidate.reference_id, status=AssignmentStatus.RECUSED
        )
        rated = list(shares.filter(**able).exclude(annotator__in=recused.values("annotator")))
        if not rated:
            raise Refused.at("kind", NOBODY_LEFT)
    elif not blind_annotators(candidate).exists():
        raise Refused.at("kind", NOBODY_ELSE)
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
        add_place(candidate)
    SecondLook.objects.bulk_create(SecondLook(round=row, assignment=one) for one in rated)
    return row
