from collections.abc import Sequence
from functools import partial

from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.adjudication.what_if.rules import (
    Caught,
    Width,
    cases,
    caught,
    curve,
    found_by,
    widths,
)
from annotator.conflicts.rules import ORDER_FLIP, ConflictRules, Finding
from annotator.rating_values import RatedScores
from patclaimeval.rubric import CRITERIA
from tests.amounts import tries
from tests.annotator.conflicts.findings import find_conflicts, rated


def some_ratings() -> st.SearchStrategy[list[RatedScores]]:
    """Up to four annotators on up to four candidates, most of them near each other."""
    values = st.tuples(*[st.integers(3, 7) | st.integers(0, 10)] * len(CRITERIA))
    places = st.tuples(st.sampled_from("abcd"), st.sampled_from("wxyz"))
    return st.dictionaries(places, values, max_size=16).map(
        lambda found: [rated(*place, *values) for place, values in found.items()]
    )


def some_rules() -> st.SearchStrategy[ConflictRules]:
    return st.builds(
        ConflictRules, st.integers(1, 10), st.integers(1, 110), st.integers(1, 110), st.booleans()
    )


@settings(max_examples=tries(400))
@given(some_ratings(), some_rules())
def test_a_replayed_rule_finds_what_conflicts_are_opened_by(ratings, rules) -> None:
    found = found_by(rules, widths("r", ratings, has_ladder=rules.has_ladder))
    assert sorted(width.finding for width in found) == find_conflicts(ratings, rules)


@given(some_ratings(), st.booleans())
def test_the_curve_counts_what_each_rule_finds_alone(ratings, has_ladder) -> None:
    never, measured = 111, list(widths("r", ratings, has_ladder=has_ladder))
    for point in curve(measured, has_ladder=has_ladder):
        criterion = ConflictRules(point.points, never, never, has_ladder)
        overall = ConflictRules(never, 11 * point.points, never, has_ladder)
        flip = ConflictRules(never, never, 11 * point.points, has_ladder)
        assert [len(find_conflicts(ratings, rules)) for rules in (criterion, overall, flip)] == [
            kind.conflicts for kind in (point.criterion_gap, point.overall_gap, point.order_flip)
        ]


PLAIN = partial(widths, has_ladder=False)


def wide() -> Sequence[RatedScores]:
    """Two annotators four apart on one criterion of `x`, two more in opposite order on `y`, `z`."""
    return [
        rated("a", "x", 9, 5, 5, 5),
        rated("b", "x", 5, 5, 5, 5),
        rated("c", "y", 6, 6, 6, 6),
        rated("c", "z", 5, 5, 5, 5),
        rated("d", "y", 5, 5, 5, 5),
        rated("d", "z", 6, 6, 6, 6),
    ]


def test_conflicts_candidates_and_references_are_counted_once_each() -> None:
    found = found_by(ConflictRules(4, 110, 11), [*PLAIN("r1", wide()), *PLAIN("r2", wide())])
    # Of each reference one criterion gap and one flip; both name the same candidates.
    assert caught(found) == Caught(4, 3, 2)
    assert caught([]) == Caught(0, 0, 0)


def test_one_ruling_settles_all_gaps_of_a_candidate_and_a_flip_needs_its_own() -> None:
    measured = list(PLAIN("r", wide()))
    assert cases(found_by(ConflictRules(4, 16, 110), measured)) == 1  # two gaps, one candidate
    assert cases(found_by(ConflictRules(4, 16, 11), measured)) == 2  # and a flip of two others
    # A gap of one point disputes all three alone: the flip is settled with them.
    assert cases(found_by(ConflictRules(1, 110, 11), measured)) == 3


def test_two_flips_of_four_candidates_need_two_rulings() -> None:
    def flip(one: str, two: str) -> Width:
        return Width("r", 11, Finding(ORDER_FLIP, one, two, "", 11))

    apart = [flip("a", "b"), flip("c", "d")]
    assert cases(apart) == 2
    assert cases(apart, frozenset("ab")) == 1
    assert cases([flip("a", "b"), flip("a", "c"), flip("a", "d")]) == 3


def test_what_is_ruled_needs_no_ruling_more() -> None:
    found = found_by(ConflictRules(4, 16, 11), PLAIN("r", wide()))
    assert cases(found, frozenset("x")) == 1
    assert cases(found, frozenset("xy")) == 1  # z of the flip is not ruled
    assert cases(found, frozenset("xyz")) == 0


def test_ratings_of_one_annotator_measure_nothing() -> None:
    assert list(PLAIN("r", [rated("a", "x", 0, 0, 0, 0), rated("a", "y", 9, 9, 9, 9)])) == []


def test_a_third_annotator_who_agrees_with_one_settles_it_on_a_ladder() -> None:
    third = [*wide(), rated("e", "x", 6, 5, 5, 5), rated("e", "y"), rated("e", "z", 5, 5, 5, 4)]
    without = found_by(ConflictRules(4, 110, 11), PLAIN("r", third))
    assert [width.finding.kind for width in without] == ["criterion_gap", "order_flip"]
    on_ladder = widths("r", third, has_ladder=True)
    assert found_by(ConflictRules(4, 110, 11, has_ladder=True), on_ladder) == []
