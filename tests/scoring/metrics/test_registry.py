"""Metrics are found by name, loaded late, and refused with a sentence."""

import subprocess
import sys

import pytest

from scoring.metrics.base import Pair
from scoring.metrics.registry import (
    BASELINE_NAMES,
    LATER_NAMES,
    METRIC_NAMES,
    UnknownMetricError,
    get_metric,
)

HEAVY = ("torch", "nltk", "sacrebleu", "rouge_score", "scipy", "sklearn")


@pytest.mark.parametrize("name", METRIC_NAMES)
def test_every_name_gives_a_metric_that_scores_within_its_range(name: str) -> None:
    metric = get_metric(name)
    scores = metric.score([Pair("1. A lid.", "1. A lid."), Pair("1. A lid.", "1. A cup.")])
    assert metric.name == name
    assert metric.version
    assert len(scores) == 2
    assert all(isinstance(score, float) and score >= metric.low for score in scores)
    assert metric.high is None or max(scores) <= metric.high


def test_every_baseline_can_be_asked_for() -> None:
    assert set(BASELINE_NAMES) <= set(METRIC_NAMES)


def test_the_seed_reaches_the_random_baseline() -> None:
    pairs = [Pair("a", "b")]
    assert get_metric("random", seed=1).score(pairs) != get_metric("random", seed=2).score(pairs)
    assert "seed 2" in get_metric("random", seed=2).version


def test_an_unknown_name_is_refused_with_the_available_ones() -> None:
    with pytest.raises(UnknownMetricError, match=r"no metric called 'bleu-9'.*bleu-1, bleu-4"):
        get_metric("bleu-9")


@pytest.mark.parametrize("name", LATER_NAMES)
def test_a_later_metric_says_that_it_is_not_installed(name: str) -> None:
    with pytest.raises(UnknownMetricError, match=f"{name} arrives with the agreement laboratory"):
        get_metric(name)


def test_majority_is_said_to_stand_in_every_report() -> None:
    with pytest.raises(UnknownMetricError, match="every report shows by itself"):
        get_metric("majority")


def test_naming_and_describing_metrics_loads_no_library() -> None:
    program = (
        "import sys; from scoring.metrics.registry import METRIC_NAMES, get_metric\n"
        "[get_metric(name).version for name in METRIC_NAMES]\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[]"
