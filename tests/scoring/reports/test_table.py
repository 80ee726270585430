"""The table of a report's page: order, headings, and why figures are undefined."""

from scoring.reports.table import UNSORTED, Sorting, table_rows, undefined_figures
from tests.scoring.report_documents import FLAT, report_document


def test_what_is_no_figure_sorts_nothing() -> None:
    assert Sorting.asked("signature", "asc") == UNSORTED
    assert Sorting.asked("tau_b", "sideways") == Sorting("tau_b", "desc")


def test_equal_figures_keep_the_order_that_was_asked_for_both_ways() -> None:
    document = report_document()
    document["scorers"]["rouge-l"]["tau_b"]["value"] = 0.31
    for order in ("asc", "desc"):
        names = [row.name for row in table_rows(document, Sorting("tau_b", order))]
        assert names[:2] == ["bleu-1", "rouge-l"], order


def test_reasons_are_told_once_with_all_they_explain() -> None:
    document = report_document()
    nothing = {"value": None, "low": None, "high": None, "reason": FLAT}
    document["baselines"]["length"] |= {"tau_b": nothing, "spearman": nothing}
    found = undefined_figures(table_rows(document))
    assert found == [(FLAT, [("majority", "tau-b"), ("length", "tau-b, Spearman")])]
