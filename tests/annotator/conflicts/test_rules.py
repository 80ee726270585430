import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from annotator.conflicts.rules import ConflictRules, Finding, find_flips, find_gaps
from annotator.rubric import CRITERIA
from tests.amounts import IS_THOROUGH, tries
from tests.annotator.conflicts.all_pairs import (
    NOBODY,
    find_conflicts,
    rated,
    restated,
    stand_for_all,
    touched,
)

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


# One row an annotator, one column a candidate; some have not rated one.
SCORES = (
    st.none() | st.tuples(*[st.integers(0, 10)] * 4) | st.integers(3, 7).map(lambda n: (n,) * 4)
)
ROW = st.tuples(*[SCORES] * 6)
UP, DOWN = ((6,) * 4, (5,) * 4, *[None] * 4), ((5,) * 4, (6,) * 4, *[None] * 4)
SOME = st.frozensets(st.sampled_from([f"c{n}" for n in range(6)]), max_size=4)


@settings(max_examples=tries(300))
@example([UP] * 2 + [DOWN] * 2, LADDER, NOBODY, NOBODY)
@given(
    st.lists(ROW, max_size=5),
    st.builds(
        ConflictRules, st.integers(1, 10), st.integers(1, 110), st.integers(1, 60), st.booleans()
    ),
    SOME,
    SOME,
)
def test_conflicts_equal_a_plain_restatement_of_the_rules(rows, rules, ruled, asked) -> None:
    ratings = [
        rated(f"annotator {person}", f"c{place}", *values)
        for person, row in enumerate(rows)
        for place, values in enumerate(row)
        if values
    ]
    plain = restated(ratings, rules)
    flips = {finding for finding in plain if finding.kind == "order_flip"}
    found = find_conflicts(ratings, rules)
    assert len(found) == len(set(found)) and found == sorted(found)
    assert set(found) - flips == plain - flips
    assert touched(set(found) & flips) == touched(flips)
    assert set(found) & flips == stand_for_all(flips, NOBODY, NOBODY)
    for about in ("c0", "c5"):
        own = [one for one in plain - flips if one.candidate == about]
        assert sorted(find_gaps(ratings, rules, about)) == sorted(own)
    some = find_flips(ratings, rules, ruled, asked)
    assert len(some) <= len({rating.candidate for rating in ratings})
    assert set(some) == stand_for_all(flips, ruled, asked)


@pytest.mark.parametrize("has_ladder", [False, True])
def test_who_is_in_a_flip_of_a_long_reference_is_as_over_all_pairs(has_ladder: bool) -> None:
    # More candidates than a machine word has bits; some rated by one, others by five.
    chance = random.Random(5)
    ratings = [
        rated(f"p{person}", f"c{place:03}", *[chance.randrange(11) for _ in CRITERIA])
        for place in range(150)
        for person in chance.sample(range(6), chance.randint(1, 5))
    ]
    for least in (1, 30, 45) if IS_THOROUGH else (30,):
        rules = ConflictRules(11, 111, least, has_ladder)
        plain = restated(ratings, rules)
        found = set(find_flips(ratings, rules))
        assert found == stand_for_all(plain, NOBODY, NOBODY)
        assert touched(found) == touched(plain)
        assert 0 < len(found) <= 150
