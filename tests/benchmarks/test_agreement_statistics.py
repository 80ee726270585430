"""The 95 % intervals hold the true value in 95 of 100 samples; every measurement runs."""

from __future__ import annotations

import sys

import pytest

from benchmarks import agreement_statistics
from benchmarks.agreement_statistics import SCENARIOS, coverage, main


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.parametrize(
    ("scenario", "references"),
    [
        ("random", 12),
        pytest.param("random", 50, marks=pytest.mark.exhaustive),
        pytest.param("correlated", 50, marks=pytest.mark.exhaustive),
    ],
)
def test_printed_intervals_hold_the_true_value_as_often_as_they_promise(
    scenario: str, references: int
) -> None:
    held = coverage(scenario, references, simulations=400, resamples=300)
    for name in ("tau_b", "tau_paper", "pearson", "accuracy"):
        assert 0.92 <= held[name]["printed"] <= 0.98, (name, held[name])


@pytest.mark.exhaustive
@pytest.mark.slow
def test_few_references_are_why_the_jackknife_comes_first() -> None:
    held = coverage("random", 5, simulations=200, resamples=200)["tau_b"]
    assert held["bootstrap"] < 0.9 < held["jackknife-t"] == held["printed"]


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.parametrize("references", [50, 100])
def test_the_interval_that_covers_better_is_printed_first(references: int) -> None:
    held = coverage("correlated", references, simulations=400, resamples=300)["tau_b"]
    other = min(("bootstrap", "jackknife-t"), key=lambda kind: held[kind])
    assert held["printed"] >= held[other]
    assert held["printed"] == held["jackknife-t"]


@pytest.mark.exhaustive
@pytest.mark.slow
def test_small_sizes_run_every_measurement(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agreement_statistics, "POPULATION", 50)
    options = ["--items", "200", "--resamples", "100", "--simulations", "2", "--references"]
    options += ["5", "50"]
    monkeypatch.setattr(sys, "argv", ["agreement_statistics.py", *options])
    main()
    printed = capsys.readouterr().out
    assert "100 resamples, extrapolated" in printed
    assert printed.count("MB peak") == 4
    assert all(printed.count(f"  {scenario:30}") == 2 for scenario in SCENARIOS)
