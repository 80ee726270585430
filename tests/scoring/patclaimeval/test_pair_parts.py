"""Parts of scores from the cache: each pair once, to the bit, and no text in the file."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

import pytest

from scoring.patclaimeval.data import Pair
from scoring.patclaimeval.explanation import Parts
from scoring.patclaimeval.pair_parts import CachedParts, PartsCache
from scoring.patclaimeval.pair_scores import ScoreCache, pair_key
from scoring.patclaimeval.prior import load_prior

MODEL, OTHER = "a" * 64, "b" * 64
PAIRS = [("1. A pump.", text) for text in ("1. A valve.", "1. A pump.", "1. A valve.")]


class Counting:
    """PatClaimEval-0 that notes which pairs it was given."""

    def __init__(self) -> None:
        self.asked: list[Pair] = []

    def parts(self, pairs: Sequence[Pair]) -> Sequence[Parts]:
        self.asked += pairs
        return load_prior("overall_quality").parts(pairs)


def never() -> Counting:
    raise AssertionError("the model was loaded")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "parts.sqlite3"


def test_each_distinct_pair_is_asked_once_and_found_again_to_the_bit(path: Path) -> None:
    model = Counting()
    parts = CachedParts(lambda: model, MODEL, PartsCache(path))
    assert parts.known(PAIRS) is None
    assert parts.find(PAIRS[:1]) == load_prior("overall_quality").parts(PAIRS[:1])
    assert parts.find(PAIRS) == load_prior("overall_quality").parts(PAIRS)
    assert model.asked == PAIRS[:2]
    again = CachedParts(never, MODEL, PartsCache(path))
    assert again.known(PAIRS) == again.find(PAIRS) == load_prior("overall_quality").parts(PAIRS)


def test_another_model_has_none_and_no_text_lies_in_the_file(path: Path) -> None:
    CachedParts(Counting, MODEL, PartsCache(path)).find(PAIRS)
    assert CachedParts(never, OTHER, PartsCache(path)).known(PAIRS) is None
    assert b"valve" not in path.read_bytes()


@pytest.mark.parametrize("value", ["x", "[1]", '{"rouge_1": [', b"\x00"])
def test_what_is_no_parts_is_as_if_it_were_not_there(path: Path, value: object) -> None:
    parts = CachedParts(Counting, MODEL, PartsCache(path))
    parts.find(PAIRS)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE score SET value = ?", (value,))
    assert parts.known(PAIRS) is None
    assert ScoreCache(path).get(MODEL, [pair_key(PAIRS[0])]) == {}
    assert parts.find(PAIRS) == load_prior("overall_quality").parts(PAIRS)


def test_finding_stops_where_the_check_raises(path: Path) -> None:
    model = Counting()

    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        CachedParts(lambda: model, MODEL, PartsCache(path)).find(PAIRS, stop)
    assert model.asked == PAIRS[:1]
