"""Tests of the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scoring.patclaimeval.__main__ import main
from scoring.patclaimeval.data import Quadruplet


def test_rows_are_trained_on_and_pairs_scored(
    quadruplets: list[Quadruplet],
    tiny_bert: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = [
        {"reference_id": i.reference_id, "A": i.reference, "B": i.b, "C": i.c, "y": i.y}
        for i in quadruplets
    ]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    pair = {"reference": quadruplets[0].reference, "candidate": quadruplets[0].b}
    (tmp_path / "pairs.jsonl").write_text(json.dumps(pair), encoding="utf-8")
    model = str(tmp_path / "model")
    train = ["train", str(tmp_path / "rows.jsonl"), model, "--criterion", "overall_quality"]
    assert main([*train, "--encoder", str(tiny_bert), "--epochs", "3"]) == 0
    assert json.loads(capsys.readouterr().out)["n_training"] == 15
    assert main(["score", model, str(tmp_path / "pairs.jsonl")]) == 0
    assert 0 < json.loads(capsys.readouterr().out)["score"] < 1


def test_failure_is_told_in_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "pairs.jsonl").write_text("", encoding="utf-8")
    assert main(["score", str(tmp_path / "none"), str(tmp_path / "pairs.jsonl")]) == 1
    assert "no model directory" in capsys.readouterr().err
