"""The table of a report's page: order, headings, and why figures are undefined."""

import pytest

from scoring.reports.page_parts import UNSORTED, Sorting, headings, table_rows, undefined_figures
from tests.scoring.report_documents import FLAT, report_document


def test_what_is_no_figure_sorts_nothing() -> None:
    assert Sorting.asked("signature", "asc") == UNSORTED
    assert Sorting.asked("tau_b", "sideways") == Sorting("tau_b", "desc")


@pytest.mark.parametrize(
    ("sorting", "key", "aria", "then"),
    [
        (UNSORTED, "tau_b", "", "desc"),
        (UNSORTED, "scorer", "", "asc"),
        (Sorting("tau_b", "desc"), "tau_b", "descending", "asc"),
        (Sorting("tau_b", "asc"), "tau_b", "ascending", "desc"),
        (Sorting("scorer", "asc"), "scorer", "ascending", "desc"),
        (Sorting("scorer", "desc"), "scorer", "descending", "asc"),
        (Sorting("tau_b", "desc"), "spearman", "", "desc"),
    ],
)
def test_a_heading_shows_how_it_sorts_now_and_then(
    sorting: Sorting, key: str, aria: str, then: str
) -> None:
    (heading,) = [one for one in headings(sorting) if one.key == key]
    assert (heading.aria, heading.then) == (aria, then)


def test_equal_figures_keep_the_order_that_was_asked_for_both_ways() -> None:
    document = report_document()
    document["scorers"]["rouge-l"]["tau_b"]["value"] = 0.31
    for order in ("asc", "desc"):
        names = [row.name for row in table_rows(document, Sorting("tau_b", order))]
        assert names[:2] == ["bleu-1", "rouge-l"], order


def test_reasons_are_shown_once_with_all_they_explain() -> None:
    document = report_document()
    nothing = {"value": None, "low": None, "high": None, "reason": FLAT}
    document["baselines"]["length"] |= {"tau_b": nothing, "spearman": nothing}
    (found,) = undefined_figures(table_rows(document))
    assert found.reason == FLAT
    assert found.figures == (("majority", "tau-b"), ("length", "tau-b, Spearman"))
