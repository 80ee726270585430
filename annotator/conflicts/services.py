"""Conflicts measured anew with each rating, and the further annotators that they call for.

Of order flips there is a row for each candidate's widest, see `widest_flips`, not for each pair.
"""

from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from annotator import audit_log
from annotator.access.scopes import annotators_of
from annotator.assignments.services import add_places, widen
from annotator.conflicts.queries import SEEING, reference_ratings, rules_of
from annotator.conflicts.rules import Pair, find_flips, find_gaps, widest_flips
from annotator.models import (
    HOLDING,
    UNSETTLED,
    Adjudication,
    Assignment,
    AssignmentStatus,
    Campaign,
    Candidate,
    Conflict,
    ConflictKind,
    ConflictStatus,
    Membership,
    Purpose,
    Role,
    Round,
    RoundKind,
    Ruling,
    SecondLook,
    Turn,
    Unblinding,
    User,
)


def further_annotators(candidate: Candidate) -> QuerySet[User]:
    """Return who can rate a candidate besides those who have it or had it, the least busy first.

    Not who is recused from its reference, nor an account that belongs to nobody who could work.
    """
    return _able(candidate).annotate(busy=_busy(candidate)).order_by("busy", "username")


def _busy(candidate: Candidate) -> Count:
    status, campaign = AssignmentStatus.OPEN, candidate.campaign_id
    mine = Q(assignments__campaign=campaign, assignments__status=status)
    return Count("assignments", filter=mine)


def _able(candidate: Candidate) -> QuerySet[User]:
    if candidate.purpose == Purpose.REPEAT:
        return User.objects.none()  # it is one annotator's own
    had = Assignment.objects.filter(candidate=candidate)
    return _readers(candidate).exclude(pk__in=had.values("annotator_id"))


def _readers(candidate: Candidate) -> QuerySet[User]:
    """Return who can rate candidates of a candidate's reference at all."""
    recused = Assignment.objects.filter(
        candidate__reference=candidate.reference_id, status=AssignmentStatus.RECUSED
    )
    people = annotators_of(candidate.campaign_id).order_by()
    return people.exclude(pk__in=recused.values("annotator_id"))


def blind_annotators(candidate: Candidate) -> QuerySet[User]:
    """Return those of them who see nothing of others, whoever has its reference open first.

    The two candidates of an order flip go to one person in this way.
    """
    open_here = Assignment.objects.filter(
        annotator=OuterRef("pk"),
        candidate__reference=candidate.reference_id,
        status=AssignmentStatus.OPEN,
    )
    people = _blind(_able(candidate), candidate)
    people = people.annotate(busy=_busy(candidate), reads_it=Exists(open_here))
    return people.order_by("-reads_it", "busy", "username")


def _blind(people: QuerySet[User], candidate: Candidate) -> QuerySet[User]:
    here = {"campaign": candidate.campaign_id, "user": OuterRef("pk")}
    seeing = Membership.objects.filter(**here, role__in=SEEING)
    shown = Unblinding.objects.filter(**here)
    return people.exclude(Exists(seeing)).exclude(Exists(shown))


def can_be_rated(candidates: Iterable[Candidate]) -> set[UUID]:
    """Return which genuine candidates of one reference somebody is at work on, or could take.

    They may be a thousand: the database is asked as often for one.
    """
    rows = list(candidates)
    if not rows:
        return set()
    members = set(_members(rows[0]).filter(user__is_active=True).values_list("user_id", flat=True))
    people = set(_blind(_readers(rows[0]), rows[0]).values_list("pk", flat=True))
    had: dict[UUID, set[UUID]] = {}
    found = set()
    shares = Assignment.objects.filter(candidate__in=[row.pk for row in rows])
    for pk, annotator, status in shares.values_list("candidate_id", "annotator_id", "status"):
        had.setdefault(pk, set()).add(annotator)
        if status in (AssignmentStatus.OPEN, AssignmentStatus.LAPSED) and annotator in members:
            found.add(pk)
    return found | {row.pk for row in rows if people - had.get(row.pk, set())}


def assign_further(
    *, candidate: Candidate, people: QuerySet[User] | None = None
) -> Assignment | None:
    """Give a candidate by name to the first of the further annotators; None when there is none."""
    for other in further_annotators(candidate) if people is None else people:
        # Who takes their next candidate at this moment is passed over: they wait for the place of
        # the very candidate, and no number is given twice.
        members = _members(candidate).select_for_update(skip_locked=True, no_key=True)
        if list(members.filter(user=other)):
            return _assign(candidate, other)
    return None


