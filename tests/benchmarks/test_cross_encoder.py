"""Tests of the trial of a small encoder as one more group of the default model."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from benchmarks import cross_encoder
from benchmarks.unseen_references.claim_encoder import (
    DOCUMENTS,
    MOST_GROWTH,
    documents,
    rewritings,
    rows,
)
from benchmarks.unseen_references.rows import DEMO

TEXTS = [path.read_text("utf-8") for path in sorted((DEMO / "references").glob("*.txt"))]


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package as the real one, with claims of the demo and with documents without any."""
    claims = [*TEXTS[:16], "", None, "1. A plant as shown."]
    path = tmp_path / "patent_client.whl"
    with ZipFile(path, "w") as archive:
        found = [{"document": {"claims_text": text}} for text in claims]
        archive.writestr(DOCUMENTS, json.dumps(found))
    return path


def test_documents_without_claims_are_left_out(package) -> None:
    assert documents(package) == TEXTS[:16]


def test_what_was_rewritten_less_often_is_better() -> None:
    items = rewritings(TEXTS[:4], 2, 1)
    assert len(items) == 4 * 2 * 6
    assert {item.y for item in items} >= {1, -1}
    for item in items:
        assert (item.y == 0) == (item.b == item.c)
        assert max(len(item.b), len(item.c)) <= MOST_GROWTH * len(item.reference)
        if item.y and item.reference in (item.b, item.c):
            assert item.reference == (item.b if item.y == 1 else item.c)
    assert rewritings(TEXTS[:4], 2, 1) == items


def test_rows_hold_each_claim_once_and_count_by_their_words() -> None:
    reference = "1. A pump with a valve.\n2. The pump of claim 1, wherein a spring is bent."
    found, shares = rows(reference, "1. A pump with a red valve.\n2. A lamp, or both.\n3. A cup.")
    assert found == [
        ("a pump with a valve", "a pump with a red valve"),
        ("the pump of claim 1 wherein a spring is bent", ""),
        ("", "a lamp or both"),
        ("", "a cup"),
    ]
    assert shares == [pytest.approx(n / 35) for n in (13, 12, 6, 4)]


@pytest.mark.exhaustive
@pytest.mark.slow
def test_small_trial_runs_from_the_package_to_the_figures(
    package, tmp_path, monkeypatch, capsys
) -> None:
    items = rewritings(TEXTS[16:], 2, 3)
    texts = [
        {
            "gold_claim": item.reference,
            "A": item.b,
            "B": item.c,
            "human_eval": {"Quality": item.y},
        }
        for item in items
    ]
    rated = tmp_path / "rated.json"
    rated.write_text(json.dumps(texts))
    monkeypatch.setattr(cross_encoder, "demo_rows", dict)
    arguments = ["--each", "1", "--epochs", "1", "--layers", "1", "--halves", "2"]
    monkeypatch.setattr(sys, "argv", ["cross_encoder", str(package), str(rated), *arguments])
    cross_encoder.main()
    printed = capsys.readouterr().out
    assert "16 documents, 84 comparisons, 12 to validate on" in printed
    assert f"overall_quality: {len(items)} items" in printed
    assert "alone: tau-b " in printed
    assert "share None" in printed
    assert "weight from a prior of 0 on" in printed
    assert "halves, 2 draws" in printed
