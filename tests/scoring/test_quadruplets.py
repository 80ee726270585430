from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.rating_values import RatedScores
from patclaimeval.rubric import ALL_CRITERIA, CRITERIA, OVERALL
from scoring.quadruplets import (
    POLICIES,
    DatasetRow,
    RatedReference,
    build_quadruplets,
    flags_of,
    quadruplet_id,
)
from tests.scoring.quadruplet_builders import (
    COMPLETENESS,
    candidate,
    judged,
    one_label,
    rated,
    reference,
)

# Three annotators: x and y find c1 a little better, z finds c2 far better.
SIX, FIVE = (6, 5, 5, 5), (5, 5, 5, 5)
SPLIT_OPINION = judged(
    c1={"x": SIX, "y": SIX, "z": (1, 5, 5, 5)}, c2={"x": FIVE, "y": FIVE, "z": (9, 5, 5, 5)}
)


def built(*references: Any, **settings: Any) -> list[DatasetRow]:
    return list(build_quadruplets(*references, **settings))


def test_settled_compares_the_means_over_annotators() -> None:
    # Means 13/3 and 19/3: c2 is better although two of three prefer c1.
    assert one_label(built([SPLIT_OPINION]), "c2") == 1


@pytest.mark.parametrize(
    ("gaps", "band", "expected"),
    [
        # By how many points each annotator puts c1 above c2 on one criterion.
        *(((3,), 0, 1), ((0,), 0, 0), ((1, -4), 0, 0), ((1, 0), 0, 0), ((1, 2), 0, 1)),
        *(((4, 0, 0), 0, 0), ((1, 1, -4), 0, 1), ((1, 0, -1), 0, 0), ((-1, -1, 0), 0, -1)),
        *(((1, 1, 0, -1), 0, 0), ((1, 1, 1, -4), 0, 1), ((1, 1, 0, 0), 0, 0)),
        *(((1, 1, -1, -1), 0, 0), ((1, 1, 0, 0, -1), 0, 0), ((1, 1, 1, 0, -1), 0, 1)),
        # Within the band an annotator holds both equal.
        *(((2, 2, 1), 1, 1), ((2, 1, 1), 1, 0), ((2, 2, -1, -1), 1, 0), ((2, 2, -2), 2, 0)),
    ],
    ids=str,
)
def test_majority_is_what_more_than_half_of_those_who_rated_both_say(gaps, band, expected) -> None:
    one, two = (
        {f"p{n}": (5 + max(sign * gap, 0), 5, 5, 5) for n, gap in enumerate(gaps)}
        for sign in (1, -1)
    )
    # Somebody who rated one of the two has no say.
    both = judged(c1=one | {"lonely": (10, 5, 5, 5)}, c2=two)
    rows = built([both], policy="majority", tie_band=Fraction(band))
    assert one_label(rows, "c1") == expected
    assert one_label(rows, "c1", "logical_linkage") == 0


@pytest.mark.parametrize(
    ("of_c1", "of_c2", "band", "expected"),
    [
        # Scores of each annotator; overall numerators 4c + 2cl + 2t + 3l.
        # 20, 20, 55 against 20, 20, 0: two of three hold both equal, though by other scores.
        (
            [(5, 0, 0, 0), (2, 3, 3, 0), (5, 5, 5, 5)],
            [(0, 5, 5, 0), (5, 0, 0, 0), (0, 0, 0, 0)],
            0,
            0,
        ),
        # 58, 58, 0 against 57, 57, 110: one eleventh of a point decides, the third is outvoted.
        ([(5, 5, 5, 6)] * 2 + [(0, 0, 0, 0)], [(5, 6, 5, 5)] * 2 + [(10, 10, 10, 10)], 0, 1),
        # The same within a band of one eleventh: two of three hold both equal.
        ([(5, 5, 5, 6)] * 2 + [(0, 0, 0, 0)], [(5, 6, 5, 5)] * 2 + [(10, 10, 10, 10)], 1, 0),
        # 58 and 0 against 57 and 57: one against one.
        ([(5, 5, 5, 6), (0, 0, 0, 0)], [(5, 6, 5, 5)] * 2, 0, 0),
    ],
)
def test_majority_of_overall_quality_compares_numerators(of_c1, of_c2, band, expected) -> None:
    one, two = ({f"p{n}": given for n, given in enumerate(scores)} for scores in (of_c1, of_c2))
    rows = built([judged(c1=one, c2=two)], policy="majority", tie_band=Fraction(band, 11))
    assert one_label(rows, "c1", OVERALL) == expected


