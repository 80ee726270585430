from collections.abc import Sequence
from typing import Any

import pytest

from patclaimeval.rubric import ALL_CRITERIA
from scoring.datasets.versions.comparisons import (
    MORE_RATINGS,
    MOST_LISTED,
    OTHER_RATINGS,
    POLICY,
    REVISED,
    RULED,
    TIE_BAND,
    Record,
    find_differences,
    rules_changed,
)

COMPLETENESS = ALL_CRITERIA[0]


def record(pair: int, label: int | None = 1, **changes: Any) -> Record:
    """A record that is labelled for completeness only."""
    made = {"pair": pair, "is_turned": False, "split": "train"}
    made |= {"ratings": 10, "adjudications": 20, "rating_count": 2}
    return {**dict.fromkeys(ALL_CRITERIA), COMPLETENESS: label, **made, **changes}


def differences(one: list[Record], other: list[Record], settings: Sequence[str] = ()):
    return find_differences(one, other, settings)


def only_change(old: Record, new: Record, settings: Sequence[str] = ()):
    (change,) = differences([old], [new], settings).changes
    return change


def test_the_same_rows_differ_in_nothing() -> None:
    rows = [record(1), record(2, 0), record(3, -1)]
    found = differences(rows, list(reversed(rows)))
    assert (found.in_both, found.added_count, found.removed_count) == (3, 0, 0)
    assert (found.changed_count, found.moved_count, found.changes) == (0, 0, [])


def test_rows_of_one_version_only_are_named_by_their_places_there() -> None:
    found = differences([record(1), record(2), record(3)], [record(4), record(2), record(5)])
    assert (found.in_both, found.added, found.removed) == (1, [1, 3], [1, 3])
    assert (found.added_count, found.removed_count) == (2, 2)


@pytest.mark.parametrize(("before", "after"), [(1, -1), (None, 0), (0, None)])
def test_a_label_that_changed_or_came_or_went_is_a_change(before, after) -> None:
    change = only_change(record(1, before), record(1, after))
    assert change.labels == {COMPLETENESS: (before, after)}
    assert change.numbers == (1, 1)


def test_changes_are_counted_by_what_they_are() -> None:
    found = differences([record(1, 1), record(2, 0)], [record(1, -1), record(2, -1)])
    assert found.moves == {(COMPLETENESS, 1, -1): 1, (COMPLETENESS, 0, -1): 1}


def test_swapped_sides_turn_the_label_and_change_nothing() -> None:
    found = differences([record(1, 1)], [record(1, -1, is_turned=True)])
    assert found.changed_count == 0
    change = only_change(record(1, 1), record(1, 1, is_turned=True))
    assert change.labels == {COMPLETENESS: (-1, 1)}
    assert not differences([record(1, None)], [record(1, None, is_turned=True)]).changes


@pytest.mark.parametrize(
    ("new", "after", "reasons"),
    [
        ({"ratings": 11, "rating_count": 3}, {}, (MORE_RATINGS,)),
        ({"ratings": 11}, {}, (OTHER_RATINGS,)),
        ({"adjudications": 21}, {}, (RULED,)),
        ({}, {"policy": "majority"}, (POLICY,)),
        ({}, {"policy_version": 2}, (POLICY,)),
        ({}, {"tie_band": 0.5}, (TIE_BAND,)),
        (
            {"ratings": 11, "rating_count": 3},
            {"policy": "majority", "tie_band": 0.5},
            (MORE_RATINGS, POLICY, TIE_BAND),
        ),
        # The same ratings under the same rules: what is left is what they say.
        ({}, {"policy_version": 1, "tie_band": 0}, (REVISED,)),
    ],
)
def test_each_reason_is_found_where_it_applies_and_only_there(new, after, reasons) -> None:
    card = {"policy": "settled", "tie_band": 0.0}
    settings = rules_changed(card, card | after)
    assert only_change(record(1, 1), record(1, 0, **new), settings).reasons == reasons


def test_more_ratings_that_change_no_label_are_no_change() -> None:
    assert not differences([record(1)], [record(1, ratings=11, rating_count=3)]).changes


def test_a_row_in_another_split_is_moved_and_needs_no_reason() -> None:
    found = differences([record(1)], [record(1, split="test")])
    assert (found.moved_count, found.changed_count, found.differing_count) == (1, 0, 1)
    assert found.changes[0].split == ("train", "test")
    assert found.changes[0].reasons == ()


def test_lists_end_and_counts_do_not() -> None:
    many = MOST_LISTED + 5
    found = differences([record(n) for n in range(many)], [record(n + many) for n in range(many)])
    assert (len(found.added), len(found.removed)) == (MOST_LISTED, MOST_LISTED)
    assert (found.added_count, found.removed_count) == (many, many)
    changed = differences([record(n) for n in range(many)], [record(n, 0) for n in range(many)])
    assert (len(changed.changes), changed.changed_count) == (MOST_LISTED, many)
    assert changed.why == {REVISED: many}
