"""Tests of antecedent basis."""

from pathlib import Path

import pytest

from annotator.claims.antecedents import missing_antecedents, unintroduced_phrases

REFERENCES = Path(__file__).parents[3] / "fixtures" / "demo" / "references"


def terms(text):
    return [(item.claim_number, item.term) for item in missing_antecedents(text)]


def test_a_term_introduced_nowhere_is_found_with_its_place():
    text = "1. A pump comprising a housing, wherein the piston moves."
    (finding,) = missing_antecedents(text)
    assert text[finding.start : finding.end].startswith("the piston")
    assert finding.claim_number == 1


def test_a_term_introduced_in_the_chain_has_basis():
    text = "1. A pump comprising a piston.\n2. The pump of claim 1, wherein the piston is hollow."
    assert terms(text) == []


def test_a_term_introduced_in_a_claim_outside_the_chain_has_none():
    text = "1. A pump.\n2. The pump of claim 1, having a seal."
    assert terms(text + "\n3. The pump of claim 1, wherein the seal is soft.") == [(3, "seal")]


def test_a_term_introduced_only_afterwards_has_none():
    assert terms("1. A pump, wherein the piston is coupled to a piston.") == [(1, "piston")]


def test_a_missing_term_is_reported_once_in_a_chain():
    text = "1. A pump, wherein the piston is hollow."
    assert terms(text + "\n2. The pump of claim 1, wherein the piston is long.") == [(1, "piston")]


def test_a_broken_dependency_is_not_counted_again_as_missing_antecedents():
    text = "1. A pump comprising a piston.\n2. The pump of claim 9, wherein the piston is hollow."
    assert terms(text) == []


def test_plurals_share_their_basis():
    assert terms("1. A pump comprising valves, wherein the valve is closed.") == []


@pytest.mark.parametrize("path", sorted(REFERENCES.glob("*.txt")), ids=lambda path: path.stem)
def test_the_demo_references_miss_no_antecedent(path):
    assert terms(path.read_text(encoding="utf-8")) == []


def test_phrases_must_agree_as_a_whole_to_count_as_introduced():
    text = (
        "1. A pad with a receiver coil, wherein the auxiliary coils are around the receiver coil."
    )
    assert unintroduced_phrases(text) == {"auxiliary coil"}
    assert unintroduced_phrases("1. A pad with auxiliary coils and the auxiliary coils.") == set()
    assert missing_antecedents(text) == ()