def ask_by_ladder(*, candidate_id: UUID, now: datetime) -> bool:
    """Ask one more annotator about a discrepant candidate; False when there is nobody to ask."""
    candidate = Candidate.objects.get(pk=candidate_id)
    if not blind_annotators(candidate).exists():
        return False
    Round.objects.create(
        candidate=candidate, number=next_number(candidate), kind=RoundKind.LADDER, made_at=now
    )
    add_place(candidate)
    return True


def next_number(candidate: Candidate) -> int:
    """Return the number of a candidate's next round; its first ratings were round one."""
    return candidate.rounds.count() + 2


def add_place(candidate: Candidate) -> None:
    """Give a candidate a place for one more; where work is given by name, give it by name."""
    widen(candidate.pk)
    holders = candidate.assignments.filter(status__in=HOLDING)
    if not holders.filter(lease_expires_at__isnull=False).exists():
        assign_further(candidate=candidate, people=blind_annotators(candidate))


def _assign(candidate: Candidate, annotator: User) -> Assignment:
    last = Assignment.objects.filter(campaign=candidate.campaign_id, annotator=annotator)
    position = (last.order_by("-position").values_list("position", flat=True).first() or 0) + 1
    row = Assignment.objects.create(
        campaign_id=candidate.campaign_id,
        annotator=annotator,
        candidate=candidate,
        label=f"Candidate {position}",
        position=position,
    )
    add_places([candidate.pk])
    return row


def _members(candidate: Candidate) -> QuerySet[Membership]:
    return Membership.objects.filter(campaign=candidate.campaign_id, role=Role.ANNOTATOR)


# Kind, candidate, other candidate, criterion; candidates as 32 hexadecimal digits, "" for none.
Key = tuple[str, str, str, str]


class _Known(NamedTuple):
    """A stored conflict."""

    pk: UUID
    gap: int
    status: str
    opened_at: datetime


def measure_conflicts(campaign: Campaign, reference_id: UUID, now: datetime) -> None:
    """Have the conflict rows of a reference hold what its ratings show now.

    What is ruled stays ruled, whatever a later rating shows: no conflict of ruled candidates opens.
    While a planned rating is to come, or annotators are asked, it waits. With a ladder a further
    annotator is asked before it opens. A flip that is no candidate's widest any more lapses, but
    not one that was signed or sent back, or that an adjudicator has open.
    """
    ratings = reference_ratings(reference_id)
    if len({rating.annotator for rating in ratings}) < 2:
        return
    rules = rules_of(campaign)
    rulings = Ruling.objects.filter(candidate__reference=reference_id, is_valid=True)
    ruled = {pk.hex for pk in rulings.values_list("candidate_id", flat=True)}
    gaps = {(f.kind, f.candidate, "", f.criterion): f.gap for f in find_gaps(ratings, rules)}
    flips = find_flips(ratings, rules)
    known = _known(reference_id)
    found = gaps | _by_key(widest_flips(flips, ruled))
    asked = _asked(campaign, reference_id, found, known, ruled, now) if found else set()
    if asked:
        found = gaps | _by_key(widest_flips(flips, ruled, asked))
    narrower = {
        key: gap
        for key, gap in _by_key(flips).items()
        if key not in found and key in known and known[key].status in UNSETTLED
    }
    if narrower:
        found |= {key: narrower[key] for key in _touched(reference_id, narrower, known, ruled)}

    status_now: dict[Key, ConflictStatus] = {}
    for key in found.keys() | known:
        before = known[key].status if key in known else ConflictStatus.LAPSED
        is_ruled = _pair(key) <= ruled
        if key in found and (
            before in UNSETTLED or (before == ConflictStatus.LAPSED and not is_ruled)
        ):
            is_asked = bool(_pair(key) & asked)
            status_now[key] = ConflictStatus.WAITING if is_asked else ConflictStatus.OPEN
        elif key not in found and before in UNSETTLED:
            is_settled = is_ruled and key[0] == ConflictKind.ORDER_FLIP
            status_now[key] = ConflictStatus.RULED if is_settled else ConflictStatus.LAPSED
    _store(campaign, status_now, found, known, now)


def _known(reference_id: UUID) -> dict[Key, _Known]:
    rows = Conflict.objects.filter(candidate__reference=reference_id).values_list(
        *("kind", "candidate_id", "other_candidate_id", "criterion"),
        *("pk", "gap", "status", "opened_at"),
    )
    return {
        (kind, candidate.hex, other.hex if other else "", criterion): _Known(*row)
        for kind, candidate, other, criterion, *row in rows
    }


def _by_key(flips: Mapping[Pair, int]) -> dict[Key, int]:
    return {(str(ConflictKind.ORDER_FLIP), *pair, ""): gap for pair, gap in flips.items()}


def _pair(key: Key) -> set[str]:
    return {key[1], key[2]} - {""}


