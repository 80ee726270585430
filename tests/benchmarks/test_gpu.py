"""Tests that the program for a GPU runs, since the machine that tests it has none."""

from __future__ import annotations

import pytest
import torch

from benchmarks.gpu import CRITERIA, DISTINCT, EPOCHS, STEPS, main


@pytest.mark.exhaustive
@pytest.mark.slow
def test_small_shape_runs_every_measurement_anywhere(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--small", "--steps", "1"]) == 0
    printed = capsys.readouterr().out
    assert "these times say nothing" in printed
    assert "paper's experiment, 13050 steps of 4 quadruplets" in printed
    assert "by reference" in printed
    assert "Hugging Face, padded" in printed
    assert "pairs a second" in printed


def test_machine_without_a_gpu_prints_that_nothing_was_measured(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert main([]) == 0
    assert capsys.readouterr().out.startswith("There is no GPU here: nothing was measured.")


def test_experiment_is_the_papers() -> None:
    assert STEPS == 5 * 10 * 1044 // 4
    assert CRITERIA * EPOCHS * DISTINCT < STEPS
