"""Figures of a report are read alike whether it is new or old."""

from scoring.report_files.figures import LATER, cell, entries, label_of
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
