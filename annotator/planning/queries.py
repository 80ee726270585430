"""What a plan is made from, what the plan page shows, and a plan before it is carried out.

No claim text is read: a plan is about names.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import combinations
from uuid import UUID

from django.db.models import Count, F, Max, Q, Sum

from annotator.access.scopes import annotators_of
from annotator.models import (
    HOLDING,
    Assignment,
    AssignmentStatus,
    Campaign,
    Candidate,
    Membership,
    Purpose,
    Reference,
    Role,
    User,
)
from annotator.planning.rules import Plan, PlanAnnotator, PlanCandidate, PlanReference
from core.clock import database_now
from patclaimeval.rubric import CRITERIA, NAMES

# Theirs and not rated in time: it may be given to them again, by the row that is there.
AGAIN = (AssignmentStatus.LAPSED,)


def plan_facts(
    campaign: Campaign, annotators: Sequence[User]
) -> tuple[tuple[PlanReference, ...], tuple[PlanAnnotator, ...]]:
    """Return the references in the campaign's order, and the annotators, as a plan needs them.

    Keys are primary keys as text. Repeats are left out: each is one annotator's own.
    """
    rows = list(
        Assignment.objects.filter(campaign=campaign)
        .order_by()
        .values_list("annotator_id", "candidate_id", "candidate__reference_id", "status")
    )
    holders: defaultdict[UUID, set[str]] = defaultdict(set)
    barred: defaultdict[UUID, set[str]] = defaultdict(set)
    recused: defaultdict[UUID, set[str]] = defaultdict(set)
    loads = Counter[UUID]()
    for who, candidate, reference, status in rows:
        if status in HOLDING:
            holders[candidate].add(str(who))
            loads[who] += 1
        elif status not in AGAIN:
            barred[candidate].add(str(who))
        if status == AssignmentStatus.RECUSED:
            recused[who].add(str(reference))
    members = Membership.objects.filter(campaign=campaign, role=Role.ANNOTATOR)
    quotas = dict(members.values_list("user_id", "quota"))
    people = []
    for user in annotators:
        quota, load = quotas.get(user.pk), loads[user.pk]
        room = None if quota is None else max(quota - load, 0)
        people.append(PlanAnnotator(str(user.pk), room, load, frozenset(recused[user.pk])))
    return _references(campaign, holders, barred), tuple(people)


def _references(
    campaign: Campaign, holders: defaultdict[UUID, set[str]], barred: defaultdict[UUID, set[str]]
) -> tuple[PlanReference, ...]:
    found: dict[UUID, list[PlanCandidate]] = {}
    rows = (
        Candidate.objects.filter(campaign=campaign, reference__erased_at=None)
        .exclude(purpose=Purpose.REPEAT)
        .order_by("reference__position", "reference__reference_id", "candidate_id")
        .values_list("pk", "reference_id", "system", "places", "held")
    )
    for pk, reference, system, places, held in rows:
        free, mine, not_mine = max(places - held, 0), holders[pk], barred[pk]
        candidate = PlanCandidate(str(pk), system, free, frozenset(mine), frozenset(not_mine))
        found.setdefault(reference, []).append(candidate)
    return tuple(PlanReference(str(pk), tuple(group)) for pk, group in found.items())


MOST_LISTED = 50


@dataclass(frozen=True, slots=True)
class Checks:
    """What shows how annotators rate: qualification, sentinels, repeats."""

    qualification: tuple[str, ...]
    qualification_count: int
    sentinels: tuple[tuple[str, int], ...]
    sentinel_ratings: int
    repeats: int
    repeats_rated: int

    @property
    def sentinel_count(self) -> int:
        return sum(count for _, count in self.sentinels)


@dataclass(frozen=True, slots=True)
class AnnotatorProgress:
    """One annotator's share, repeats and sentinels included.

    `overdue` counts what is open past its due date, `last_rated_on` is a day in UTC. `is_admin`
    marks one who may also see others' ratings: reports leave those ratings out unless asked.
    """

    username: str
    assigned: int
    rated: int
    overdue: int = 0
    quota: int | None = None
    last_rated_on: date | None = None
    is_annotator: bool = True
    is_admin: bool = False
    can_work: bool = True

    @property
    def left(self) -> int:
        return self.assigned - self.rated


def annotator_progress(campaign: Campaign, now: datetime) -> tuple[AnnotatorProgress, ...]:
    """Return the annotators of a campaign by name, those who only used to be ones included."""
    counted = (
        Assignment.objects.filter(campaign=campaign)
        .order_by()
        .values("annotator")
        .annotate(
            assigned=Count("pk", filter=Q(status__in=HOLDING)),
            rated=Count("pk", filter=Q(status=AssignmentStatus.SUBMITTED)),
            overdue=Count("pk", filter=Q(status=AssignmentStatus.OPEN, due_at__lt=now)),
            last=Max("rating__revised_at"),
        )
        .values_list("annotator", "assigned", "rated", "overdue", "last")
    )
    counts = {pk: rest for pk, *rest in counted}
    quotas: defaultdict[UUID, dict[str, int | None]] = defaultdict(dict)
    members = Membership.objects.filter(campaign=campaign)
    for pk, role, quota in members.values_list("user_id", "role", "quota"):
        quotas[pk][role] = quota
    annotators = {pk for pk, by_role in quotas.items() if Role.ANNOTATOR in by_role}
    able = set(annotators_of(campaign).values_list("pk", flat=True))
    people = User.objects.filter(pk__in=annotators | counts.keys())
    found = []
    for pk, name in people.values_list("pk", "username"):
        assigned, rated, overdue, last = counts.get(pk, (0, 0, 0, None))
        found.append(
            AnnotatorProgress(
                *(name, assigned, rated, overdue, quotas[pk].get(Role.ANNOTATOR)),
                last_rated_on=last and last.date(),
                is_annotator=pk in annotators,
                is_admin=Role.ADMIN in quotas[pk],
                can_work=pk in able,
            )
        )
    return tuple(sorted(found, key=lambda one: one.username))


def free_places(campaign: Campaign) -> int:
    """Return how many places of the campaign's candidates nobody holds."""
    rows = Candidate.objects.filter(campaign=campaign, held__lt=F("places"))
    free = rows.exclude(purpose=Purpose.REPEAT).aggregate(free=Sum(F("places") - F("held")))
    return free["free"] or 0


