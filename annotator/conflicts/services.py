"""Conflicts measured anew with each rating, and the further annotators that they call for.

Of order flips there is a row for each candidate's widest, see `widest_flips`, and not for each
pair: a row goes over to another pair when that is the widest, unless somebody is at work on it.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from annotator import audit_log
from annotator.access.scopes import annotators_of
from annotator.assignments.services import add_places, widen
from annotator.conflicts.queries import SEEING, reference_ratings, rules_of
from annotator.conflicts.rules import (
    ConflictRules,
    Finding,
    find_flips,
    find_gaps,
    flip_gap,
    overalls_of,
)
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
from core.database import as_id, update_rows
from core.prepared import PreparedQuery


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


class _Row(NamedTuple):
    """A stored conflict."""

    pk: UUID
    key: Key
    gap: int
    status: str

    @property
    def pair(self) -> set[str]:
        return _pair(self.key)

    @property
    def is_flip(self) -> bool:
        return bool(self.key[2])


@dataclass(frozen=True, slots=True)
class _Shown:
    """What the ratings of a reference show, and who is ruled and asked about there."""

    found: dict[Key, int]
    overalls: dict[str, dict[str, int]]
    rules: ConflictRules
    ruled: AbstractSet[str]
    asked: AbstractSet[str]

    def status(self, key: Key) -> ConflictStatus:
        return ConflictStatus.WAITING if _pair(key) & self.asked else ConflictStatus.OPEN

    def is_ruled(self, key: Key) -> bool:
        return _pair(key) <= self.ruled

    def flip(self, key: Key) -> int:
        """Return how wide the flip of a pair is, be it the widest of a candidate or not; or 0."""
        _, left, right, _ = key
        both = self.overalls.get(left, {}), self.overalls.get(right, {})
        gap = flip_gap(*both, has_ladder=self.rules.has_ladder)
        return gap if gap >= self.rules.flip_gap_numerator else 0


def measure_conflicts(
    campaign: Campaign, reference_id: UUID, now: datetime, *, rated: UUID | None = None
) -> None:
    """Have the conflict rows of a reference hold what its ratings show now.

    `rated` names the candidate whose ratings or ruling changed, where all else is as it was: then
    no gaps but its own are measured. With a ladder all are, for whom it asks hangs on more than on
    ratings. Order flips are all measured: at most one for each candidate is stored.

    What is ruled stays ruled, whatever a later rating shows: no conflict of ruled candidates opens.
    While a planned rating is to come, or annotators are asked, it waits. With a ladder a further
    annotator is asked before it opens.
    """
    ratings = reference_ratings(reference_id)
    if len({rating.annotator for rating in ratings}) < 2:
        return
    rules = rules_of(campaign)
    about = None if campaign.has_ladder else rated
    ruled = {pk.hex for pk in _RULED(reference_id)}
    gaps = _by_key(find_gaps(ratings, rules, about.hex if about else ""))
    flips = _by_key(find_flips(ratings, rules, ruled))
    known = _known(reference_id, about)
    found = gaps | flips
    asked = _asked(campaign, reference_id, found, known, ruled, now) if found else set()
    if flips and asked:
        found = gaps | _by_key(find_flips(ratings, rules, ruled, asked))
    shown = _Shown(found, overalls_of(ratings), rules, ruled, asked)
    keys = {row.key for row in known}
    missing = [key for key in found if key not in keys and not shown.is_ruled(key)]
    stale = [row for row in known if row.is_flip and row.key not in found]
    now_is = [*_measured(known, shown), *_gone_over(reference_id, stale, missing, shown)]
    _update(campaign, known, now_is)
    taken = {row.key for row in now_is}
    _open_conflicts(campaign, [key for key in missing if key not in taken], shown, now)


def _measured(known: Iterable[_Row], shown: _Shown) -> Iterator[_Row]:
    """Yield what becomes of the rows of gaps, and of flips that are a candidate's widest still."""
    for row in known:
        gap = shown.found.get(row.key, 0)
        if row.status == ConflictStatus.RULED:
            continue
        if gap:
            is_past = row.status == ConflictStatus.LAPSED and shown.is_ruled(row.key)
            if not is_past:
                yield row._replace(gap=gap, status=shown.status(row.key))
        elif not row.is_flip:
            yield row._replace(status=ConflictStatus.LAPSED)


def _gone_over(
    reference_id: UUID, stale: Sequence[_Row], missing: Sequence[Key], shown: _Shown
) -> Iterator[_Row]:
    """Yield what becomes of flips that are no candidate's widest: they go over to missing ones.

    Not those that were signed or sent back, nor those that an adjudicator has open.
    """
    if not stale:
        return
    used = Q(Exists(Adjudication.objects.filter(conflict=OuterRef("pk")))) | Q(
        Exists(Round.objects.filter(conflict=OuterRef("pk")))
    )
    flips = Conflict.objects.filter(used, candidate__reference_id=reference_id)
    used_keys = set(flips.values_list("pk", flat=True))
    turns = Turn.objects.filter(candidate__reference_id=reference_id)
    open_now = {pk.hex for pk in turns.values_list("candidate_id", flat=True)}
    spare = []
    for row in stale:
        undecided = row.pair - shown.ruled if row.status in UNSETTLED else set()
        is_open_now = bool(undecided) and undecided <= open_now
        if row.pk not in used_keys and not is_open_now:
            spare.append(row)
            continue
        gap = 0 if shown.is_ruled(row.key) or row.status not in UNSETTLED else shown.flip(row.key)
        yield row._replace(gap=gap, status=shown.status(row.key)) if gap else _settled(row, shown)
    # The last that are taken are those that a ruling settled.
    spare.sort(key=lambda row: row.status != ConflictStatus.RULED)
    reused = _reused(spare, [key for key in missing if key[2]])
    for row in spare:
        key = reused.get(row.pk)
        if key:
            yield _Row(row.pk, key, shown.found[key], shown.status(key))
        else:
            yield _settled(row, shown)


