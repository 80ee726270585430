"""Tests of the comparison of two claims limitation by limitation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.claims.limitations import Standing, align_limitations, split_features

PIECES = st.sampled_from(
    [
        "a rod",
        "a seal",
        "; ",
        ":\n",
        "\n",
        ", wherein ",
        "the layer includes: ",
        "and ",
        "\x00",
        "一",
    ]
)
TEXTS = st.one_of(st.text(), st.lists(PIECES, max_size=20).map("".join))
REFERENCE = (
    "1. A pump comprising: a housing (12); a rotor mounted in the housing; "
    "a rubber seal that closes a gap of 2 mm; and an electric motor."
)


def standings(reference, candidate):
    """Each pair in words: the side's own words and the standing."""
    return [
        (
            reference[pair.reference.start : pair.reference.end].strip()
            if pair.reference
            else None,
            candidate[pair.candidate.start : pair.candidate.end].strip()
            if pair.candidate
            else None,
            pair.standing.value,
        )
        for pair in align_limitations(reference, candidate)
    ]


def standing_of(reference, candidate):
    """The standing of the only limitation of two short texts."""
    (found,) = standings(reference, candidate)
    return found[2]


@given(TEXTS, TEXTS)
def test_the_limitations_of_each_side_cover_it_byte_for_byte(reference, candidate):
    pairs = align_limitations(reference, candidate)
    for text, own in (
        (reference, [pair.reference for pair in pairs if pair.reference]),
        (candidate, [pair.candidate for pair in pairs if pair.candidate]),
    ):
        own.sort(key=lambda item: item.start)
        assert "".join(text[item.start : item.end] for item in own) == text
        assert {item.start for item in own} <= {item.start for item in split_features(text)}


@given(TEXTS, TEXTS)
def test_the_reference_is_followed_in_order(reference, candidate):
    starts = [
        pair.reference.start for pair in align_limitations(reference, candidate) if pair.reference
    ]
    assert starts == sorted(starts)


@given(TEXTS)
def test_a_claim_matches_itself(text):
    for pair in align_limitations(text, text):
        assert pair.reference == pair.candidate
        assert (pair.standing, pair.similarity) == (Standing.MATCHED, 1.0)


@given(TEXTS, TEXTS)
def test_what_stands_alone_has_no_similarity(reference, candidate):
    for pair in align_limitations(reference, candidate):
        if pair.reference is None or pair.candidate is None:
            assert pair.similarity == 0
            assert pair.standing in {Standing.MISSING, Standing.ADDED, Standing.MATCHED}
        else:
            assert pair.standing not in {Standing.MISSING, Standing.ADDED}


@pytest.mark.parametrize(
    ("reference", "candidate", "standing"),
    [
        ("a seal of rubber", "the rubber seals", "matched"),
        ("a rod fastened to the seal (12, 14a)", "a rod (R1), attached to said seal", "matched"),
        ("a unit configured to count", "a unit adapted to count, or the like", "matched"),
        ("a seal", "a rubber seal", "narrowed"),
        ("a rubber seal", "a seal", "broadened"),
        (
            "a rod and a wide seal in a groove",
            "a bar and a wide seal of red rubber in a groove",
            "narrowed",
        ),
        (
            "a rod of red steel and a seal in a wide groove",
            "a bar and a seal in a wide groove",
            "broadened",
        ),
        (
            "a rotor turning in a round housing with a lid",
            "a rotor turning in a round housing with a cap",
            "matched",
        ),
        (
            "a rotor turning in a round housing with 2 lids",
            "a rotor turning in a round housing with 3 lids",
            "broadened",
        ),
        ("a vane turning in air", "a vane not turning in air", "narrowed"),
        ("a seal of rubber", "a seal of steel", "broadened"),
        ("less than 5 bar in the vessel", "more than 5 bar in the vessel", "broadened"),
        ("一种水泵", "一种水泵和轴", "narrowed"),
    ],
)
def test_a_pair_stands_as_its_words_say(reference, candidate, standing):
    assert standing_of(reference, candidate) == standing


def test_each_limitation_finds_its_own_and_the_rest_is_missing_or_added():
    candidate = (
        "1. A pump comprising: a rotor mounted in a housing of steel; "
        "a seal that closes a gap of 2 mm; and a bubble detector; and a housing."
    )
    assert standings(REFERENCE, candidate) == [
        ("1. A pump comprising:", "1. A pump comprising:", "matched"),
        ("a housing (12);", "a housing.", "matched"),
        (
            "a rotor mounted in the housing;",
            "a rotor mounted in a housing of steel;",
            "narrowed",
        ),
        (
            "a rubber seal that closes a gap of 2 mm; and",
            "a seal that closes a gap of 2 mm; and",
            "broadened",
        ),
        (None, "a bubble detector; and", "added"),
        ("an electric motor.", None, "missing"),
    ]


def test_a_limitation_in_two_parts_is_one():
    reference = "a rotor that turns in the housing and carries helical blades of steel"
    candidate = "a rotor that turns in the housing; wherein helical blades of steel are carried"
    assert standings(reference, candidate) == [(reference, candidate, "matched")]
    assert standings(candidate, reference) == [(candidate, reference, "matched")]


def test_the_opening_of_a_list_is_not_missing_when_its_words_are_there():
    reference = "a drum with a layer; wherein the layer includes: a mesh of wire"
    candidate = "a drum with a layer; a mesh of wire"
    assert ("wherein the layer includes:", None, "matched") in standings(reference, candidate)


def test_other_claim_numbers_are_no_other_limitation():
    assert standing_of("3. The pump of claim 1", "7. The pump of any of claims 2 to 5") == "matched"
