"""Ids out of texts, and which cells a spreadsheet would take for a formula."""

import pytest

from patclaimeval.text_io.text import candidate_id_of, is_formula, reference_id_of, text_sha256


def test_ids_begin_with_the_digest_that_any_tool_computes():
    # printf abc | sha256sum
    assert text_sha256("abc").startswith("ba7816bf8f01cfea")
    assert reference_id_of("abc") == "ref-ba7816bf8f01cfea"
    assert candidate_id_of("abc") == "cand-ba7816bf8f01cfea"
    assert candidate_id_of("\u00e9") != candidate_id_of("e\u0301")


STARTS = [*"=+-@\t\r\n", "\uff1d", "\uff0b", "\uff0d", "\uff20", " =", "\ufeff=", "\u200b@"]


@pytest.mark.parametrize("start", STARTS)
def test_a_cell_that_begins_so_is_a_formula(start) -> None:
    assert is_formula(start + "1")
    assert is_formula(start)


@pytest.mark.parametrize("text", ["", " ", "a", "1-1", "1. A =", "'=1", "(-1)", "\u2212 1", "a\n="])
def test_other_cells_are_none(text) -> None:
    assert not is_formula(text)
