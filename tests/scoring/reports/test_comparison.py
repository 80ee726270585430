"""Two reports, and two scorers of one, as the page shows them."""

import pytest

from scoring.reports.files import label_of, scored_names
from scoring.reports.queries import compare_reports, scorer_choices
from tests.scoring.report_documents import report_document

pytestmark = pytest.mark.postgres


def test_changes_are_second_minus_first_and_nothing_where_one_is_undefined() -> None:
    later = report_document()
    later["scorers"]["bleu-1"]["tau_b"]["value"] = 0.5
    later["scorers"]["bleu-1"]["version"] = "bleu-1 2.0"
    found = compare_reports(report_document(), later)
    assert found is not None and found.is_same_data
    by_label = {line.label: line for line in found.lines}
    assert by_label["bleu-1"].figures[0][2] == 0.5 - 0.31
    assert by_label["BERTScore"].figures[0][2] is None
    assert [line.label for line in found.lines if not line.is_same_version] == ["bleu-1"]


def test_one_criterion_or_one_dataset_is_enough_and_neither_is_not() -> None:
    other = report_document()
    other["question"]["dataset"] = "mugs@1"
    found = compare_reports(report_document(), other)
    assert found is not None
    assert not [line for line in found.asked if line[0] == "Dataset" and line[3]]
    other["question"]["criterion"] = "logical_linkage"
    assert compare_reports(report_document(), other) is None


def test_what_was_not_scored_cannot_be_chosen_and_what_was_once() -> None:
    document = report_document()
    assert [name for name, _ in scorer_choices(document)] == [
        *("bleu-1", "rouge-l", "majority", "length")
    ]
    # A baseline that was asked for as a scorer.
    document["scorers"]["length"] = document["baselines"]["length"]
    assert scored_names(document) == ("bleu-1", "rouge-l", "length", "majority")
    assert label_of(document, "gone") == "gone"
