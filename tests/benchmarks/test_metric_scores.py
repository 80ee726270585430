"""Tests that the program for n-gram scores measures what its header says."""

from __future__ import annotations

import pytest

from benchmarks.metric_scores import MEASURED, QUADRUPLETS, WORDS_EACH, make_items, plain
from scoring.metrics.base import Pair
from scoring.metrics.registry import get_metric


def test_quadruplets_share_their_candidates_and_are_of_published_length() -> None:
    items = make_items()
    candidates = {pair for item in items for pair in item}
    assert len(items) == QUADRUPLETS
    assert len(candidates) < 230
    mean_words = sum(len(pair.candidate.split()) for pair in candidates) / len(candidates)
    assert mean_words == pytest.approx(WORDS_EACH, rel=0.03)
    assert all(first.reference == second.reference for first, second in items)


@pytest.mark.parametrize("name", MEASURED)
def test_the_plain_library_measures_the_same_thing(name: str) -> None:
    pair = Pair("A pump and a valve with a spring .", "A pump with a valve and a lever .")
    (found,) = plain(name)([pair])
    wanted = next(iter(found.values())).fmeasure if name.startswith("rouge") else found
    wanted = wanted.score / 100 if name.startswith("bleu") else wanted
    (score,) = get_metric(name).score([pair])
    assert score == pytest.approx(wanted, abs=1e-9)