def checks_of(campaign: Campaign) -> Checks:
    """Return what is there to check the annotators by; lists are cut, counts are not."""
    references = Reference.objects.filter(
        campaign=campaign, candidates__purpose=Purpose.QUALIFICATION
    ).distinct()
    rows = Candidate.objects.filter(campaign=campaign)
    damages = rows.filter(purpose=Purpose.SENTINEL).values_list("damage", flat=True)
    by_criterion = Counter(damage.get("criterion") for damage in damages)
    hidden = rows.filter(purpose__in=(Purpose.SENTINEL, Purpose.REPEAT))
    rated = Assignment.objects.filter(status=AssignmentStatus.SUBMITTED, candidate__in=hidden)
    times = Counter(rated.values_list("candidate__purpose", flat=True))
    return Checks(
        tuple(references.order_by("position").values_list("reference_id", flat=True)[:MOST_LISTED]),
        references.count(),
        tuple((NAMES[key], by_criterion[key]) for key in CRITERIA),
        times[Purpose.SENTINEL],
        rows.filter(purpose=Purpose.REPEAT).count(),
        times[Purpose.REPEAT],
    )


@dataclass(frozen=True, slots=True)
class FoundReferences:
    """The first references that a search found, by id and title, and how many there are."""

    rows: tuple[tuple[str, str], ...]
    total: int

    @property
    def is_cut(self) -> bool:
        return len(self.rows) < self.total


