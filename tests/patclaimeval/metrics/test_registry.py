"""Metrics are found by name, loaded late, and refused with a sentence."""

import math
import subprocess
import sys
from pathlib import Path

import pytest

from patclaimeval.metrics.base import MetricUnavailable, Needs, Pair, Places
from patclaimeval.metrics.registry import (
    BASELINE_NAMES,
    METRIC_NAMES,
    READY_NAMES,
    UnknownMetricError,
    get_metric,
    needs_of,
    what_is_missing,
)

ASKING = ("g-eval", "llmscore", "pairwise-judge", "pairwise-judge-reasoned")
NEURAL = ("bertscore", "bartscore", "moverscore", "simcse", "unieval", "alignscore")
ROOT = Path(__file__).resolve().parents[3]
HEAVY = ("torch", "nltk", "sacrebleu", "scipy", "sklearn")


@pytest.mark.parametrize("name", [*READY_NAMES, *BASELINE_NAMES])
def test_every_name_that_needs_nothing_gives_a_metric_that_scores_within_its_range(name) -> None:
    metric = get_metric(name)
    scores = metric.score([Pair("1. A lid.", "1. A lid."), Pair("1. A lid.", "1. A cup.")])
    assert metric.name == name
    assert metric.version
    assert len(scores) == 2
    low, high = metric.low, metric.high or math.inf
    assert low is not None
    assert all(isinstance(score, float) and low <= score <= high for score in scores)


def test_every_baseline_can_be_asked_for() -> None:
    assert set(BASELINE_NAMES) <= set(METRIC_NAMES)


def test_the_seed_reaches_the_random_baseline() -> None:
    pairs = [Pair("a", "b")]
    assert get_metric("random", seed=1).score(pairs) != get_metric("random", seed=2).score(pairs)
    assert "seed 2" in get_metric("random", seed=2).version


def test_an_unknown_name_is_refused_with_the_available_ones() -> None:
    with pytest.raises(UnknownMetricError, match=r"no metric called 'bleu-9'.*bleu-1, bleu-4"):
        get_metric("bleu-9")


def test_no_name_that_a_stored_report_bears_goes_away() -> None:
    n_grams = {"bleu-1", "bleu-4", "rouge-1", "rouge-2", "rouge-l", "meteor"}
    baselines = {"identity", "length", "claim-count", "random"}
    assert {*n_grams, *NEURAL, *ASKING, "sari", *baselines} <= set(METRIC_NAMES)
    assert n_grams <= set(READY_NAMES)
    assert not set(READY_NAMES) & {*NEURAL, *ASKING, "sari", *baselines}


def test_every_metric_is_described() -> None:
    described = (ROOT / "docs/metrics.md").read_text(encoding="utf-8")
    missing = ", ".join(name for name in METRIC_NAMES if f"`{name}`" not in described)
    assert not missing, f"docs/metrics.md lacks {missing}: add a row to its first table"


def test_each_name_says_what_it_needs() -> None:
    assert {needs_of(name) for name in NEURAL} == {Needs(model_directory=True)}
    assert needs_of("g-eval") == needs_of("llmscore") == Needs(endpoint=True)
    assert needs_of("pairwise-judge") == Needs(endpoint=True, rival=True)
    assert needs_of("sari") == Needs(draft=True)
    assert needs_of("random") == Needs()


@pytest.mark.parametrize("name", [*NEURAL, *ASKING])
def test_a_metric_without_its_place_says_what_to_put_where(name, tmp_path) -> None:
    for places in (Places(), Places(model_directories=tmp_path)):
        words = what_is_missing(name, places)
        assert f"METRIC_MODELS_DIR/{name}" in words or "METRIC_ENDPOINT_URL" in words
        assert str(tmp_path) not in words
        with pytest.raises(MetricUnavailable) as refused:
            get_metric(name, places=places)
        assert str(refused.value) == words


def test_a_metric_that_needs_no_place_misses_nothing() -> None:
    assert {what_is_missing(name, Places()) for name in (*READY_NAMES, "sari")} == {""}


def test_majority_is_said_to_stand_in_every_report() -> None:
    with pytest.raises(UnknownMetricError, match="every report shows by itself"):
        get_metric("majority")


def test_naming_and_describing_metrics_loads_no_library() -> None:
    program = (
        "import sys; from patclaimeval.metrics.base import Places\n"
        "from patclaimeval.metrics.registry import *\n"
        "[get_metric(name).version for name in (*READY_NAMES, *BASELINE_NAMES)]\n"
        "[what_is_missing(name, Places()) for name in METRIC_NAMES]\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[]"
