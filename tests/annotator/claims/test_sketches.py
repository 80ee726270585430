import random

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from annotator.claims.sketches import BINS, SIMILAR, SketchTable, similarities, sketches
from tests.claims_in_languages import ALL

WORDS = [f"{a}{b}{c}" for a in "bcdfg" for b in "aeiou" for c in "lmnrst"]


def words(chance, count):
    return chance.choices(WORDS, k=count)


def similarity(one, other):
    return float(similarities(sketches([one]), sketches([other]))[0])


def matches(*texts, since=0):
    table = SketchTable()
    for text in texts:
        table.add(text)
    return list(table.matches(since))


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
        errors.append(similarity(*texts) - len(had & has) / len(had | has))
    assert np.abs(errors).max() < 0.1
    assert abs(np.mean(errors)) < 0.02


def test_equal_texts_are_wholly_similar_others_not_at_all_wherever_the_words_stand():
    chance = random.Random(5)
    one, other = (" ".join(words(chance, 400)) for _ in range(2))
    assert similarity(one, one) == 1.0
    assert similarity(one, other) < 0.05
    text = " ".join(words(chance, 300))
    shifted = f"{'x' * 1_000} {text}"
    assert similarity(text, shifted) > 0.95


@pytest.mark.parametrize("text", ["", "A", "A cup.", "\u6743\u5229", "a b c d", "a b c d e"])
def test_short_texts_have_one_run(text):
    (sketch,) = sketches([text])
    assert np.count_nonzero(sketch) == 1
    assert len(sketch) == BINS
    assert similarity(text, text) == 1.0
    assert similarity(text, text + "x") == 0.0


def test_a_similar_earlier_text_is_found_unless_it_is_ignored():
    chance = random.Random(6)
    base = words(chance, 500)
    near = ["zz", "yy", *base[2:]]
    before = [" ".join(text) for text in (words(chance, 500), near, words(chance, 500))]
    assert matches(*before) == []
    ((number, other, share),) = matches(*before, " ".join(base))
    assert (number, other) == (3, 1)
    assert SIMILAR < share < 1
    table = SketchTable()
    for text, ignored in ((" ".join(base), None), (" ".join(near), 0)):
        table.add(text, ignored)
    assert list(table.matches()) == []


def test_of_several_the_most_similar_is_given_and_of_equals_the_first():
    chance = random.Random(9)
    base = words(chance, 400)
    far, near = (["zz"] * n + base[n:] for n in (40, 3))
    texts = [" ".join(text) for text in (far, near, near, base, base)]
    found = [(number, other) for number, other, _ in matches(*texts)]
    assert found == [(1, 0), (2, 1), (3, 1), (4, 3)]
    # Those that were there before are compared with, and not among themselves.
    assert [(number, other) for number, other, _ in matches(*texts, since=3)] == [(3, 1), (4, 3)]


def test_texts_that_come_after_a_look_are_compared_as_well():
    chance = random.Random(10)
    text = " ".join(words(chance, 300))
    table = SketchTable()
    table.add(text)
    assert list(table.matches()) == []
    table.add(f"{text} zz")
    assert [(number, other) for number, other, _ in table.matches()] == [(1, 0)]
    assert len(table) == 2
    assert list(SketchTable().matches()) == []


def test_similar_texts_are_rarely_missed():
    chance = random.Random(7)
    found = 0
    for _ in range(200):
        base = words(chance, 400)
        changed = list(base)
        for place in chance.sample(range(400), 3):
            changed[place] = "zz"
        found += len(matches(" ".join(base), " ".join(changed)))
    assert found >= 198


def test_short_texts_that_meet_in_a_band_by_chance_are_not_similar():
    chance = random.Random(8)
    # More than are sketched, or compared, at once.
    met = matches(*(" ".join(words(chance, 30)) for _ in range(5_000)))
    assert met
    assert all(share < 0.2 for _, _, share in met)


SPACED = st.text(st.sampled_from("ab \n\t\x1c\u00a0\u3000\u00e9"), max_size=60)


@given(st.lists(st.one_of(SPACED, st.sampled_from([one.text for one in ALL])), max_size=8))
@example(["", "a", "", "a b c d e f", " "])
def test_a_text_has_the_same_sketch_whatever_is_sketched_beside_it(texts):
    together = sketches(texts)
    assert together.shape == (len(texts), BINS)
    for text, sketch in zip(texts, together, strict=True):
        assert (sketches([text]) == sketch).all()
        assert (sketches([" ".join(text.split())]) == sketch).all()


def test_runs_are_of_five_words_each_in_the_bin_of_its_hash():
    text = " ".join(f"w{number}" for number in range(40))
    (sketch,) = sketches([text])
    assert 30 <= np.count_nonzero(sketch) <= 36
    parts = text.split()
    alone = sketches([" ".join(parts[n : n + 5]) for n in range(36)])
    used = alone > 0
    # What is in a bin is what one of its runs has there.
    assert ((alone == sketch) & used).any(axis=0).sum() == np.count_nonzero(sketch)
    assert (used.any(axis=0) == (sketch > 0)).all()