def _settled(row: _Row, shown: _Shown) -> _Row:
    if row.status not in UNSETTLED:
        return row
    is_ruled = shown.is_ruled(row.key)
    return row._replace(status=ConflictStatus.RULED if is_ruled else ConflictStatus.LAPSED)


def _reused(spare: Iterable[_Row], missing: Iterable[Key]) -> dict[UUID, Key]:
    """Return which row goes over to which pair: one on a candidate of the pair where there is."""
    left = {row.pk: row for row in spare}
    on: dict[str, list[UUID]] = {}
    for row in left.values():
        for candidate in row.pair:
            on.setdefault(candidate, []).append(row.pk)
    found: dict[UUID, Key] = {}
    rest = []
    for key in missing:
        for rows in (on.get(key[1], []), on.get(key[2], [])):
            while rows and rows[-1] not in left:
                rows.pop()
            if rows:
                found[rows[-1]] = key
                del left[rows.pop()]
                break
        else:
            rest.append(key)
    return found | dict(zip(reversed(left), rest, strict=False))


def _update(campaign: Campaign, known: Iterable[_Row], now_is: Iterable[_Row]) -> None:
    """Write the rows that are not what they were."""
    before = {row.pk: row for row in known}
    update_rows(
        Conflict,
        ("candidate", "other_candidate", "gap", "status", "rules_version"),
        [
            (
                as_id(row.pk),
                as_id(UUID(row.key[1])),
                as_id(UUID(row.key[2])) if row.is_flip else None,
                row.gap,
                str(row.status),
                campaign.rules_version,
            )
            for row in now_is
            if row != before[row.pk]
        ],
    )


_RULED: Final = PreparedQuery[UUID](
    lambda reference: Ruling.objects.filter(
        candidate__reference_id=reference, is_valid=True
    ).values_list("candidate_id", flat=True)
)


def _conflicts(reference: UUID, *about: UUID) -> QuerySet[Conflict, tuple[Any, ...]]:
    rows = Conflict.objects.filter(candidate__reference_id=reference)
    if about:
        rows = rows.filter(Q(candidate__in=about) | Q(kind=ConflictKind.ORDER_FLIP))
    return rows.values_list(
        "pk", "kind", "candidate_id", "other_candidate_id", "criterion", "gap", "status"
    )


_CONFLICTS: Final = PreparedQuery[tuple[Any, ...]](_conflicts)


def _known(reference_id: UUID, about: UUID | None) -> list[_Row]:
    rows = _CONFLICTS(reference_id, *([about] if about else []))
    return [
        _Row(pk, (kind, candidate.hex, "" if other is None else other.hex, criterion), gap, status)
        for pk, kind, candidate, other, criterion, gap, status in rows
    ]


def _asked(
    campaign: Campaign,
    reference_id: UUID,
    found: Collection[Key],
    known: Iterable[_Row],
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
    candidates = Candidate.objects.filter(pk__in=first).annotate(rated=Count("ratings"))
    awaited = can_be_rated(candidates.filter(rated__lt=F("places"))) if first else ()
    coming = {pk.hex for pk in awaited}
    asked |= coming
    if campaign.has_ladder:
        beyond = [row for row in known if row.status != ConflictStatus.LAPSED]
        new = first - coming - {pk for row in beyond for pk in row.pair}
        asked |= {pk for pk in sorted(new) if ask_by_ladder(candidate_id=UUID(pk), now=now)}
    return asked


def _by_key(findings: Iterable[Finding]) -> dict[Key, int]:
    return {(f.kind, f.candidate, f.other_candidate, f.criterion): f.gap for f in findings}


def _pair(key: Key) -> set[str]:
    return {key[1], key[2]} - {""}


def _open_conflicts(campaign: Campaign, keys: Sequence[Key], shown: _Shown, now: datetime) -> None:
    if not keys:
        return
    conflicts = Conflict.objects.bulk_create(
        Conflict(
            campaign=campaign,
            status=shown.status(key),
            rules_version=campaign.rules_version,
            candidate_id=key[1],
            other_candidate_id=key[2] or None,
            kind=key[0],
            criterion=key[3],
            gap=shown.found[key],
            opened_at=now,
        )
        for key in sorted(keys)
    )
    audit_log.record_each(
        campaign=campaign,
        action="conflict.opened",
        object_type="conflict",
        details_by_id=(
            (row.pk, {"kind": row.kind, "criterion": row.criterion, "gap": row.gap})
            for row in conflicts
        ),
    )


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
