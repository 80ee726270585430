from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.rubric import ALL_CRITERIA, CRITERIA, OVERALL, overall_numerator
from scoring.quadruplets import (
    RatedCandidate,
    RatedReference,
    RatedValues,
    build_quadruplets,
    flags_of,
    quadruplet_id,
)

SCORES = st.tuples(*[st.integers(0, 10)] * 4)


def rating(annotator, *scores, rating_id=None):
    """A rating by four scores, or by one for all four."""
    values = dict(zip(CRITERIA, scores if len(scores) == 4 else scores * 4, strict=True))
    overall = Fraction(overall_numerator(values), 11)
    return RatedValues(
        annotator, rating_id or f"{annotator}-{scores}", {**values, OVERALL: overall}
    )


def candidate(name, *ratings, text=None):
    return RatedCandidate(name, text or f"1. {name}.", ratings)


def build(*candidates, **options):
    return build_quadruplets([RatedReference("r1", "1. Reference.", candidates)], **options)


def label(row, above, criterion=OVERALL):
    """The row's label seen from the candidate `above`, whichever side it stands on."""
    return row.y[criterion] * (1 if row.b_id == above else -1)


@given(SCORES, SCORES)
def test_overall_is_compared_as_an_integer_and_never_as_a_float(one, two):
    (row,) = build(candidate("x", rating("a", *one)), candidate("y", rating("a", *two)))
    gap = sum(w * (s - t) for w, s, t in zip((4, 2, 2, 3), one, two, strict=True))
    assert label(row, "x") == (gap > 0) - (gap < 0)
    for key, s, t in zip(CRITERIA, one, two, strict=True):
        assert label(row, "x", key) == (s > t) - (s < t)


def test_equal_means_of_thirds_are_an_exact_tie():
    # 0.1 + 0.2 style errors would break this tie: (3 + 3 + 4) / 3 against (2 + 4 + 4) / 3.
    x = candidate("x", rating("a", 3), rating("b", 3), rating("c", 4))
    y = candidate("y", rating("a", 2), rating("b", 4), rating("c", 4))
    (row,) = build(x, y)
    assert set(row.y.values()) == {0}


def test_the_tie_band_counts_rating_points_for_the_overall_too():
    x, y = candidate("x", rating("a", 5, 5, 5, 5)), candidate("y", rating("a", 5, 5, 5, 4))
    (strict,) = build(x, y)
    (inside,) = build(x, y, tie_band=Fraction(3, 11))
    (outside,) = build(x, y, tie_band=Fraction(3, 11) - Fraction(1, 10**9))
    assert [label(row, "x") for row in (strict, inside, outside)] == [1, 0, 1]
    assert label(inside, "x", "logical_linkage") == 1


def test_policies_differ_where_annotators_do():
    # a and b hold y above x by a little, c holds x above y by far.
    x = candidate("x", rating("a", 5), rating("b", 5), rating("c", 10))
    y = candidate("y", rating("a", 6), rating("b", 6), rating("c", 0))
    (settled,) = build(x, y, policy="settled")
    (majority,) = build(x, y, policy="majority")
    each = build(x, y, policy="per-annotator")
    assert (label(settled, "x"), label(majority, "x")) == (1, -1)
    assert {row.annotator: label(row, "x") for row in each} == {"a": -1, "b": -1, "c": 1}
    assert settled.annotator == majority.annotator == ""
    assert len({row.id for row in each}) == 3


def test_no_majority_is_a_tie():
    x = candidate("x", rating("a", 5), rating("b", 7))
    y = candidate("y", rating("a", 6), rating("b", 6))
    assert label(build(x, y, policy="majority")[0], "x") == 0


def test_soft_labels_count_a_tie_one_half_and_turn_with_the_sides():
    x = candidate("x", rating("a", 5), rating("b", 7), rating("c", 7), rating("d", 7))
    y = candidate("y", rating("a", 6), rating("b", 6), rating("c", 6), rating("d", 7))
    shares = set()
    for seed in range(20):
        (row,) = build(x, y, seed=seed)
        shares.add((row.b_id, row.y_soft[OVERALL]))
    assert shares == {("x", 0.625), ("y", 0.375)}


