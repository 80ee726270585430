"""What differs between two versions of a dataset, and why."""

from typing import Any

from annotator.rubric import ALL_CRITERIA
from scoring.datasets.versions.comparisons import (
    MORE_RATINGS,
    MOST_LISTED,
    OTHER_RATINGS,
    POLICY,
    REVISED,
    RULED,
    TIE_BAND,
    Making,
    Record,
    find_differences,
)

COMPLETENESS = ALL_CRITERIA[0]
SETTLED = Making("settled", 0.0)


def record(pair: int, label: int | None = 1, **changes: Any) -> Record:
    """A record that is labelled for completeness only."""
    made = {"pair": pair, "is_turned": False, "split": "train"}
    made |= {"ratings": 10, "adjudications": 20, "rating_count": 2}
    return {**dict.fromkeys(ALL_CRITERIA), COMPLETENESS: label, **made, **changes}


def differences(one: list[Record], other: list[Record], after: Making = SETTLED):
    return find_differences(one, other, SETTLED, after)


def only_change(old: Record, new: Record, after: Making = SETTLED):
    (change,) = differences([old], [new], after).changes
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


def test_a_changed_label_is_shown_from_before_to_after() -> None:
    change = only_change(record(1, 1), record(1, -1))
    assert change.labels == {COMPLETENESS: (1, -1)}
    assert change.numbers == (1, 1)
    found = differences([record(1, 1), record(2, 0)], [record(1, -1), record(2, -1)])
    assert found.moves == {(COMPLETENESS, 1, -1): 1, (COMPLETENESS, 0, -1): 1}


def test_a_label_that_came_or_went_is_a_change() -> None:
    assert only_change(record(1, None), record(1, 0)).labels == {COMPLETENESS: (None, 0)}
    assert only_change(record(1, 0), record(1, None)).labels == {COMPLETENESS: (0, None)}


def test_swapped_sides_turn_the_label_and_change_nothing() -> None:
    found = differences([record(1, 1)], [record(1, -1, is_turned=True)])
    assert found.changed_count == 0
    change = only_change(record(1, 1), record(1, 1, is_turned=True))
    assert change.labels == {COMPLETENESS: (-1, 1)}
    assert not differences([record(1, None)], [record(1, None, is_turned=True)]).changes


def test_each_reason_is_found_where_it_applies_and_only_there() -> None:
    old, new = record(1, 1), record(1, 0)
    more = {**new, "ratings": 11, "rating_count": 3}
    assert only_change(old, more).reasons == (MORE_RATINGS,)
    assert only_change(old, {**new, "ratings": 11}).reasons == (OTHER_RATINGS,)
    assert only_change(old, {**new, "adjudications": 21}).reasons == (RULED,)
    assert only_change(old, new, Making("majority", 0.0)).reasons == (POLICY,)
    assert only_change(old, new, Making("settled", 0.5)).reasons == (TIE_BAND,)
    assert only_change(old, more, Making("majority", 0.5)).reasons == (
        *(MORE_RATINGS, POLICY, TIE_BAND),
    )
    # The same ratings under the same rules: what is left is what they say.
    assert only_change(old, new).reasons == (REVISED,)


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
