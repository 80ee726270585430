"""All scorers keep the same items; what is left out is counted, listed and explained."""

import math

import pytest

from patclaimeval.agreement.items import (
    INFINITE,
    MOST_LISTED,
    NO_SCORE,
    NOT_A_NUMBER,
    TOO_FAR_APART,
    Item,
    ScorerScores,
    comparable_items,
    distinct_texts,
    score_differences,
)

ITEMS = [Item("r", "A", f"b{i}", f"c{i}", 0, id=f"q{i}") for i in range(6)]
COMPLETE = {text: float(place) for place, text in enumerate(distinct_texts(ITEMS))}


def scorer(name: str, changes: dict[str, float | None], reasons: dict[str, str] | None = None):
    scores = dict(COMPLETE)
    for text, score in changes.items():
        if score is None:
            del scores["A", text]
        else:
            scores["A", text] = score
    return ScorerScores(name, "1", scores, {("A", t): why for t, why in (reasons or {}).items()})


def test_complete_scores_leave_every_item() -> None:
    comparable = comparable_items(ITEMS, [scorer("one", {})])
    assert comparable.items == ITEMS
    assert comparable.positions.tolist() == [0, 1, 2, 3, 4, 5]
    assert (
        comparable.dropped["items"],
        comparable.dropped["scorers"],
        comparable.dropped["listed"],
    ) == (0, {}, [])
    assert comparable.set_aside == {}
    comparable = comparable_items([], [scorer("one", {})])
    assert (comparable.items, comparable.set_aside, comparable.dropped["items"]) == ([], {}, 0)


def test_an_item_that_one_scorer_lacks_is_left_out_for_all() -> None:
    scorers = [scorer("one", {"b1": None}), scorer("two", {"c4": math.inf})]
    comparable = comparable_items(ITEMS, scorers)
    assert [item.id for item in comparable.items] == ["q0", "q2", "q3", "q5"]
    assert comparable.positions.tolist() == [0, 2, 3, 5]
    assert comparable.scorers == scorers
    assert all(len(score_differences(comparable.items, one)) == 4 for one in comparable.scorers)
    assert comparable.dropped["scorers"] == {
        "one": {"missing": 1, "infinite": 0, "reasons": {NO_SCORE: 1}},
        "two": {"missing": 0, "infinite": 1, "reasons": {INFINITE: 1}},
    }
    assert comparable.dropped["listed"] == [
        {"id": "q1", "scorers": ["one"], "reason": NO_SCORE},
        {"id": "q4", "scorers": ["two"], "reason": INFINITE},
    ]


def test_reasons_are_the_scorers_own_where_it_gave_one() -> None:
    bad = {"b0": None, "c0": math.inf, "b2": math.nan}
    comparable = comparable_items(ITEMS, [scorer("one", bad, {"b0": "No answer came."})])
    reasons = {"No answer came.": 1, NOT_A_NUMBER: 1}
    assert comparable.dropped["scorers"]["one"] == {"missing": 2, "infinite": 0, "reasons": reasons}


def test_a_missing_score_counts_before_an_infinite_one_on_either_side() -> None:
    for changes in ({"b5": None, "c5": math.inf}, {"b5": -math.inf, "c5": None}):
        found = comparable_items(ITEMS, [scorer("one", changes)]).dropped["scorers"]["one"]
        assert found == {"missing": 1, "infinite": 0, "reasons": {NO_SCORE: 1}}
    # A difference that overflows is infinite.
    comparable = comparable_items(ITEMS, [scorer("one", {"b3": 1e308, "c3": -1e308})])
    found = comparable.dropped["scorers"]["one"]
    assert found == {"missing": 0, "infinite": 1, "reasons": {TOO_FAR_APART: 1}}


def test_an_item_that_two_scorers_lack_is_listed_once_with_both() -> None:
    comparable = comparable_items(
        ITEMS, [scorer("one", {"b1": None}), scorer("two", {"b1": math.nan})]
    )
    assert comparable.dropped["items"] == 1
    assert comparable.dropped["listed"] == [
        {"id": "q1", "scorers": ["one", "two"], "reason": NO_SCORE}
    ]


@pytest.mark.parametrize(("failing", "is_set_aside"), [(3, False), (4, True)])
def test_a_scorer_that_fails_on_more_than_half_takes_no_items(failing, is_set_aside) -> None:
    scorers = [scorer("bad", {f"b{i}": None for i in range(failing)}), scorer("good", {})]
    comparable = comparable_items(ITEMS, scorers)
    assert len(comparable.items) == (6 if is_set_aside else 3)
    assert [one.name for one in comparable.scorers] == (
        ["good"] if is_set_aside else ["bad", "good"]
    )
    assert (
        comparable.dropped["items"]
        == len(ITEMS) - len(comparable.items)
        == len(comparable.dropped["listed"])
    )
    assert comparable.dropped["scorers"]["bad"]["missing"] == failing
    if is_set_aside:
        assert f"{failing} of 6 items" in comparable.set_aside["bad"]
        assert NO_SCORE in comparable.set_aside["bad"]


def test_no_more_than_a_hundred_dropped_items_are_listed() -> None:
    items = [Item("r", "A", f"b{i}", "c", 0, id=str(i)) for i in range(300)]
    scores = {("A", "c"): 0.0} | {("A", f"b{i}"): 1.0 for i in range(180)}
    dropped = comparable_items(items, [ScorerScores("one", "1", scores)]).dropped
    assert (dropped["items"], len(dropped["listed"])) == (120, MOST_LISTED)
    assert dropped["listed"][0]["id"] == "180"


def test_scorers_that_fail_on_different_items_may_leave_none() -> None:
    first, second = ({f"b{i}": None for i in part} for part in (range(3), range(3, 6)))
    comparable = comparable_items(ITEMS, [scorer("one", first), scorer("two", second)])
    assert (comparable.items, comparable.dropped["items"]) == ([], 6)