def test_absolute_scores_of_different_people_are_compared_by_the_settled_policy_only():
    x, y = candidate("x", rating("a", 5)), candidate("y", rating("b", 6))
    assert build(x, y, policy="per-annotator") == []
    assert build(x, y, policy="majority") == []
    (row,) = build(x, y, policy="settled")
    assert (label(row, "y"), row.y_soft) == (1, {})


def test_a_criterion_that_nobody_rated_has_no_label():
    part = RatedValues("a", "1", {"conceptual_clarity": 3})
    (row,) = build(candidate("x", part), candidate("y", rating("a", 5)))
    assert set(row.y) == {"conceptual_clarity"}
    other = RatedValues("a", "2", {"logical_linkage": 3})
    assert build(candidate("x", part), candidate("y", other)) == []


def test_a_row_names_the_ratings_it_rests_on_and_no_others():
    x = candidate("x", rating("a", 5, rating_id="r1"), rating("b", 5, rating_id="r2"))
    y = candidate("y", rating("a", 6, rating_id="r3"))
    (settled,) = build(x, y, policy="settled")
    (each,) = build(x, y, policy="per-annotator")
    assert (settled.rating_ids, settled.annotators) == (("r1", "r2", "r3"), 2)
    assert (each.rating_ids, each.annotators) == (("r1", "r3"), 1)


def test_all_pairs_come_and_the_order_of_candidates_does_not_matter():
    candidates = [candidate(name, rating("a", score)) for score, name in enumerate("stuvw")]
    rows = build(*candidates, seed=3)
    assert len(rows) == 10
    assert build(*candidates[::-1], seed=3) == rows


def test_the_draw_of_sides_balances_the_labels_and_follows_the_seed():
    candidates = [candidate(f"c{n}", rating("a", 0, 0, n % 11, n // 11)) for n in range(45)]
    rows = build(*candidates)
    above = sum(row.y[OVERALL] == 1 for row in rows)
    below = sum(row.y[OVERALL] == -1 for row in rows)
    # 990 fair draws stray from half by more than 6 standard deviations with chance 2e-9.
    assert abs(above - below) < 6 * (above + below) ** 0.5
    assert [r.b_id for r in rows] == [r.b_id for r in build(*candidates)]
    assert [r.b_id for r in rows] != [r.b_id for r in build(*candidates, seed=1)]


def test_candidates_with_one_text_are_flagged_and_every_id_stands_once():
    twins = [candidate(name, rating("a", n), text="1. Same.") for n, name in enumerate("xyz")]
    rows = build(*twins, candidate("w", rating("a", 9)))
    assert len(rows) == len({row.id for row in rows}) == 6
    assert sum("B equals C" in row.flags for row in rows) == 3


def test_a_candidate_that_is_the_reference_is_flagged():
    assert flags_of("R", "R", "x") == ("B equals the reference",)
    assert flags_of("R", "R", "R") == (
        "B equals the reference",
        "C equals the reference",
        "B equals C",
    )
    assert flags_of("R", "R ", "x") == ()


def test_an_id_depends_on_texts_sides_and_annotator():
    ids = {
        quadruplet_id("R", "x", "y"),
        quadruplet_id("R", "y", "x"),
        quadruplet_id("R", "x", "y", "a"),
    }
    assert len(ids) == 3
    assert quadruplet_id("R", "x", "y") in ids


@pytest.mark.parametrize("options", [{"policy": "best"}, {"tie_band": Fraction(-1)}])
def test_what_makes_no_sense_is_refused(options):
    with pytest.raises(ValueError):
        build(candidate("x", rating("a", 1)), candidate("y", rating("a", 2)), **options)


def test_all_five_criteria_are_labelled():
    (row,) = build(candidate("x", rating("a", 1)), candidate("y", rating("a", 2)))
    assert set(row.y) == set(row.y_soft) == set(ALL_CRITERIA)