def test_per_annotator_gives_one_row_for_each_who_rated_both() -> None:
    partly = judged(c1={"x": SIX, "y": SIX, "z": (1, 5, 5, 5)}, c2={"y": FIVE, "z": (9, 5, 5, 5)})
    rows = built([partly], policy="per-annotator")
    assert [row.annotator for row in rows] == ["y", "z"]
    assert [one_label([row], "c1") for row in rows] == [1, -1]
    assert [row.provenance["ratings"] for row in rows] == [["y1", "y2"], ["z1", "z2"]]
    assert [row.provenance["annotators"] for row in rows] == [1, 1]
    assert len({row.id for row in rows}) == 2


def test_candidates_of_different_annotators_are_compared_by_settled_alone() -> None:
    strangers = judged(c1={"x": SIX}, c2={"y": FIVE})
    assert one_label(built([strangers]), "c1") == 1
    assert built([strangers])[0].extras["y_soft"] == {}
    assert built([strangers], policy="per-annotator") == []
    assert built([strangers], policy="majority") == []


@pytest.mark.parametrize(("band", "expected"), [("0", 1), ("0.99", 1), ("1", 0), ("2", 0)])
def test_a_difference_within_the_tie_band_is_a_tie(band, expected) -> None:
    pair = judged(c1={"x": SIX}, c2={"x": FIVE})
    for policy in POLICIES:
        rows = built([pair], policy=policy, tie_band=Fraction(band))
        assert one_label(rows, "c1") == expected


def test_overalls_that_floats_would_distinguish_are_a_tie() -> None:
    # Both means are 9/33, but as floats they are not equal.
    numerators = (0, 1, 8), (0, 2, 7)
    means = [sum(n / 11 for n in of) / 3 for of in numerators]
    assert means[0] != means[1]
    one, two = (
        [RatedScores(f"p{i}", "", {OVERALL: n}, rating=f"{i}") for i, n in enumerate(of)]
        for of in numerators
    )
    (row,) = built([reference(candidate("c1", *one), candidate("c2", *two))])
    assert row.y == {OVERALL: 0}


def test_overalls_that_differ_by_one_eleventh_are_distinguished() -> None:
    nearest = judged(c1={"x": (5, 5, 5, 6)}, c2={"x": (5, 6, 5, 5)})  # 58 / 11 and 57 / 11
    rows = built([nearest], tie_band=Fraction(1, 12))
    assert one_label(rows, "c1", OVERALL) == 1
    assert one_label(built([nearest], tie_band=Fraction(1, 11)), "c1", OVERALL) == 0


def test_soft_labels_are_shares_of_annotators_with_half_for_a_tie() -> None:
    (row,) = built(
        [judged(c1=dict.fromkeys("xyz", SIX), c2={"x": FIVE, "y": SIX, "z": (7, 5, 5, 5)})]
    )
    assert row.extras["y_soft"][COMPLETENESS] == 0.5
    (row,) = built([SPLIT_OPINION])
    assert row.extras["y_soft"][COMPLETENESS] == pytest.approx(2 / 3 if row.b_id == "c1" else 1 / 3)


def test_provenance_names_every_rating_that_the_label_follows_from() -> None:
    (row,) = built([SPLIT_OPINION])
    assert row.provenance["ratings"] == ["x1", "x2", "y1", "y2", "z1", "z2"]
    assert row.provenance["annotators"] == 3
    lonely = judged(c1={"x": SIX, "y": SIX}, c2={"x": FIVE})
    (settled,) = built([lonely])
    (majority,) = built([lonely], policy="majority")
    assert settled.provenance["ratings"] == ["x1", "x2", "y1"]
    assert majority.provenance["ratings"] == ["x1", "x2"]