def find_references(campaign: Campaign, part: str) -> FoundReferences:
    """Return the references with a text in their id or title, in the campaign's order."""
    rows = campaign.references.filter(Q(reference_id__icontains=part) | Q(title__icontains=part))
    first = rows.order_by("position", "pk").values_list("reference_id", "title")[:MOST_LISTED]
    return FoundReferences(tuple(first), rows.count())


MOST_NAMED = 5
SENTINELS = "sentinels"


@dataclass(frozen=True, slots=True)
class PlanRow:
    """What one annotator has now, would get, and would get of each system."""

    username: str
    now: int
    references: int
    candidates: int
    by_system: tuple[int, ...]

    @property
    def total(self) -> int:
        return self.now + self.candidates


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Places that find nobody for one reason, with the first references that they are of."""

    reason: str
    places: int
    references: tuple[str, ...]
    more: int


@dataclass(frozen=True, slots=True)
class PlanTable:
    """A plan in counts; `systems` are letters, and pairs share `least` to `most` references."""

    systems: tuple[str, ...]
    rows: tuple[PlanRow, ...]
    left_out: tuple[LeftOut, ...]
    least: int
    most: int

    @property
    def count(self) -> int:
        return sum(row.candidates for row in self.rows)


def plan_table(campaign: Campaign, plan: Plan, annotators: Sequence[User]) -> PlanTable:
    """Put a plan into counts by annotator and system; the names of systems stay out of it."""
    kinds = _kinds(campaign)
    letters = sorted(set(kinds.values()) - {SENTINELS}, key=lambda kind: (len(kind), kind))
    if SENTINELS in kinds.values():
        letters.append(SENTINELS)
    seen = Counter(
        (share.annotator, kinds[key]) for share in plan.shares for key in share.candidates
    )
    references = Counter(share.annotator for share in plan.shares)
    now = {one.username: one.assigned for one in annotator_progress(campaign, database_now())}
    rows = []
    for user in sorted(annotators, key=lambda user: user.username):
        counts = tuple(seen[str(user.pk), letter] for letter in letters)
        got = references[str(user.pk)]
        rows.append(PlanRow(user.username, now.get(user.username, 0), got, sum(counts), counts))
    members: dict[str, list[str]] = {}
    for share in plan.shares:
        members.setdefault(share.reference, []).append(share.annotator)
    met = Counter(pair for names in members.values() for pair in combinations(sorted(names), 2))
    keys = sorted(str(user.pk) for user in annotators)
    shared = [met[pair] for pair in combinations(keys, 2)] or [0]
    return PlanTable(tuple(letters), tuple(rows), _left_out(plan), min(shared), max(shared))


def _kinds(campaign: Campaign) -> dict[str, str]:
    """Return a letter for the system of each candidate; sentinels are named as what they are."""
    rows = list(
        Candidate.objects.filter(campaign=campaign)
        .exclude(purpose=Purpose.REPEAT)
        .values_list("pk", "system", "purpose")
    )
    systems = sorted({system for _, system, purpose in rows if purpose != Purpose.SENTINEL})
    letters = {system: _letter(number) for number, system in enumerate(systems)}
    return {
        str(pk): SENTINELS if purpose == Purpose.SENTINEL else letters[system]
        for pk, system, purpose in rows
    }


def _letter(number: int) -> str:
    """Return A to Z, then AA, AB and so on."""
    more, place = divmod(number, 26)
    return (_letter(more - 1) if more else "") + chr(ord("A") + place)


def _left_out(plan: Plan) -> tuple[LeftOut, ...]:
    found = []
    for reason in sorted({row.reason for row in plan.unplaced}):
        rows = [row for row in plan.unplaced if row.reason == reason]
        keys = list(dict.fromkeys(row.reference for row in rows))
        rows_of_some = Reference.objects.only("reference_id")
        known = rows_of_some.in_bulk([UUID(key) for key in keys[:MOST_NAMED]])
        named = tuple(known[UUID(key)].reference_id for key in keys[:MOST_NAMED])
        places = sum(row.places for row in rows)
        found.append(LeftOut(reason, places, named, max(len(keys) - MOST_NAMED, 0)))
    return tuple(found)
