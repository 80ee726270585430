"""When ratings conflict."""

from annotator.conflicts import ConflictRules, Finding, RatedScores, find_conflicts
from annotator.rubric import CRITERIA, overall_numerator

RULES = ConflictRules()


def rated(annotator: str, candidate: str, *values: int) -> RatedScores:
    scores = dict(zip(CRITERIA, values, strict=True))
    return RatedScores(annotator, candidate, scores, overall_numerator(scores))


def test_a_criterion_gap_of_three_conflicts_and_of_two_does_not() -> None:
    agree = [rated("alice", "c1", 8, 8, 8, 8), rated("bob", "c1", 8, 6, 8, 8)]
    assert find_conflicts(agree, RULES) == []
    differ = [rated("alice", "c1", 8, 8, 8, 8), rated("bob", "c1", 8, 5, 8, 8)]
    assert find_conflicts(differ, RULES) == [
        Finding("criterion_gap", "c1", "", "conceptual_clarity", 3)
    ]


def test_an_overall_gap_of_exactly_two_points_conflicts() -> None:
    # 22 numerators apart, and no criterion differs by three.
    pair = [rated("alice", "c1", 8, 8, 8, 8), rated("bob", "c1", 6, 6, 6, 6)]
    assert find_conflicts(pair, RULES) == [Finding("overall_gap", "c1", "", "", 22)]
    close = [rated("alice", "c1", 8, 8, 8, 8), rated("bob", "c1", 6, 7, 6, 6)]
    assert find_conflicts(close, RULES) == []


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


def test_one_annotator_never_conflicts_with_themselves() -> None:
    alone = [rated("alice", "c1", 0, 0, 0, 0), rated("alice", "c2", 10, 10, 10, 10)]
    assert find_conflicts(alone, RULES) == []


def test_of_several_pairs_the_largest_gap_is_told_once() -> None:
    three = [
        rated("alice", "c1", 9, 5, 5, 5),
        rated("bob", "c1", 6, 5, 5, 5),
        rated("carl", "c1", 5, 5, 5, 5),
    ]
    assert find_conflicts(three, RULES) == [
        Finding("criterion_gap", "c1", "", "feature_completeness", 4)
    ]
