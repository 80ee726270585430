from typing import Any

import pytest

from annotator.error_tags.rules import NO_CONTRAST, TaggedRating, tag_figures, tag_pairs, tag_shares


def rating(reference: str, score: float, *tags: str, **more: Any) -> TaggedRating:
    fields = {"system": "s1", "annotator": "a1"} | more
    return TaggedRating(reference, scores={"clarity": score}, tags=frozenset(tags), **fields)


# R1: with the tag 4, 6 beside a mean of 9 without it: lost 5 and 3. R2: 7 beside 8: lost 1.
RATINGS = [
    rating("R1", 4, "vague"),
    rating("R1", 6, "vague", "missing"),
    rating("R1", 9),
    rating("R2", 7, "vague", system="s2"),
    rating("R2", 8, system="s2"),
    rating("R3", 2, "missing", annotator="a2"),
]


def test_the_loss_is_against_ratings_of_the_same_reference_without_the_tag() -> None:
    vague = tag_figures(RATINGS)[0]
    assert (vague.code, vague.ratings, vague.references) == ("vague", 3, 2)
    loss = vague.losses["clarity"]
    assert loss.value == pytest.approx((5 + 3 + 1) / 3, abs=1e-12)
    assert (loss.n, loss.clusters) == (3, 2)
    assert None not in (loss.low, loss.value, loss.high)
    assert sorted([loss.high or 0, loss.value or 0, loss.low or 0]) == [
        *(loss.low, loss.value, loss.high)
    ]


def test_a_tag_that_never_meets_a_rating_without_it_has_a_reason_and_no_loss() -> None:
    alone = tag_figures([rating("R1", 3, "vague"), rating("R2", 9)])
    assert alone[0].losses["clarity"].value is None
    assert alone[0].losses["clarity"].reason == NO_CONTRAST


def test_one_reference_gives_a_loss_without_an_interval() -> None:
    loss = tag_figures(RATINGS[:3])[0].losses["clarity"]
    assert loss.value == pytest.approx(4)
    assert loss.low is None
    assert loss.reason


def test_shares_count_the_ratings_of_a_group_and_those_with_each_tag() -> None:
    found = tag_shares(RATINGS, lambda row: row.system)
    assert {name: (n, dict(counts)) for name, (n, counts) in found.items()} == {
        "s1": (4, {"vague": 2, "missing": 2}),
        "s2": (2, {"vague": 1}),
    }


def test_pairs_count_ratings_with_both_of_those_with_either() -> None:
    (pair,) = tag_pairs(RATINGS, 5)
    assert (pair.first, pair.second, pair.both) == ("missing", "vague", 1)
    assert pair.overlap == pytest.approx(1 / 4)
    assert tag_pairs(RATINGS, 0) == ()


def test_nothing_rated_gives_nothing() -> None:
    assert tag_figures([]) == ()
    assert tag_shares([], lambda row: row.system) == {}
