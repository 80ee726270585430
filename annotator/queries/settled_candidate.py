"""One candidate's settled values with every row that they follow from."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from uuid import UUID

from annotator.conflicts.settled import SettledValue, points_text
from annotator.models import GENUINE, Assignment, AssignmentStatus, Campaign, Candidate
from annotator.queries.annotator_names import Names
from annotator.queries.candidate_history import (
    AskedRound,
    FoundConflict,
    GivenRating,
    GivenRuling,
    conflicts_on,
    given_ratings,
    rounds_on,
    rulings_on,
)
from annotator.queries.settled_values import SettledCandidate, settled_references


@dataclass(frozen=True, slots=True)
class Derivation:
    """How one criterion's values follow: the settled one, and the majority's."""

    value: SettledValue
    settled: str
    majority: str


@dataclass(frozen=True, slots=True)
class CandidateTrace:
    """Everything that the page of one candidate shows."""

    reference_id: str
    title: str
    candidate: SettledCandidate
    ratings: tuple[GivenRating, ...]
    rounds: tuple[AskedRound, ...]
    conflicts: tuple[FoundConflict, ...]
    rulings: tuple[GivenRuling, ...]
    derivations: tuple[Derivation, ...]


def candidate_trace(campaign: Campaign, pk: UUID, names: Names) -> CandidateTrace:
    """Return the page of a genuine candidate; raises Candidate.DoesNotExist for any other.

    `names` calls annotators by user id; without any, no single rating is told.
    """
    genuine = Candidate.objects.filter(campaign=campaign, purpose__in=GENUINE)
    row = genuine.select_related("reference").defer("claims", "reference__claims").get(pk=pk)
    (reference,) = settled_references(campaign, [row.reference])
    candidate = next(one for one in reference.candidates if one.pk == pk)
    siblings = genuine.filter(reference=row.reference_id)
    rulings = rulings_on(pk, names)
    return CandidateTrace(
        reference.reference_id,
        reference.title,
        candidate,
        ratings=given_ratings(pk, names) if names else (),
        rounds=rounds_on(pk),
        conflicts=conflicts_on(pk, dict(siblings.values_list("pk", "candidate_id"))),
        rulings=rulings,
        derivations=tuple(
            Derivation(value, _settled_words(value, rulings, bool(names)), _majority_words(value))
            for value in candidate.values
        ),
    )


def raters_of(campaign: Campaign) -> list[str]:
    """Return the ids of everybody who has rated in a campaign."""
    rows = Assignment.objects.filter(campaign=campaign, status=AssignmentStatus.SUBMITTED)
    return [str(pk) for pk in rows.order_by().values_list("annotator_id", flat=True).distinct()]


def _settled_words(value: SettledValue, rulings: Sequence[GivenRuling], tells_each: bool) -> str:
    """Say how the settled value follows: from the ruling, or as the mean of what was given."""
    if value.settled is None:
        return "nobody has rated it"
    exact = _exact(value.settled)
    valid = next((one for one in rulings if one.is_valid), None)
    if valid is None:
        given = " + ".join(map(str, value.given)) if tells_each else "what was given"
        return f"the mean: ({given}) / {len(value.given)} = {exact}"
    if valid.taken_from:
        return f"ruled, taken from {valid.taken_from}: {exact}"
    return f"ruled, {valid.row.get_decision_display()}: {exact}"


def _majority_words(value: SettledValue) -> str:
    if value.majority is None:
        return "no majority"
    times = value.given.count(value.majority)
    return f"{points_text(value.majority)}, given by {times} of {len(value.given)}"


def _exact(value: Fraction) -> str:
    is_whole = value.denominator == 1
    return str(value) if is_whole else f"{value}, shown as {points_text(value)}"
