"""When ratings conflict."""

from collections.abc import Sequence
from itertools import combinations, pairwise

from hypothesis import example, given, settings
from hypothesis import strategies as st

from annotator.conflicts.rules import ConflictRules, Finding, RatedScores, find_conflicts
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
    kept = find_conflicts(three, LADDER)
    assert kept == [Finding("criterion_gap", "c1", "", "conceptual_clarity", 8)]
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


def restated(ratings: Sequence[RatedScores], rules: ConflictRules) -> set[Finding]:
    """The rules once more, as the docstring words them, without regard to speed."""
    table = {(r.annotator, r.candidate): r for r in ratings}
    people = sorted({r.annotator for r in ratings})
    candidates = sorted({r.candidate for r in ratings})
    found = set()
    for candidate in candidates:
        own = [table[p, candidate] for p in people if (p, candidate) in table]
        for criterion in ("", *CRITERIA):
            values = sorted(r.scores[criterion] if criterion else r.overall for r in own)
            limit = rules.criterion_gap if criterion else rules.overall_gap_numerator
            steps = [high - low for low, high in pairwise(values)]
            widest = values[-1] - values[0]
            # No two agree where each is the gap away from the next of them.
            told = min(steps, default=-1) if rules.has_ladder else widest
            if len(own) > 1 and widest >= limit and told >= limit:
                kind = "criterion_gap" if criterion else "overall_gap"
                found.add(Finding(kind, candidate, "", criterion, widest))
    for left, right in combinations(candidates, 2):
        both = [p for p in people if (p, left) in table and (p, right) in table]
        apart = [table[p, left].overall - table[p, right].overall for p in both]
        up = max((d for d in apart if d > 0), default=0)
        down = max((-d for d in apart if d < 0), default=0)
        gap = min(up, down)
        share = max(sum(d > 0 for d in apart), sum(d < 0 for d in apart))
        is_decided = rules.has_ladder and len(both) >= 3 and share > len(both) / 2
        if gap and gap >= rules.flip_gap_numerator and not is_decided:
            found.add(Finding("order_flip", left, right, "", gap))
    return found


# One row an annotator, one column a candidate; some have not rated one.
ROW = st.tuples(*[st.none() | st.tuples(*[st.integers(0, 10)] * 4)] * 3)


@settings(max_examples=300, deadline=None)
@example([((6,) * 4, (5,) * 4, None)] * 2 + [((5,) * 4, (6,) * 4, None)] * 2, LADDER)
@given(
    st.lists(ROW, max_size=5),
    st.builds(
        ConflictRules,
        st.integers(1, 10),
        st.integers(1, 110),
        st.integers(1, 60),
        st.booleans(),
    ),
)
def test_conflicts_equal_a_plain_restatement_of_the_rules(
    rows: list[tuple[tuple[int, ...] | None, ...]], rules: ConflictRules
) -> None:
    ratings = [
        rated(f"annotator {person}", f"c{place}", *values)
        for person, row in enumerate(rows)
        for place, values in enumerate(row)
        if values
    ]
    found = find_conflicts(ratings, rules)
    assert set(found) == restated(ratings, rules)
    assert len(found) == len(set(found)) and found == sorted(found)
