"""The CSV of a report: every figure, every reason, no formula."""

import csv
import io
from typing import Any

import pytest

from scoring.reports.files import COLUMNS, csv_table
from tests.scoring.report_documents import (
    ABSENT,
    FLAT,
    judged_document,
    report_document,
)


def records(document: dict[str, Any]) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(csv_table(document), newline="")))


def test_each_scorer_and_baseline_has_a_record_for_both_sets_of_items() -> None:
    found = records(report_document())
    names = ["bleu-1", "rouge-l", "bertscore", "majority", "length"]
    assert [row["scorer"] for row in found] == [name for name in names for _ in "ab"]
    assert [row["items"] for row in found[:2]] == ["all", "without reference"]
    assert [row["kind"] for row in found] == ["scorer"] * 6 + ["baseline"] * 4


def test_figures_stand_with_every_digit_under_their_own_column() -> None:
    document = report_document()
    document["scorers"]["bleu-1"]["spearman"] = {"value": 1 / 3, "low": -0.125, "high": 0.5}
    row = records(document)[0]
    assert float(row["spearman"]) == 1 / 3
    assert (row["spearman_low"], row["spearman_high"]) == ("-0.125", "0.5")
    assert row["tau_b"] == "0.31"


def test_what_is_undefined_or_unavailable_is_empty_and_says_why() -> None:
    found = {(row["scorer"], row["items"]): row for row in records(report_document())}
    majority = found["majority", "all"]
    assert majority["tau_b"] == "" and f"tau_b: {FLAT}" in majority["undefined"]
    assert found["bertscore", "all"]["unavailable"] == ABSENT
    assert found["bertscore", "all"]["version"] == ""


@pytest.mark.parametrize("best", [["rouge-l"], []])
def test_only_what_the_test_found_best_is_marked_best(best) -> None:
    document = report_document()
    document["comparisons"]["best"] = best
    assert [row["scorer"] for row in records(document) if row["is_best"] == "yes"] == best * 2


def test_a_text_that_a_spreadsheet_would_run_is_defused_and_named() -> None:
    document = report_document()
    document["scorers"]["bleu-1"]["label"] = '=HYPERLINK("x")'
    row = records(document)[0]
    assert row["label"] == '\'=HYPERLINK("x")'
    assert row["apostrophe_put_before"] == "label"


def test_order_consistency_stands_once_with_the_scorer_that_has_one() -> None:
    found = {(row["scorer"], row["items"]): row for row in records(judged_document())}
    given = {
        key: row["order_consistency"] for key, row in found.items() if row["order_consistency"]
    }
    assert given == {("rouge-l", "all"): str(45 / 58)}
    assert {row["order_consistency"] for row in records(report_document())} == {""}


def test_lines_end_as_the_standard_says_and_are_equally_long() -> None:
    text = csv_table(report_document())
    assert text.count("\r\n") == len(text.splitlines()) == 11
    assert all(len(row) == len(COLUMNS) for row in csv.reader(io.StringIO(text, newline="")))


def test_the_lead_of_the_planned_scorer_stands_with_each_other_one() -> None:
    found = {(row["scorer"], row["items"]): row for row in records(report_document())}
    planned, exploratory = found["rouge-l", "all"], found["length", "all"]
    assert (planned["planned_scorer"], planned["test"]) == ("bleu-1", "planned")
    assert (planned["lead"], planned["lead_p_holm"]) == ("-0.13", "0.03")
    assert (exploratory["test"], exploratory["lead_p_holm"]) == ("exploratory", "")
    assert found["bleu-1", "all"]["test"] == found["rouge-l", "without reference"]["test"] == ""
