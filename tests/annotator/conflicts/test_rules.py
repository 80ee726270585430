import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.conflicts.rules import ConflictRules, Finding, find_flips, widest_flips
from tests.amounts import tries
from tests.annotator.conflicts.findings import find_conflicts, rated

RULES = ConflictRules()


def test_opposite_orders_conflict_only_when_both_gaps_reach_a_point() -> None:
    flip = [
        rated("alice", "c1", 7, 7, 7, 7),
        rated("alice", "c2", 6, 6, 6, 6),
        rated("bob", "c1", 6, 6, 6, 6),
        rated("bob", "c2", 7, 7, 7, 7),
    ]
    assert find_conflicts(flip, RULES) == [Finding("order_flip", "c1", "c2", "", 11)]
    flip[3] = rated("bob", "c2", 7, 7, 7, 6)
    assert find_conflicts(flip, RULES) == []


@pytest.mark.parametrize(
    ("scores", "found"),
    [
        ([(8, 8, 8, 8), (8, 6, 8, 8)], []),
        (
            [(8, 8, 8, 8), (8, 5, 8, 8)],
            [Finding("criterion_gap", "c1", "", "conceptual_clarity", 3)],
        ),
        # 22 numerators apart, and no criterion differs by three.
        ([(8, 8, 8, 8), (6, 6, 6, 6)], [Finding("overall_gap", "c1", "", "", 22)]),
        ([(8, 8, 8, 8), (6, 7, 6, 6)], []),
        (
            [(9, 5, 5, 5), (6, 5, 5, 5), (5, 5, 5, 5)],
            [Finding("criterion_gap", "c1", "", "feature_completeness", 4)],
        ),
    ],
    ids=["a gap of two", "of three", "two points overall", "less overall", "the largest of three"],
)
def test_gaps_conflict_from_their_limit_on_and_the_largest_is_reported_once(scores, found) -> None:
    ratings = [rated(f"p{number}", "c1", *values) for number, values in enumerate(scores)]
    assert find_conflicts(ratings, RULES) == found


def test_one_annotator_never_conflicts_with_themselves() -> None:
    alone = [rated("alice", "c1", 0, 0, 0, 0), rated("alice", "c2", 10, 10, 10, 10)]
    assert find_conflicts(alone, RULES) == []


LADDER = ConflictRules(has_ladder=True)


def test_with_a_ladder_two_are_measured_as_ever() -> None:
    pair = [rated("alice", "c1", 9, 5, 5, 5), rated("bob", "c1", 6, 5, 5, 5)]
    assert find_conflicts(pair, LADDER) == find_conflicts(pair, RULES) != []


def test_with_a_ladder_a_third_who_agrees_with_one_settles_that_criterion_only() -> None:
    three = [
        rated("alice", "c1", 9, 9, 5, 5),
        rated("bob", "c1", 1, 1, 5, 5),
        rated("carl", "c1", 8, 5, 5, 5),
    ]
    left = find_conflicts(three, LADDER)
    assert left == [Finding("criterion_gap", "c1", "", "conceptual_clarity", 8)]
    # The overall: carl is within two points of alice.
    assert Finding("overall_gap", "c1", "", "", 48) in find_conflicts(three, RULES)


def test_with_a_ladder_the_order_that_most_give_stands() -> None:
    orders = {"alice": (5, 6), "bob": (6, 5), "carl": (5, 6)}
    ratings = [
        rated(person, candidate, *[value] * 4)
        for person, values in orders.items()
        for candidate, value in zip(("c1", "c2"), values, strict=True)
    ]
    assert find_conflicts(ratings, RULES) == [Finding("order_flip", "c1", "c2", "", 11)]
    assert find_conflicts(ratings, LADDER) == []
    ratings[-1] = rated("carl", "c2", 5, 5, 5, 5)  # a tie decides nothing
    assert find_conflicts(ratings, LADDER) == [Finding("order_flip", "c1", "c2", "", 11)]


def test_of_all_flips_each_candidate_keeps_its_widest() -> None:
    flips = {("c1", "c2"): 11, ("c1", "c3"): 33, ("c2", "c3"): 22, ("c2", "c4"): 22}
    widest = {("c1", "c3"): 33, ("c2", "c3"): 22, ("c2", "c4"): 22}
    assert widest_flips(flips) == widest
    # Two that are ruled are in none; each is in one with somebody who is not.
    assert widest_flips(flips, ruled={"c1", "c3"}) == {("c1", "c2"): 11} | {
        pair: gap for pair, gap in widest.items() if pair != ("c1", "c3")
    }
    # Who is not asked about is paired with another such one.
    assert widest_flips(flips, asked={"c3"}) == {
        ("c1", "c2"): 11,
        ("c1", "c3"): 33,
        ("c2", "c4"): 22,
    }


# One row an annotator, one column a candidate; some have not rated one.
SCORES = st.none() | st.integers(0, 10)


@settings(max_examples=tries(300))
@given(st.lists(st.tuples(*[SCORES] * 6), max_size=5), st.integers(1, 60), st.booleans())
def test_widest_flips_are_flips_and_every_candidate_in_a_flip_is_in_one(
    rows, least, has_ladder
) -> None:
    ratings = [
        rated(f"annotator {person}", f"c{place}", *[value] * 4)
        for person, row in enumerate(rows)
        for place, value in enumerate(row)
        if value is not None
    ]
    flips = find_flips(ratings, ConflictRules(3, 22, least, has_ladder))
    widest = widest_flips(flips)
    assert widest.items() <= flips.items()
    touched = {one for pair in flips for one in pair}
    assert {one for pair in widest for one in pair} == touched
    assert len(widest) <= len(touched)
    for one in touched:
        gaps = [gap for pair, gap in flips.items() if one in pair]
        assert max(gap for pair, gap in widest.items() if one in pair) == max(gaps)
