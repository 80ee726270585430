"""Pairs are scored once each, and a metric's library is named with its version."""

from collections.abc import Sequence

from scoring.metrics.base import Pair, library_version, score_distinct


class CountingMetric:
    name, version, low, high = "counting", "1", 0.0, None

    def __init__(self) -> None:
        self.seen: list[Pair] = []

    def score(self, pairs: Sequence[Pair]) -> list[float]:
        self.seen.extend(pairs)
        return [float(len(pair.candidate)) for pair in pairs]


def test_each_distinct_pair_is_scored_once() -> None:
    metric = CountingMetric()
    scores = score_distinct(metric, [("a", "bb"), ("a", "c"), ("a", "bb"), ("x", "bb")])
    assert scores == {("a", "bb"): 2.0, ("a", "c"): 1.0, ("x", "bb"): 2.0}
    assert metric.seen == [Pair("a", "bb"), Pair("a", "c"), Pair("x", "bb")]


def test_no_texts_give_no_scores() -> None:
    assert score_distinct(CountingMetric(), []) == {}


def test_a_library_is_named_with_its_version() -> None:
    import numpy

    assert library_version("numpy") == f"numpy {numpy.__version__}"
