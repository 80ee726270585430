"""What a report says in words follows from its document alone."""

from typing import Any

import pytest

from scoring.reports.page_parts import NOT_TESTED, caution, cautions, verdict
from tests.scoring.report_documents import UNKNOWN, old_document, report_document


def test_the_verdict_names_the_best_the_power_and_the_ceiling() -> None:
    best, power, ceiling = verdict(report_document())
    assert best == "rouge-l is better than every other scorer."
    assert "0.21" in power
    assert "tau-b 0.550 (95 % interval 0.45 to 0.65), over 40 items" in ceiling


def test_an_old_report_calls_none_the_best_and_the_ceiling_unknown() -> None:
    assert verdict(old_document()) == (NOT_TESTED, UNKNOWN)


@pytest.mark.parametrize(
    ("part", "change", "said"),
    [
        ("references", 4, "Only 4 references"),
        ("shared_texts", {"texts": 3, "splits": ["train"]}, "3 texts stand in more than one split"),
        ("implied", {"share": 0.97, "reason": ""}, "97 % of these labels follow"),
        ("duplicates", {"items": 5, "contradicting": 2}, "2 comparisons contradict"),
    ],
)
def test_what_misleads_is_reported(part: str, change: Any, said: str) -> None:
    document = report_document()
    document["checks"][part] = change
    assert any(said in sentence for sentence in cautions(document))


def test_nothing_is_reported_where_nothing_misleads() -> None:
    document = report_document()
    del document["scorers"]["bertscore"]
    document["checks"] |= {
        "implied": {"share": 0.0, "reason": ""},
        "duplicates": {"items": 0, "contradicting": 0},
        "contain_reference": {"items": 0, "reference_preferred": 0, "byte_identical": 0},
    }
    assert cautions(document) == ()
    assert caution(10) == "" and caution(9)
