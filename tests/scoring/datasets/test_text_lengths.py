import statistics
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.datasets import drafts
from scoring.datasets.drafts import LengthCounts, count_claims, count_words, summary


@pytest.mark.parametrize(
    ("text", "words"),
    [
        *(("", 0), ("Öl-Pumpe", 2), ("一种杯子", 4), ("一 cup", 2)),
        *(("1. A cup, comprising a lid (10).", 7), ("self-sealing 10mm x_1", 5)),
    ],
)
def test_words_are_counted_as_the_card_says(text, words) -> None:
    assert count_words(text) == words


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("", 0),
        ("A cup without a number.", 1),
        ("1. A cup. 2. The cup of claim 1, wherein it is blue.", 2),
        ("1. A cup.\n2. (canceled)\n3. The cup of claim 1.", 3),
        ("1-2. (canceled)\n3. A cup.", 1),
        ("What is claimed is:\n1. A cup.\n2. The cup of claim 1.\n3. A lid.", 3),
    ],
)
def test_claims_are_counted_without_cancelled_ranges(text, claims) -> None:
    assert count_claims(text) == claims


@given(st.lists(st.integers(0, 50), min_size=2))
def test_figures_are_those_of_the_statistics_module(numbers) -> None:
    found = summary(Counter(numbers))
    assert (found["n"], found["min"], found["max"]) == (len(numbers), min(numbers), max(numbers))
    assert found["mean"] == pytest.approx(statistics.mean(numbers))
    assert found["median"] == statistics.median(numbers)
    assert found["sd"] == pytest.approx(statistics.stdev(numbers), abs=1e-9)


def test_nothing_and_one_number_have_no_spread() -> None:
    assert summary(Counter()) == {"n": 0} | dict.fromkeys(("min", "max", "mean", "median", "sd"))
    assert summary(Counter([7]))["sd"] is None


def test_of_many_texts_claims_are_counted_in_a_sample_whatever_their_order(monkeypatch) -> None:
    monkeypatch.setattr(drafts, "MOST_PARSED", 20)
    monkeypatch.setattr(drafts, "SAMPLED", 4)
    texts = [(n * 2_654_435_761 % 1_000_003, "1. A cup. " * (n % 5)) for n in range(100)]
    found = []
    for order in (texts, texts[::-1]):
        counts = LengthCounts()
        for number, (key, text) in enumerate(order):
            counts.add(number, key, drafts.REFERENCE, text)
        found.append(counts.claims()["reference"])
        assert counts.words()["reference"]["n"] == 100
    # The limit falls step by step: a few more may be left of one order than of another.
    assert all(4 <= one["n"] <= 8 and one["of"] == 100 for one in found)


def test_of_fewer_texts_claims_are_counted_in_all() -> None:
    counts = LengthCounts()
    for number in range(drafts.MOST_PARSED):
        counts.add(number, number, drafts.CANDIDATE, "1. A cup. 2. The cup of claim 1.")
    found = counts.claims()["candidate"]
    assert found["n"] == found["of"] == drafts.MOST_PARSED
    assert found["mean"] == 2.0