def test_a_row_carries_texts_ids_and_facts() -> None:
    (row,) = built([SPLIT_OPINION])
    assert (row.reference_id, row.reference) == ("r1", "1. A cup.")
    assert {(row.b_id, row.b), (row.c_id, row.c)} == {
        (c.candidate_id, c.text) for c in SPLIT_OPINION.candidates
    }
    assert row.extras["office"] == "EPO"
    assert set(row.y) == set(ALL_CRITERIA)
    assert row.id == quadruplet_id(row.reference, row.b, row.c)


def test_every_two_candidates_of_a_reference_are_compared_and_none_across() -> None:
    one = judged(**{f"c{n}": {"x": FIVE} for n in range(1, 5)})
    other = replace(one, reference_id="r2", text="1. A mug.", candidates=one.candidates[:2])
    rows = built([one, other])
    assert [row.reference_id for row in rows] == ["r1"] * 6 + ["r2"]
    assert len({frozenset((row.b_id, row.c_id)) for row in rows[:6]}) == 6


def test_odd_comparisons_are_flagged_and_stay() -> None:
    alike = judged(c1={"x": FIVE}, c2={"x": FIVE})
    copies = (replace(one, text=alike.text) for one in alike.candidates)
    (row,) = built([reference(*copies)])
    assert row.extras["flags"] == [
        *("B equals the reference", "C equals the reference", "B equals C")
    ]
    assert flags_of("a", "b", "c") == ()


def test_an_unknown_policy_and_a_negative_band_are_refused() -> None:
    with pytest.raises(ValueError, match="policies are settled"):
        built([], policy="mean")
    with pytest.raises(ValueError, match="tie band"):
        built([], tie_band=Fraction(-1))


def many_pairs(count: int) -> list[RatedReference]:
    """Pairs in which c1 is always the better one."""
    pair = judged(c1={"x": (9, 9, 9, 9)}, c2={"x": (1, 1, 1, 1)})
    return [replace(pair, reference_id=f"r{n}", text=f"1. A cup number {n}.") for n in range(count)]


def test_sides_are_drawn_from_the_seed_and_balanced() -> None:
    pairs = many_pairs(400)
    first = [row.y[COMPLETENESS] for row in built(pairs, seed=7)]
    assert first == [row.y[COMPLETENESS] for row in built(pairs, seed=7)]
    assert first != [row.y[COMPLETENESS] for row in built(pairs, seed=8)]
    # Four standard deviations of 400 fair draws are 40.
    assert 160 <= first.count(1) <= 240
    assert first.count(1) + first.count(-1) == 400


scores = st.tuples(*[st.integers(0, 10)] * 4)


@st.composite
def rated_references(draw: st.DrawFn) -> RatedReference:
    people = st.dictionaries(st.sampled_from("xyz"), scores, min_size=1)
    return judged(**{name: draw(people) for name in ("c1", "c2", "c3")})


@given(rated_references(), st.sampled_from(POLICIES), st.randoms())
def test_the_order_of_the_input_changes_nothing(given_reference, policy, chance) -> None:
    mixed = []
    for one in given_reference.candidates:
        ratings = list(one.ratings)
        chance.shuffle(ratings)
        mixed.append(replace(one, ratings=tuple(ratings)))
    chance.shuffle(mixed)
    shuffled = replace(given_reference, candidates=tuple(mixed))
    assert built([shuffled], policy=policy) == built([given_reference], policy=policy)


@given(rated_references(), st.sampled_from(POLICIES))
def test_exchanging_the_texts_of_two_candidates_negates_their_labels(
    given_reference, policy
) -> None:
    one, two = given_reference.candidates[:2]
    pair = replace(given_reference, candidates=(one, two))
    swapped = replace(
        given_reference,
        candidates=(replace(one, ratings=two.ratings), replace(two, ratings=one.ratings)),
    )
    before = built([pair], policy=policy)
    after = built([swapped], policy=policy)
    assert len(before) == len(after)
    for old, new in zip(before, after, strict=True):
        assert (old.b_id, old.c_id) == (new.b_id, new.c_id)
        assert new.y == {key: -label for key, label in old.y.items()}
        soft = {k: 1 - share for k, share in old.extras["y_soft"].items()}
        assert new.extras["y_soft"] == pytest.approx(soft)


