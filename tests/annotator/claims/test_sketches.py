import random

import numpy as np
import pytest

from annotator.claims.near_duplicates import BINS, SIMILAR, SketchTable, similarity, sketch

WORDS = [f"{a}{b}{c}" for a in "bcdfg" for b in "aeiou" for c in "lmnrst"]


def words(chance, count):
    return chance.choices(WORDS, k=count)


def runs(text):
    parts = text.split(" ")
    return {tuple(parts[n : n + 5]) for n in range(max(1, len(parts) - 4))}


def jaccard(one, other):
    return len(runs(one) & runs(other)) / len(runs(one) | runs(other))


def test_the_estimate_lies_near_the_share_of_common_runs():
    chance = random.Random(3)
    errors = []
    for changes in (0, 1, 2, 5, 10, 20, 40) * 6:
        one = words(chance, 600)
        other = list(one)
        for place in chance.sample(range(600), changes):
            other[place] = "zz"
        texts = " ".join(one), " ".join(other)
        errors.append(similarity(*map(sketch, texts)) - jaccard(*texts))
    assert np.abs(errors).max() < 0.1
    assert abs(np.mean(errors)) < 0.02


def test_a_word_has_one_hash_wherever_it_stands():
    chance = random.Random(4)
    text = " ".join(words(chance, 300))
    shifted = f"{'x' * 1_000} {text}"
    assert similarity(sketch(text), sketch(shifted)) > 0.95


def test_equal_texts_are_wholly_similar_and_others_not_at_all():
    chance = random.Random(5)
    one, other = (" ".join(words(chance, 400)) for _ in range(2))
    assert similarity(sketch(one), sketch(one)) == 1.0
    assert similarity(sketch(one), sketch(other)) < 0.05


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
