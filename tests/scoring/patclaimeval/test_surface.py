"""Tests of the surface features: each kind of damage moves the feature made for it."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.patclaimeval import surface
from scoring.patclaimeval.surface import Claim, surface_features

REFERENCE = (
    "1. A pump comprising a housing, an inlet valve, a spring and a pressure sensor. "
    "2. The pump of claim 1, wherein the spring presses the inlet valve against the housing. "
    "3. The pump of claim 2, wherein the pressure sensor is fixed to the housing."
)


def test_equal_texts_overlap_fully_and_exceed_nothing() -> None:
    features = surface_features(REFERENCE, REFERENCE)
    for name, value in features.items():
        if name.endswith(("_excess", "_new", "_lost", "_size")):
            assert value == 0.0, name
    assert features["rougel_f"] == features["claim_recall_least"] == features["same_parents"] == 1


@pytest.mark.parametrize(
    ("old", "new", "name", "direction"),
    [
        (", a spring and a pressure sensor", "", "rouge1_r", -1),
        (", a spring and a pressure sensor", "", "antecedent_missing_excess", 1),
        ("the inlet valve", "the intake shutter", "term_new", 1),
        ("the inlet valve", "the intake shutter", "antecedent_missing_log_excess", 1),
        ("claim 2", "claim 9", "citation_unknown_excess", 1),
        ("claim 2", "claim 3", "citation_forward_excess", 1),
        ("claim 2", "claim 1", "same_parents", -1),
        ("is fixed to", "is somehow approximately near", "vague_excess", 1),
        ("a spring", "a spring of 12 millimetres", "number_new", 1),
        ("a spring", "a spring of 12 millimetres", "log_length", 1),
    ],
)
def test_damage_moves_the_feature_made_for_it(
    old: str, new: str, name: str, direction: int
) -> None:
    assert old in REFERENCE
    damaged = surface_features(REFERENCE, REFERENCE.replace(old, new))
    whole = surface_features(REFERENCE, REFERENCE)
    assert direction * (damaged[name] - whole[name]) > 0


@given(st.text(max_size=60), st.text(max_size=60))
def test_features_of_any_text_are_finite_and_have_the_same_names(left: str, right: str) -> None:
    features = surface_features(left, right)
    assert all(math.isfinite(value) for value in features.values())
    assert list(features) == list(surface_features("a", "b"))


def test_a_claim_shares_each_word_as_often_as_both_have_it() -> None:
    features = surface_features(
        "1. A lid, a rod, a rod. 2. A red cap.", "1. A lid. 2. A red, red cap of tin. 3. Glue."
    )
    assert features["claim_recall"] == (2 / 6 + 3 / 3) / 2
    assert features["claim_precision"] == (2 / 2 + 3 / 6 + 0 / 1) / 3
    assert (features["first_claim_recall"], features["first_claim_precision"]) == (2 / 6, 1)


def test_the_words_of_a_claim_are_read_once_and_not_for_each_of_the_other_side() -> None:
    class Words(tuple[str, ...]):
        __slots__ = ()
        readings = 0

        def __iter__(self) -> Iterator[str]:
            Words.readings += 1
            return super().__iter__()

    claims = tuple(
        Claim(number, Words(("a", "pump", str(number))), (), ()) for number in range(1, 51)
    )
    features = surface._claim_features(claims, claims[:40])
    assert (features["claim_recall_least"], features["claim_precision_least"]) == (2 / 3, 1)
    assert Words.readings == 90
