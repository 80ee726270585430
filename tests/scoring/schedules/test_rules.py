"""When a chain is due, and what a report says of a new model and the promoted one."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from scoring.schedules.rules import (
    TOO_FEW,
    Rhythm,
    compare,
    has_enough,
    last_night,
    may_begin,
    newly_settled,
)

NOON = datetime(2026, 3, 5, 12, 0, tzinfo=UTC)
NEW, PROMOTED = "model:new", "model:promoted"


def document(**pair: Any) -> dict[str, Any]:
    """Return what a report holds of a test of both models, with what is given."""
    given = {"first": NEW, "second": PROMOTED, "difference": 0.0, "verdict": "cannot tell"} | pair
    given = {"low": -0.3, "high": 0.1, "p_holm": 0.02} | given
    smallest = given.pop("smallest_p", 0.01)
    families = [{"name": "scorers", "pairs": [given | {"sentence": "They compare so."}]}]
    return {
        "scorers": {NEW: {"unavailable": ""}, PROMOTED: {"unavailable": ""}},
        "comparisons": {"families": families, "smallest_p": smallest, "alpha": 0.05},
    }


@pytest.mark.parametrize(("hour", "expected"), [(2, 5), (12, 5), (13, 4), (23, 4), (0, 5)])
def test_last_night_is_the_latest_time_that_it_was_that_hour(hour, expected) -> None:
    assert last_night(hour, NOON) == datetime(2026, 3, expected, hour, tzinfo=UTC)


def test_a_nightly_chain_waits_for_the_hour_and_begins_once_a_night() -> None:
    nightly = Rhythm(None, 2)
    night = NOON.replace(hour=2)
    assert may_begin(nightly, began_at=night - timedelta(seconds=1), now=NOON)
    assert not may_begin(nightly, began_at=night, now=NOON)
    assert not may_begin(nightly, began_at=night, now=NOON + timedelta(hours=13))
    assert may_begin(nightly, began_at=night, now=NOON + timedelta(hours=14))
    assert has_enough(nightly, 1) and not has_enough(nightly, 0)


def test_a_chain_by_count_waits_for_the_count_at_any_hour() -> None:
    by_count = Rhythm(3, None)
    assert may_begin(by_count, began_at=NOON, now=NOON)
    assert [has_enough(by_count, fresh) for fresh in (0, 2, 3, 4)] == [False, False, True, True]


def test_reopened_candidates_are_no_negative_count() -> None:
    assert (newly_settled(5, 8), newly_settled(8, 5)) == (3, 0)


@pytest.mark.parametrize(
    ("pair", "is_worse", "said"),
    [
        ({}, False, "We cannot tell the new model and the promoted one apart"),
        (
            {"verdict": "better"},
            False,
            "The new model agrees better with annotators than the promoted",
        ),
        (
            {"verdict": "worse"},
            True,
            "The new model agrees worse with annotators than the promoted",
        ),
        # As a report may hold them the other way round.
        ({"first": PROMOTED, "second": NEW, "verdict": "better"}, True, "The promoted one agrees"),
        ({"first": PROMOTED, "second": NEW, "verdict": "worse"}, False, "The promoted one agrees"),
        # A lower figure that no test confirms is not worse; it is a concern for people.
        ({"difference": -0.2}, False, "a difference in tau-b of -0.200"),
    ],
)
def test_the_test_of_the_report_says_which_is_worse(pair, is_worse, said) -> None:
    found = compare(document(**pair), NEW, PROMOTED)
    assert found.is_worse == is_worse
    assert said in found.sentence


def test_where_no_test_was_possible_nothing_is_said_to_be_not_worse() -> None:
    undefined = compare(document(difference=None), NEW, PROMOTED)
    assert (undefined.is_worse, undefined.sentence) == (None, "They compare so.")
    few = compare(document(smallest_p=0.0625), NEW, PROMOTED)
    assert (few.is_worse, few.sentence) == (None, TOO_FEW)
    holm = document()
    holm["comparisons"] |= {"is_reachable": False, "tests": 8}
    assert compare(holm, NEW, PROMOTED).sentence == TOO_FEW
    absent = compare(document(second="bleu-1"), NEW, PROMOTED)
    assert absent.is_worse is None and "no test" in absent.sentence
    broken = document()
    broken["scorers"][PROMOTED]["unavailable"] = "Its files are gone."
    assert compare(broken, NEW, PROMOTED).sentence == "Its files are gone."
    assert compare(document() | {"comparisons": {}}, NEW, PROMOTED).is_worse is None
