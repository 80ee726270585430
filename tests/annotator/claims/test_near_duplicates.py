import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.claims.near_duplicates import (
    BINS,
    MOST_LISTED,
    SIMILAR,
    CompactKeys,
    FirstLines,
    Likeness,
    NearDuplicates,
    SketchTable,
    similarity,
    sketch,
)
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


def test_above_a_number_of_texts_similar_ones_are_left_out_and_it_says_so():
    near = NearDuplicates(most_sketched=3)
    near.enter("r1", "", long(1))
    near.enter("r2", "", long(1, 1))
    assert near.is_sketching and near.counts[Likeness.SIMILAR] == 1
    for number in range(3):
        near.enter(f"x{number}", "", long(10 + number))
    near.enter("y", "", long(1))
    assert not near.is_sketching
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


WORDS = [f"{a}{b}{c}" for a in "bcdfg" for b in "aeiou" for c in "lmnrst"]


def words(chance, count):
    return chance.choices(WORDS, k=count)


def runs(text):
    parts = text.split(" ")
    return {tuple(parts[n : n + 5]) for n in range(max(1, len(parts) - 4))}


def test_the_estimate_lies_near_the_share_of_common_runs():
    chance = random.Random(3)
    errors = []
    for changes in (0, 1, 2, 5, 10, 20, 40) * 6:
        one = words(chance, 600)
        other = list(one)
        for place in chance.sample(range(600), changes):
            other[place] = "zz"
        texts = " ".join(one), " ".join(other)
        had, has = map(runs, texts)
        errors.append(similarity(*map(sketch, texts)) - len(had & has) / len(had | has))
    assert np.abs(errors).max() < 0.1
    assert abs(np.mean(errors)) < 0.02


def test_equal_texts_are_wholly_similar_others_not_at_all_wherever_the_words_stand():
    chance = random.Random(5)
    one, other = (" ".join(words(chance, 400)) for _ in range(2))
    assert similarity(sketch(one), sketch(one)) == 1.0
    assert similarity(sketch(one), sketch(other)) < 0.05
    text = " ".join(words(chance, 300))
    shifted = f"{'x' * 1_000} {text}"
    assert similarity(sketch(text), sketch(shifted)) > 0.95


@pytest.mark.parametrize("text", ["", "A", "A cup.", "\u6743\u5229", "a b c d", "a b c d e"])
def test_short_texts_have_one_run(text):
    assert np.count_nonzero(sketch(text)) == 1
    assert len(sketch(text)) == BINS
    assert similarity(sketch(text), sketch(text)) == 1.0
    assert similarity(sketch(text), sketch(text + "x")) == 0.0


def test_a_similar_earlier_text_is_found_unless_it_is_ignored():
    chance = random.Random(6)
    base = words(chance, 500)
    near = ["zz", "yy", *base[2:]]
    table = SketchTable()
    for text in (words(chance, 500), near, words(chance, 500)):
        assert table.enter(" ".join(text)) is None
    found = table.enter(" ".join(base))
    assert found is not None
    assert (found[0], found[1] > SIMILAR) == (1, True)
    assert table.enter(" ".join([*near, "xx"]), ignored=1) is None


def test_similar_texts_are_rarely_missed():
    chance = random.Random(7)
    found = 0
    for _ in range(200):
        table = SketchTable()
        base = words(chance, 400)
        changed = list(base)
        for place in chance.sample(range(400), 3):
            changed[place] = "zz"
        table.enter(" ".join(base))
        found += table.enter(" ".join(changed)) is not None
    assert found >= 198


def test_short_texts_that_meet_in_a_band_by_chance_are_not_similar():
    chance = random.Random(8)
    table = SketchTable()
    met = [table.enter(" ".join(words(chance, 30))) for _ in range(2_000)]
    assert all(found is None or found[1] < 0.2 for found in met)


@given(st.lists(st.text("ab", max_size=5), max_size=60))
def test_values_are_numbered_in_the_order_in_which_they_come(values):
    keys = CompactKeys()
    numbers: dict[str, int] = {}
    for value in values:
        assert keys.enter(value) == numbers.setdefault(value, len(numbers))
    assert len(keys) == len(numbers)


def test_it_grows_past_its_first_slots_without_losing_a_key():
    keys = CompactKeys()
    names = [f"r{number}" for number in range(5_000)]
    assert [keys.enter(name) for name in names] == list(range(5_000))
    assert [keys.enter(name) for name in reversed(names)] == list(range(4_999, -1, -1))


def test_the_first_line_of_a_name_is_given_when_it_comes_again_and_whether_it_holds_the_same():
    lines = FirstLines()
    given = [("a", 3, "x"), ("b", 7, "x"), ("a", 9, "x"), ("a", 11, "y"), ("a", 12, "x")]
    assert [lines.enter(*one) for one in given] == [None, None, (3, True), (3, False), (3, True)]


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