def _touched(
    reference_id: UUID, keys: Iterable[Key], known: Mapping[Key, _Known], ruled: AbstractSet[str]
) -> list[Key]:
    """Return which order flips were signed or sent back, or are open at an adjudicator's."""
    here = {"conflict": OuterRef("pk")}
    used = Exists(Adjudication.objects.filter(**here)) | Exists(Round.objects.filter(**here))
    rows = Conflict.objects.filter(used, candidate__reference=reference_id)
    used_rows = set(rows.values_list("pk", flat=True))
    turns = Turn.objects.filter(candidate__reference=reference_id)
    open_now = {pk.hex for pk in turns.values_list("candidate_id", flat=True)}
    undecided = {key: _pair(key) - ruled for key in keys}
    return [
        key
        for key, left in undecided.items()
        if left and (known[key].pk in used_rows or left <= open_now)
    ]


def _store(
    campaign: Campaign,
    status_now: Mapping[Key, ConflictStatus],
    found: Mapping[Key, int],
    known: Mapping[Key, _Known],
    now: datetime,
) -> None:
    """Write the rows that are not what they were, and those that are new."""
    rows, new = [], []
    for key, status in sorted(status_now.items()):
        row = known.get(key)
        gap = found.get(key) or known[key].gap
        if row and (gap, status) == (row.gap, row.status):
            continue
        kind, candidate, other, criterion = key
        conflict = Conflict(
            campaign=campaign,
            candidate_id=UUID(candidate),
            other_candidate_id=UUID(other) if other else None,
            kind=kind,
            criterion=criterion,
            gap=gap,
            status=status,
            rules_version=campaign.rules_version,
            opened_at=row.opened_at if row else now,
        )
        if row:
            conflict.pk = row.pk
        else:
            new.append(conflict)
        rows.append(conflict)
    if rows:
        Conflict.objects.bulk_create(
            rows,
            update_conflicts=True,
            unique_fields=["id"],
            update_fields=["gap", "status", "rules_version"],
        )
    if new:
        audit_log.record_each(
            campaign=campaign,
            action="conflict.opened",
            object_type="conflict",
            details_by_id=(
                (row.pk, {"kind": row.kind, "criterion": row.criterion, "gap": row.gap})
                for row in new
            ),
        )


def _asked(
    campaign: Campaign,
    reference_id: UUID,
    found: Collection[Key],
    known: Mapping[Key, _Known],
    ruled: AbstractSet[str],
    now: datetime,
) -> set[str]:
    """Return the candidates that wait for annotators, having asked by the ladder.

    In a closed campaign nobody rates any more: nothing is awaited but rounds that run.
    """
    rounds = Round.objects.filter(candidate__reference_id=reference_id)
    rows = list(rounds.values_list("candidate_id", "finished_at"))
    asked = {pk.hex for pk, finished_at in rows if finished_at is None}
    if not campaign.is_open:
        return asked
    # Nobody is asked by the ladder twice, nor about what is ruled.
    past = {pk.hex for pk, _ in rows} | ruled | {""}
    first = {pk for key in found for pk in key[1:3]} - past
    # Of these a rating is still to come.
    candidates = Candidate.objects.filter(pk__in=first).only("campaign", "reference", "purpose")
    candidates = candidates.annotate(rated=Count("ratings"))
    awaited = can_be_rated(candidates.filter(rated__lt=F("places"))) if first else ()
    coming = {pk.hex for pk in awaited}
    asked |= coming
    if campaign.has_ladder:
        in_conflict = {
            pk
            for key, row in known.items()
            if row.status != ConflictStatus.LAPSED
            for pk in _pair(key)
        }
        new = first - coming - in_conflict
        asked |= {pk for pk in sorted(new) if ask_by_ladder(candidate_id=UUID(pk), now=now)}
    return asked


def answer_by_rating(*, assignment: Assignment, now: datetime) -> None:
    """End the round that asked for a further annotator: one more has rated the candidate."""
    rows = Round.objects.filter(candidate=assignment.candidate_id, finished_at=None)
    rows.exclude(kind=RoundKind.AGAIN).update(finished_at=now)


def answer_by_second_look(*, assignment: Assignment, now: datetime) -> None:
    """Note that an annotator has looked again; the round ends with the last of them."""
    looks = SecondLook.objects.filter(round__candidate=assignment.candidate_id)
    here = looks.filter(round__finished_at=None)
    here.filter(assignment=assignment, answered_at=None).update(answered_at=now)
    if not here.filter(answered_at=None).exists():
        rows = Round.objects.filter(candidate=assignment.candidate_id, finished_at=None)
        rows.filter(kind=RoundKind.AGAIN).update(finished_at=now)
