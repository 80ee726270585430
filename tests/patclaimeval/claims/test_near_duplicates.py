import random

import pytest

from patclaimeval.claims.near_duplicates import MOST_LISTED, Likeness, NearDuplicates
from tests.claims_in_languages import ALL, CHINESE, JAPANESE

TEXT = "1. A caf\u00e9 cup."


def found(*texts):
    near = NearDuplicates()
    for name, text in texts:
        reference, _, candidate = name.partition("/")
        near.enter(reference, candidate, text)
    return [("/".join(p.first), "/".join(p.second), p.likeness.value) for p in near.pairs]


@pytest.mark.parametrize(
    ("other", "likeness"),
    [
        (TEXT, "exact"),
        ("1. A cafe\u0301 cup.", "nfc"),
        ("1. A  caf\u00e9\ncup.\r\n", "white_space"),
        ("1. A\u00a0cafe\u0301 cup.", "white_space"),
    ],
)
def test_equal_texts_are_found_with_how_they_are_equal(other, likeness):
    assert found(("r1", TEXT), ("r2", "1. A pot."), ("r3", other)) == [("r1/", "r3/", likeness)]


def test_texts_of_two_candidates_and_of_a_candidate_and_a_reference_are_compared():
    assert found(("r1", "1. A."), ("r1/a", TEXT), ("r2", TEXT), ("r2/b", "1. A.")) == [
        ("r1/a", "r2/", "exact"),
        ("r1/", "r2/b", "exact"),
    ]


def test_a_candidate_that_is_its_own_reference_is_marked_as_that():
    near = NearDuplicates()
    for name in ("r1", "r2"):
        near.enter(name, "", TEXT)
        near.enter(name, "c", TEXT + " ")
    assert [(p.first, p.second, p.is_own_reference) for p in near.pairs] == [
        (("r1", ""), ("r2", ""), False),
        (("r1", ""), ("r1", "c"), True),
        (("r2", ""), ("r2", "c"), True),
    ]


def test_a_text_entered_again_under_its_name_is_no_pair():
    assert found(("r1", TEXT), ("r1/c", "1. A."), ("r1", TEXT), ("r1/c", "1. A.")) == []


def long(seed, changes=0):
    chance = random.Random(seed)
    words = [f"word{chance.randrange(900)}" for _ in range(400)]
    for place in range(changes):
        words[place * 7] = "other"
    return " ".join(words)


def test_nearly_equal_texts_are_found_but_not_a_candidate_near_its_own_reference():
    near = NearDuplicates()
    near.enter("r1", "", long(1))
    near.enter("r1", "c", long(1, 1))
    assert near.pairs == []
    near.enter("r2", "", long(2))
    near.enter("r2", "c", long(1, 2))
    ((first, second, kind, share),) = (
        (p.first, p.second, p.likeness, p.similarity) for p in near.pairs
    )
    assert (second, kind) == (("r2", "c"), Likeness.SIMILAR)
    assert first in (("r1", ""), ("r1", "c"))
    assert 0.9 <= share < 1.0
    assert near.counts == {Likeness.SIMILAR: 1}


def test_texts_that_share_half_are_not_similar():
    assert found(("r1", long(1)), ("r2", long(1)[:1_500] + long(3)[1_500:])) == []


def test_similar_texts_are_left_out_where_nobody_asked_for_them():
    near = NearDuplicates(looks_for_similar=False)
    for name, text in (("r1", long(1)), ("r2", long(1, 1)), ("r3", long(1))):
        near.enter(name, "", text)
    assert [pair.likeness for pair in near.pairs] == [Likeness.EXACT]


def test_the_closest_are_listed_first_and_all_are_counted():
    near = NearDuplicates()
    for number in range(MOST_LISTED + 20):
        near.enter(f"r{number}", "", "1. A cup. ")
    near.enter("last", "", "1. A cup.")
    near.enter("again", "", "1. A cup. ")
    assert near.counts == {Likeness.EXACT: MOST_LISTED + 20, Likeness.WHITE_SPACE: 1}
    assert [pair.likeness for pair in near.pairs] == [Likeness.EXACT] * MOST_LISTED


def test_what_was_there_before_is_compared_with_and_not_among_itself():
    near = NearDuplicates()
    near.enter("r1", "", TEXT)
    near.enter("r2", "", TEXT)
    near.forget_pairs()
    near.enter("r3", "", TEXT)
    assert [(pair.first[0], pair.second[0]) for pair in near.pairs] == [("r1", "r3")]


def test_a_candidate_must_come_after_its_reference():
    with pytest.raises(ValueError, match="before its reference"):
        found(("r1", "1. A."), ("r2/c", "1. B."))


def test_white_space_of_every_kind_is_passed_over_in_ascii_and_beyond():
    kinds = "".join(c for c in map(chr, range(0x3001)) if c.isspace())
    near = NearDuplicates()
    for number, space in enumerate(["", *kinds]):
        near.enter(f"r{number}", "", f"A{space}cup{space}")
    assert near.counts == {Likeness.WHITE_SPACE: len(kinds)}


@pytest.mark.parametrize("claims", [CHINESE[0], JAPANESE[0]])
def test_one_other_character_in_ninety_is_found_wherever_it_stands(claims):
    text = claims.text[-90:]
    for place in range(90):
        other = (
            text[:place] + ("\u9285" if text[place] != "\u9285" else "\u94dc") + text[place + 1 :]
        )
        assert found(("r1", text), ("r2", other)) == [("r1/", "r2/", "similar")], place
        assert found(("r1", other), ("r2", other)) == [("r1/", "r2/", "exact")]


def test_sets_of_other_inventions_are_told_apart_in_every_language():
    assert found(*((f"r{number}", claims.text) for number, claims in enumerate(ALL))) == []


@pytest.mark.parametrize("claims", [*CHINESE, *JAPANESE])
def test_an_exchanged_material_is_nearly_the_same_text_and_half_of_it_is_not(claims):
    half = len(claims.text) // 2
    mixed = claims.text[:half] + CHINESE[2].text if claims is not CHINESE[2] else claims.text[half:]
    assert found(("r1", claims.text), ("r2", mixed)) == []
    spaced = claims.text.replace("\n", "\n\u3000")
    assert found(("r1", claims.text), ("r2", spaced)) == [("r1/", "r2/", "white_space")]
