"""The preferences of a campaign, each pair of candidates in one fixed orientation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

from annotator.models import Campaign, Preference
from annotator.queries.rating_inputs import State, rating_admins
from annotator.rubric import ALL_CRITERIA

if TYPE_CHECKING:
    from annotator.reliability.tables import Table


@dataclass(frozen=True, slots=True)
class GivenPreference:
    """What one annotator said of a pair: 1 where the candidate first shown left is better."""

    pair: str
    reference: str
    annotator: str
    answers: dict[str, int]


@dataclass(frozen=True, slots=True)
class GivenPreferences:
    """What was read by one statement, its state, and how many an admin of the campaign gave."""

    rows: tuple[GivenPreference, ...]
    state: State
    by_admins: int = 0


def given_preferences(campaign: Campaign) -> GivenPreferences:
    """Read every preference of a campaign; those of its admins are left out and counted.

    Annotators may have seen a pair either way round, and what agreement is expected by chance
    depends on which side is called left. Every pair is read as its first comparison was shown:
    ids are random, and would give the same ratings other figures in every copy of the campaign.
    """
    found = list(
        Preference.objects.filter(comparison__campaign=campaign)
        .order_by("comparison__created_at", "comparison__position", "comparison_id")
        .values_list(
            *("version", "revised_at", "comparison__pair", "comparison__annotator_id"),
            *("comparison__left_id", "comparison__left__reference_id"),
            *ALL_CRITERIA,
        )
    )
    admins = set(rating_admins(campaign))
    rows = []
    first_left: dict[str, UUID] = {}
    for _, _, pair, annotator, left, reference, *said in found:
        if str(annotator) in admins:
            continue
        sign = 1 if first_left.setdefault(pair, left) == left else -1
        answers = {
            criterion: sign * value
            for criterion, value in zip(ALL_CRITERIA, said, strict=True)
            if value is not None
        }
        rows.append(GivenPreference(pair, str(reference), str(annotator), answers))
    state = State.of_rows((version, at) for version, at, *_ in found)
    return GivenPreferences(tuple(rows), state, len(found) - len(rows))


def preference_table(rows: Iterable[GivenPreference], criterion: str) -> Table:
    """Return the answers on one criterion: pairs by annotators; unanswered ones are gaps."""
    from annotator.reliability.tables import table_of

    return table_of(
        (row.pair, row.reference, row.annotator, row.answers[criterion])
        for row in rows
        if criterion in row.answers
    )
