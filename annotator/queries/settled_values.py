"""The settled values of a campaign's candidates: derived from ratings and rulings, never stored."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final
from uuid import UUID

from django.db.models import Q, QuerySet

from annotator.conflicts.settled import SettledValue, settle
from annotator.models import (
    GENUINE,
    UNSETTLED,
    Campaign,
    Candidate,
    Conflict,
    ConflictStatus,
    Rating,
    Reference,
    Ruling,
)
from annotator.queries.locks import locked_candidates
from annotator.rubric import CRITERIA, OVERALL, TOTAL_WEIGHT

Points = dict[str, Fraction]
# What a candidate is in, by the statuses of its conflicts; the first that applies.
STATES: Final = (
    (ConflictStatus.OPEN, "open conflict"),
    (ConflictStatus.WAITING, "waiting for annotators"),
)


@dataclass(frozen=True, slots=True)
class SettledCandidate:
    """A candidate with what counts for it; `system` is "" where it is hidden."""

    pk: UUID
    name: str
    system: str
    ratings: int
    state: str
    is_settled: bool
    is_locked: bool
    values: tuple[SettledValue, ...]


@dataclass(frozen=True, slots=True)
class SettledReference:
    """A reference with its genuine candidates."""

    reference_id: str
    title: str
    candidates: tuple[SettledCandidate, ...]


def references_with_candidates(campaign: Campaign) -> QuerySet[Reference]:
    """Return the references of a campaign in their order, without texts."""
    rows = Reference.objects.filter(campaign=campaign).order_by("position", "reference_id", "pk")
    return rows.only("reference_id", "title")


def settled_references(
    campaign: Campaign, references: Sequence[Reference]
) -> tuple[SettledReference, ...]:
    """Return the candidates of some references with their settled values.

    The system is told once the campaign is closed.
    """
    rows = Candidate.objects.filter(reference__in=references, purpose__in=GENUINE)
    candidates = list(rows.order_by("candidate_id").only("candidate_id", "system", "reference_id"))
    by_reference: dict[UUID, list[Candidate]] = {}
    for row in candidates:
        by_reference.setdefault(row.reference_id, []).append(row)
    facts = _Facts.of(campaign, [row.pk for row in candidates])
    found = []
    for reference in references:
        own = by_reference.get(reference.pk, [])
        settled = tuple(facts.settled(row, "" if campaign.is_open else row.system) for row in own)
        found.append(SettledReference(reference.reference_id, reference.title, settled))
    return tuple(found)


def rating_points(rating: Mapping[str, Any]) -> Points:
    """Return the five points of a rating's scores and overall numerator, exactly."""
    points = {criterion: Fraction(rating[criterion]) for criterion in CRITERIA}
    return points | {OVERALL: Fraction(rating["overall_numerator"], TOTAL_WEIGHT)}


def ruling_points(scores: Mapping[str, str]) -> Points:
    """Return the points of a ruling, which are kept as fractions in text."""
    return {criterion: Fraction(value) for criterion, value in scores.items()}


def state_of(statuses: Collection[str], *, ratings: int, is_ruled: bool) -> str:
    """Say in words where a candidate stands, by the statuses of its conflicts."""
    if not ratings:
        return "not rated"
    for status, words in STATES:
        if status in statuses:
            return words
    return "ruled" if is_ruled else "no conflict"


@dataclass(frozen=True, slots=True)
class _Facts:
    """What the values of some candidates follow from, by candidate."""

    ratings: Mapping[UUID, list[Points]]
    rulings: Mapping[UUID, Points]
    statuses: Mapping[UUID, set[str]]
    locked: Collection[UUID]

    @classmethod
    def of(cls, campaign: Campaign, pks: Sequence[UUID]) -> "_Facts":
        ratings: dict[UUID, list[Points]] = {}
        fields = ("candidate_id", "overall_numerator", *CRITERIA)
        for row in Rating.objects.filter(candidate__in=pks).order_by("pk").values(*fields):
            ratings.setdefault(row["candidate_id"], []).append(rating_points(row))
        valid = Ruling.objects.filter(candidate__in=pks, is_valid=True)
        return cls(
            ratings,
            {
                pk: ruling_points(scores)
                for pk, scores in valid.values_list("candidate_id", "scores")
            },
            _unsettled(pks),
            set(locked_candidates(campaign).filter(pk__in=pks).values_list("pk", flat=True)),
        )

    def settled(self, row: Candidate, system: str) -> SettledCandidate:
        ratings, ruling = self.ratings.get(row.pk, []), self.rulings.get(row.pk)
        statuses = self.statuses.get(row.pk, set())
        return SettledCandidate(
            row.pk,
            row.candidate_id,
            system,
            len(ratings),
            state_of(statuses, ratings=len(ratings), is_ruled=ruling is not None),
            is_settled=bool(ratings) and not statuses,
            is_locked=row.pk in self.locked,
            values=settle(ratings, ruling),
        )


def _unsettled(pks: Sequence[UUID]) -> dict[UUID, set[str]]:
    """Return the statuses of unsettled conflicts; an order flip disputes both its candidates."""
    rows = Conflict.objects.filter(
        Q(candidate__in=pks) | Q(other_candidate__in=pks), status__in=UNSETTLED
    )
    found: dict[UUID, set[str]] = {}
    for *pair, status in rows.values_list("candidate_id", "other_candidate_id", "status"):
        for pk in pair:
            found.setdefault(pk, set()).add(status)
    return found
