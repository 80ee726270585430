"""Figures of a report are read alike whether it is new or old."""

from scoring.reports.files import LATER, cell, entries, label_of, scored_names
from tests.scoring.report_documents import report_document


def test_scorers_come_before_baselines_in_their_own_order() -> None:
    found = [(kind, name) for kind, name, _ in entries(report_document())]
    assert found[:3] == [("scorer", "bleu-1"), ("scorer", "rouge-l"), ("scorer", "bertscore")]
    assert found[3:] == [("baseline", "majority"), ("baseline", "length")]


def test_a_figure_that_an_older_report_lacks_says_so() -> None:
    assert cell(None).reason == LATER
    assert cell({"value": 0.5, "low": 0.1, "high": 0.9}).reason == ""


def test_a_scorer_without_a_label_goes_by_its_name() -> None:
    assert label_of(report_document(), "bertscore") == "BERTScore"
    assert label_of(report_document(), "gone") == "gone"


def test_a_baseline_that_was_asked_for_as_a_scorer_is_named_once() -> None:
    document = report_document()
    document["scorers"]["length"] = document["baselines"]["length"]
    assert scored_names(document) == ("bleu-1", "rouge-l", "length", "majority")
