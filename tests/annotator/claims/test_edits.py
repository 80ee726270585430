"""Tests of changes to claim text by spans."""

from annotator.claims.edits import (
    Edit,
    apply_edits,
    remove_claim,
    remove_element,
    without_overlaps,
)
from annotator.claims.parsing import parse_claims

LIST = "1. A pump comprising:\n  a rod;\n  a seal; and\n  a cap.\n\n2. The pump of claim 1."


def test_edits_are_made_in_any_order():
    assert apply_edits("abcd", [Edit(0, 1, "xx"), Edit(3, 4, ""), Edit(2, 2, "-")]) == "xxb-c"


def test_of_overlapping_edits_the_first_is_kept():
    first, second, third = Edit(2, 5, "a"), Edit(4, 6, "b"), Edit(5, 6, "c")
    assert without_overlaps([first, second, third]) == [first, third]


def test_a_removed_middle_element_leaves_a_list():
    shorter = remove_element(LIST, parse_claims(LIST)[0], 1)
    assert shorter == "1. A pump comprising:\n  a rod; and\n  a cap.\n\n2. The pump of claim 1."


def test_the_conjunction_moves_when_the_last_element_is_removed():
    shorter = remove_element(LIST, parse_claims(LIST)[0], 2)
    assert shorter == "1. A pump comprising:\n  a rod; and\n  a seal.\n\n2. The pump of claim 1."


def test_a_removed_claim_renumbers_claims_and_citations_after_it():
    text = "1. A pump.\n2. The pump of claim 1.\n3. The pump of claim 1.\n"
    text += "4. The pump of claims 1 to 3."
    shorter = remove_claim(text, parse_claims(text)[1])
    assert shorter == "1. A pump.\n2. The pump of claim 1.\n3. The pump of claims 1 to 2."


def test_a_removed_last_claim_leaves_no_blank_lines():
    text = "1. A pump.\n\n2. The pump of claim 1."
    assert remove_claim(text, parse_claims(text)[1]) == "1. A pump."
