"""Which cells a spreadsheet would take for a formula."""

import pytest

from core.text_io.text import is_formula

STARTS = [*"=+-@\t\r\n", "\uff1d", "\uff0b", "\uff0d", "\uff20", " =", "\ufeff=", "\u200b@"]


@pytest.mark.parametrize("start", STARTS)
def test_a_cell_that_begins_so_is_a_formula(start) -> None:
    assert is_formula(start + "1")
    assert is_formula(start)


@pytest.mark.parametrize("text", ["", " ", "a", "1-1", "1. A =", "'=1", "(-1)", "\u2212 1", "a\n="])
def test_other_cells_are_none(text) -> None:
    assert not is_formula(text)
