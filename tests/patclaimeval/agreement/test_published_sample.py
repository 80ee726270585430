import json
import os
from pathlib import Path
from typing import Any

import pytest

from patclaimeval.agreement.items import (
    PAPER_TIE_THRESHOLD,
    Item,
    Question,
    ScorerScores,
    distinct_texts,
)
from patclaimeval.agreement.report import build_report
from patclaimeval.metrics.base import Pair
from patclaimeval.metrics.registry import BASELINE_NAMES, get_metric

SAMPLE = os.environ.get("PATENT_CE_SAMPLE", "")
pytestmark = pytest.mark.skipif(
    not SAMPLE, reason="PATENT_CE_SAMPLE names no file: the published sample is not shipped"
)

# tau as printed in the papers, rho, accuracy in percent, weighted F1 in percent.
FIGURES = {
    "bleu-1": (0.205, 0.235, 45.3, 38.2),
    "bleu-4": (0.184, 0.194, 44.2, 37.2),
    "rouge-1": (0.205, 0.212, 45.3, 38.0),
    "rouge-2": (0.249, 0.252, 47.4, 39.7),
    "rouge-l": (0.271, 0.295, 48.4, 40.7),
    "meteor": (0.249, 0.265, 47.4, 39.8),
}


def read_items() -> list[Item]:
    rows = json.loads(Path(SAMPLE).read_text(encoding="utf-8"))
    return [
        Item(row["gold_claim"], row["gold_claim"], row["A"], row["B"], row["human_eval"]["Quality"])
        for row in rows
    ]


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    items = read_items()
    texts = distinct_texts(items)

    def scored(name: str) -> ScorerScores:
        metric = get_metric(name)
        scores = metric.score([Pair(*text) for text in texts])
        return ScorerScores(name, metric.version, dict(zip(texts, scores, strict=True)))

    return build_report(
        Question("overall_quality", tie_threshold=PAPER_TIE_THRESHOLD),
        items,
        [scored(name) for name in FIGURES],
        [scored(name) for name in BASELINE_NAMES],
    )


@pytest.mark.parametrize("name", FIGURES)
def test_a_metric_repeats_its_figures_to_the_printed_digit(report, name) -> None:
    entry = report["scorers"][name]
    found = (
        round(entry["tau_paper"]["value"], 3),
        round(entry["spearman"]["value"], 3),
        round(100 * entry["accuracy"]["value"], 1),
        round(100 * entry["f1_weighted"]["value"], 1),
    )
    assert found == FIGURES[name]


def test_the_sample_has_its_known_size_and_copies_of_references(report) -> None:
    checks = report["checks"]
    assert (checks["items"], checks["references"], checks["candidates"]) == (95, 10, 96)
    assert checks["contain_reference"]["items"] == 11
    assert checks["contain_reference"]["reference_preferred"] == 11


def test_without_copies_of_the_reference_every_metric_loses_agreement(report) -> None:
    for entry in report["scorers"].values():
        without = entry["without_reference_items"]
        assert without["n"] == 84
        assert without["tau_paper"]["value"] < entry["tau_paper"]["value"]
    assert report["baselines"]["identity"]["without_reference_items"]["tau_b"]["value"] is None
