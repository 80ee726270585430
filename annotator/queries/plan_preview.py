"""A plan as the plan page shows it: counts for each annotator and system, and what finds nobody."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from uuid import UUID

from annotator.models import Campaign, Candidate, Purpose, Reference, User
from annotator.plans.making import Plan
from annotator.queries.plan_page import people_at_work

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
    letters = sorted({kind for kind in kinds.values() if kind != SENTINELS}, key=_by_length)
    if SENTINELS in kinds.values():
        letters.append(SENTINELS)
    seen = Counter(
        (share.annotator, kinds[key]) for share in plan.shares for key in share.candidates
    )
    references = Counter(share.annotator for share in plan.shares)
    now = {row.username: row.assigned for row in people_at_work(campaign)}
    rows = []
    for user in sorted(annotators, key=lambda user: user.username):
        counts = tuple(seen[str(user.pk), letter] for letter in letters)
        got = references[str(user.pk)]
        rows.append(PlanRow(user.username, now.get(user.username, 0), got, sum(counts), counts))
    met = _meetings(plan, [str(user.pk) for user in annotators])
    return PlanTable(
        tuple(letters), tuple(rows), _left_out(plan), min(met, default=0), max(met, default=0)
    )


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


def _by_length(letter: str) -> tuple[int, str]:
    return len(letter), letter


def _meetings(plan: Plan, keys: Sequence[str]) -> list[int]:
    """Return how many references of the plan each pair of annotators would share."""
    members: dict[str, list[str]] = {}
    for share in plan.shares:
        members.setdefault(share.reference, []).append(share.annotator)
    met = Counter(pair for names in members.values() for pair in combinations(sorted(names), 2))
    return [met[pair] for pair in combinations(sorted(keys), 2)]


def _left_out(plan: Plan) -> tuple[LeftOut, ...]:
    found = []
    for reason in sorted({row.reason for row in plan.unplaced}):
        rows = [row for row in plan.unplaced if row.reason == reason]
        keys = list(dict.fromkeys(row.reference for row in rows))
        names = dict(
            Reference.objects.filter(pk__in=[UUID(key) for key in keys[:MOST_NAMED]]).values_list(
                "pk", "reference_id"
            )
        )
        named = tuple(names[UUID(key)] for key in keys[:MOST_NAMED])
        places = sum(row.places for row in rows)
        found.append(LeftOut(reason, places, named, max(len(keys) - MOST_NAMED, 0)))
    return tuple(found)
