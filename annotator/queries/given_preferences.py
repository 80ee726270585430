"""The preferences of a campaign, each pair of candidates in one fixed orientation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from annotator.models import Campaign, Preference
from annotator.queries.rating_inputs import State, rating_admins
from annotator.rubric import ALL_CRITERIA

if TYPE_CHECKING:
    from annotator.reliability.tables import Table


@dataclass(frozen=True, slots=True)
class GivenPreference:
    """What one annotator said of a pair: 1 where the candidate with the smaller id is better."""

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
    """Read every preference of a campaign; those of its admins are left out and counted."""
    found = list(
        Preference.objects.filter(comparison__campaign=campaign).values_list(
            *("version", "revised_at", "comparison__pair", "comparison__annotator_id"),
            *("comparison__left_id", "comparison__right_id", "comparison__left__reference_id"),
            *ALL_CRITERIA,
        )
    )
    admins = set(rating_admins(campaign))
    rows = []
    for _, _, pair, annotator, left, right, reference, *said in found:
        if str(annotator) in admins:
            continue
        sign = 1 if str(left) < str(right) else -1
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
