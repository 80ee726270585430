from math import sqrt

import pytest

from scoring.datasets import drafts
from scoring.datasets.drafts import Draft, count_claims, summary
from scoring.quadruplets import DatasetRow


@pytest.mark.parametrize(
    ("text", "words"),
    [
        *(("", 0), ("Öl-Pumpe", 2), ("一种杯子", 4), ("一 cup", 2)),
        *(("1. A cup, comprising a lid (10).", 7), ("self-sealing 10mm x_1", 5)),
    ],
)
def test_words_are_counted_as_the_card_says(text, words) -> None:
    draft = Draft()
    draft.add(DatasetRow("q", "r", text, text, text, "b", "c", {"overall_quality": 1}))
    assert draft.words()["reference"]["max"] == words


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


def test_a_summary_has_the_spread_of_a_sample_and_none_of_one_number() -> None:
    assert summary([1, 2, 4]) == {
        "n": 3,
        "min": 1,
        "max": 4,
        "mean": pytest.approx(7 / 3),
        "median": 2.0,
        "sd": pytest.approx(sqrt(7 / 3)),
    }
    assert summary([]) == {"n": 0} | dict.fromkeys(("min", "max", "mean", "median", "sd"))
    assert summary([7])["sd"] is None


def test_of_many_texts_claims_are_counted_in_a_sample_whatever_their_order(monkeypatch) -> None:
    monkeypatch.setattr(drafts, "MOST_PARSED", 20)
    rows = [(f"reference {n}", "1. A cup. 2. A mug. " * (n % 5), f"c {n}") for n in range(50)]
    found = []
    for order in (rows, rows[::-1]):
        draft = Draft()
        for number, texts in enumerate(order):
            draft.add(DatasetRow(f"q{number}", "r", *texts, "b", "c", {"overall_quality": 1}))
        claims = draft.claims()
        assert (claims["claims"]["n"], claims["claims"]["of"]) == (20, 105)
        assert (claims["reference"]["of"], claims["candidate"]["of"]) == (50, 55)
        assert draft.words()["reference"]["n"] == 50
        found.append(claims)
    assert found[0] == found[1]
