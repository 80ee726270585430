"""The ratings of a campaign as the tables that the reliability room measures.

numpy comes in when a table is made, which only a worker or a command does.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final
from uuid import UUID

from django.db.models import F

from annotator.models import GENUINE, Campaign, Candidate, Purpose
from annotator.queries.given_ratings import GivenRating, GivenRatings, is_genuine
from annotator.rubric import CRITERIA, HIGHEST, OVERALL, TOTAL_WEIGHT

if TYPE_CHECKING:
    from annotator.reliability.tables import Repeat, Sentinel, Table

ALONE: Final = "a repeat whose first rating does not count"
UNKNOWN_DAMAGE: Final = "a sentinel that does not say which criterion it damages"

Own = dict[tuple[UUID, str], GivenRating]


def unit_of(criterion: str) -> int:
    """Return how many units of a stored score make one point: the overall is over 11."""
    return TOTAL_WEIGHT if criterion == OVERALL else 1


def score_table(rows: Iterable[GivenRating], criterion: str) -> Table:
    """Return the genuine ratings on one criterion: candidates by annotators."""
    from annotator.reliability.tables import table_of

    return table_of(
        (str(row.candidate), row.reference, row.annotator, row.scores[criterion])
        for row in rows
        if is_genuine(row)
    )


def position_table(rows: Iterable[GivenRating]) -> Table:
    """Return for each genuine rating its place in its annotator's own work."""
    from annotator.reliability.tables import table_of

    return table_of(
        (str(row.candidate), row.reference, row.annotator, row.position)
        for row in rows
        if is_genuine(row)
    )


def repeated_ratings(
    campaign: Campaign, given: GivenRatings
) -> tuple[tuple[GivenRating, GivenRating], ...]:
    """Return first and second rating of each hidden repeat, by the same annotator."""
    own = _own(given)
    originals = dict(
        Candidate.objects.filter(campaign=campaign, purpose=Purpose.REPEAT).values_list(
            "pk", "original_id"
        )
    )
    pairs = []
    for row in given.rows:
        if row.purpose != Purpose.REPEAT:
            continue
        original = originals.get(row.candidate)
        first = own.get((original, row.annotator)) if original else None
        if first is None:
            given.left_out[ALONE] += 1
        else:
            pairs.append((first, row))
    return tuple(pairs)


def repeats_of(
    pairs: Iterable[tuple[GivenRating, GivenRating]], criterion: str
) -> tuple[Repeat, ...]:
    """Return the repeats on one criterion, in its units."""
    from annotator.reliability.tables import Repeat

    return tuple(
        Repeat(one.annotator, one.reference, one.scores[criterion], two.scores[criterion])
        for one, two in pairs
    )


def sentinels_of(campaign: Campaign, given: GivenRatings) -> tuple[tuple[Sentinel, ...], int]:
    """Return the sentinels that were rated, and for how many the untouched scores are assumed.

    A sentinel is the reference, damaged. Untouched, it is a candidate that equals the reference:
    where the annotator rated one, those scores count, else full marks, which the reference has
    against itself.
    """
    from annotator.reliability.tables import Sentinel

    twins = _twins(campaign)
    own = _own(given)
    damaged = dict(
        Candidate.objects.filter(campaign=campaign, purpose=Purpose.SENTINEL).values_list(
            "pk", "damage"
        )
    )
    found, assumed = [], 0
    for row in given.rows:
        if row.purpose != Purpose.SENTINEL:
            continue
        criterion = damaged.get(row.candidate, {}).get("criterion")
        if criterion not in CRITERIA:
            given.left_out[UNKNOWN_DAMAGE] += 1
            continue
        twin = own.get((twins[row.reference], row.annotator)) if row.reference in twins else None
        assumed += twin is None
        untouched = _four(twin) if twin else dict.fromkeys(CRITERIA, HIGHEST)
        found.append(Sentinel(row.annotator, row.reference, criterion, untouched, _four(row)))
    return tuple(found), assumed


def _own(given: GivenRatings) -> Own:
    return {(row.candidate, row.annotator): row for row in given.rows if is_genuine(row)}


def _four(row: GivenRating) -> dict[str, int]:
    return {criterion: row.scores[criterion] for criterion in CRITERIA}


def _twins(campaign: Campaign) -> dict[str, UUID]:
    """Return for each reference the candidate that is its own text, where there is one."""
    rows = Candidate.objects.filter(
        campaign=campaign, purpose__in=GENUINE, claims_sha256=F("reference__claims_sha256")
    )
    return {str(reference): pk for reference, pk in rows.values_list("reference_id", "pk")}
