"""Two reports, and two scorers of one, as the page shows them."""

import pytest

from scoring.reports.queries import compare_reports, compare_scorers, scorer_choices
from tests.scoring.report_documents import old_document, report_document

pytestmark = pytest.mark.postgres


def test_changes_are_second_minus_first_and_nothing_where_one_is_undefined() -> None:
    later = report_document()
    later["scorers"]["bleu-1"]["tau_b"]["value"] = 0.5
    found = compare_reports(report_document(), later)
    assert found is not None and found.is_same_data
    by_label = {line.label: line for line in found.lines}
    assert by_label["bleu-1"].figures[0][2] == 0.5 - 0.31
    assert by_label["BERTScore"].figures[0][2] is None


def test_another_version_of_a_scorer_is_shown() -> None:
    later = report_document()
    later["scorers"]["bleu-1"]["version"] = "bleu-1 2.0"
    found = compare_reports(report_document(), later)
    assert found is not None
    assert [line.label for line in found.lines if not line.is_same_version] == ["bleu-1"]


def test_one_criterion_or_one_dataset_is_enough_and_neither_is_not() -> None:
    other = report_document()
    other["question"]["dataset"] = "mugs@1"
    found = compare_reports(report_document(), other)
    assert found is not None and not [
        line for line in found.asked if line[0] == "Dataset" and line[3]
    ]
    other["question"]["criterion"] = "logical_linkage"
    assert compare_reports(report_document(), other) is None


def test_an_old_report_is_compared_as_far_as_it_goes() -> None:
    found = compare_reports(old_document(), report_document())
    assert found is not None and found.only_second == ("BERTScore",)
    two = compare_scorers(old_document(), "bleu-1", "rouge-l")
    assert two.tested is None and two.both == ()


def test_what_was_not_scored_cannot_be_chosen() -> None:
    names = [name for name, _ in scorer_choices(report_document())]
    assert names == ["bleu-1", "rouge-l", "majority", "length"]