@given(rated_references())
def test_settled_labels_never_form_a_cycle(given_reference) -> None:
    rows = built([given_reference])
    for key in ALL_CRITERIA:
        above = {(row.b_id, row.c_id) for row in rows if row.y[key] == 1}
        above |= {(row.c_id, row.b_id) for row in rows if row.y[key] == -1}
        for one, two, three in permutations(("c1", "c2", "c3")):
            assert not {(one, two), (two, three), (three, one)} <= above


@given(rated_references(), st.sampled_from(POLICIES))
def test_a_row_names_ratings_of_its_own_candidates_only(given_reference, policy) -> None:
    for row in built([given_reference], policy=policy):
        assert {f"c{rating_id[-1]}" for rating_id in row.provenance["ratings"]} == {
            row.b_id,
            row.c_id,
        }


def test_pairs_of_the_same_texts_get_ids_of_their_own() -> None:
    # c1 and c2 have one text, so both make the same pair with c3.
    one, two, three = judged(c1={"x": SIX}, c2={"x": FIVE}, c3={"x": FIVE}).candidates
    twins = reference(one, replace(two, text=one.text), three)
    rows = built([twins])
    ids = [row.id for row in rows]
    assert len(set(ids)) == 3
    assert rows == built([twins])
    with_third = [row for row in rows if "c3" in (row.b_id, row.c_id)]
    assert with_third[1].id == f"{with_third[0].id}-2"


@given(scores, scores)
def test_labels_are_signs_of_whole_numbers(one, two) -> None:
    pair = judged(c1={"x": one}, c2={"x": two})
    gaps = [a - b for a, b in zip(one, two, strict=True)]
    overall = sum(weight * gap for weight, gap in zip((4, 2, 2, 3), gaps, strict=True))
    rows = built([pair])
    for criterion, gap in zip((*CRITERIA, OVERALL), (*gaps, overall), strict=True):
        assert one_label(rows, "c1", criterion) == (gap > 0) - (gap < 0)


def test_a_criterion_that_nobody_rated_has_no_label() -> None:
    part = RatedScores("x", "c1", {"conceptual_clarity": 3}, rating="x1")
    other = RatedScores("x", "c2", {"logical_linkage": 3}, rating="x3")
    whole = rated("x", "x2", *FIVE)
    (row,) = built([reference(candidate("c1", part), candidate("c2", whole))])
    assert set(row.y) == {"conceptual_clarity"}
    assert built([reference(candidate("c1", part), candidate("c2", other))]) == []


def test_a_ruling_counts_instead_of_the_mean_and_is_named() -> None:
    low = dict.fromkeys(CRITERIA, Fraction(1)) | {OVERALL: Fraction(1)}
    first, second = SPLIT_OPINION.candidates
    ruled = replace(first, ruling=low | {COMPLETENESS: Fraction(19, 2)}, adjudication_id="a1")
    rows = built([replace(SPLIT_OPINION, candidates=(ruled, second))])
    assert one_label(rows, "c1") == 1
    assert one_label(rows, "c1", OVERALL) == -1
    assert rows[0].provenance["adjudications"] == ["a1"]
    assert len(rows[0].provenance["ratings"]) == 6


def test_policies_that_count_annotators_leave_rulings_aside() -> None:
    first, second = SPLIT_OPINION.candidates
    low = dict.fromkeys(ALL_CRITERIA, Fraction(0))
    ruled = replace(
        SPLIT_OPINION, candidates=(replace(first, ruling=low, adjudication_id="a"), second)
    )
    for policy in ("majority", "per-annotator"):
        assert built([ruled], policy=policy) == built([SPLIT_OPINION], policy=policy)


def test_one_adjudication_of_both_candidates_is_named_once() -> None:
    ruling = dict.fromkeys(ALL_CRITERIA, Fraction(3))
    both = tuple(
        replace(one, ruling=ruling, adjudication_id="a1") for one in SPLIT_OPINION.candidates
    )
    (row,) = built([replace(SPLIT_OPINION, candidates=both)])
    assert row.provenance["adjudications"] == ["a1"]
    assert set(row.y.values()) == {0}
