"""Tests of antecedent basis."""

from pathlib import Path

import pytest

from annotator.claims.antecedents import missing_antecedents, unintroduced_phrases
from core.claim_text import parse_claims
from tests.amounts import tries

REFERENCES = Path(__file__).parents[3] / "fixtures" / "demo" / "references"


def terms(text):
    """Each term that has no basis, with the number of the claim that it stands in."""
    return [
        (claim.number, item.term)
        for item in missing_antecedents(text)
        for claim in parse_claims(text)
        if claim.start <= item.start < claim.end
    ]


def test_a_term_introduced_nowhere_is_found_with_its_place():
    text = "1. A pump comprising a housing, wherein the piston moves."
    (finding,) = missing_antecedents(text)
    assert text[finding.start : finding.end].startswith("the piston")
    assert terms(text) == [(1, finding.term)]


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
    assert terms(text) == [(1, "auxiliary coils")]


def test_a_qualifier_that_nothing_introduced_is_found():
    text = "1. A vehicle with an automatic drive mode.\n2. The vehicle of claim 1, leaving "
    assert terms(text + "the manual drive mode.") == [(2, "manual drive mode")]
    assert terms(text + "the drive mode.") == []
    assert terms(text + "the current drive mode.") == []
    assert terms("1. A pad with a first coil, the second coil being flat.") == [(1, "second coil")]


@pytest.mark.parametrize(
    "words",
    [
        "inserting a lens into the eye of a subject, the eye being open",
        "having a lens, the center and the edge of the lens being round",
        "measuring light in the visible region without the need for a filter",
        "heating oil, wherein the heating step ends",
        "forming an upper, wherein the formation ends",
        "transmitting data, the transmission being slow",
        "drying a film, the dried film being thin",
        "having at least one rod, the at least one rod being long",
        "having bacteria, the bacterium being dead",
        "having a lens, the lenses being flat",
        "having a layer of a first type, the layer vary",
        "having a base layer, the base layer vary with time",
        "having a nip, forming the nip therebetween",
        "having a film, moving the film away from it",
        "having a lightly doped layer, the lightly doped layer being flat",
        "using the bacterium Escherichia",
        "heating to the lowest pressure and to the respective temperature",
        "having a coil-shaped wire, the coil being round",
    ],
)
def test_these_definite_terms_need_no_other_introduction(words):
    assert terms(f"1. A thing {words}.") == []


@pytest.mark.parametrize(
    ("words", "term"),
    [
        ("having said eye of a subject", "eye"),
        ("having the at least one rod", "rod"),
        ("wherein the two rods are long", "rods"),
        ("having a portion at the port", "port"),
        ("having a film, the doped film being thin", "doped film"),
    ],
)
def test_these_definite_terms_do(words, term):
    assert terms(f"1. A thing {words}.") == [(1, term)]


def test_the_preamble_of_a_dependent_claim_may_name_its_thing_more_fully():
    text = "1. A system for inserting a lens.\n2. The insertion system of claim 1."
    assert terms(text) == []


def test_a_claim_that_opens_with_the_and_cites_none_is_one_finding():
    text = "1. A method of heating a fluid.\n2. The method further comprises cooling the fluid."
    assert terms(text) == [(2, "method")]


def test_basis_in_any_of_several_chains_is_enough():
    text = "1. A pump.\n2. The pump of claim 1, having a seal.\n"
    text += "3. The pump of claim 1 or 2.\n4. The pump of claim 3, wherein the seal is soft."
    assert terms(text) == []


def test_hundreds_of_claims_that_depend_on_all_before_come_to_an_end():
    many = range(2, tries(3000))
    rest = (f"{n}. The pump of any preceding claim, with a x{n}a rod.\n" for n in many)
    assert terms("1. A pump.\n" + "".join(rest)) == []
    assert len(terms("1. A pump " + "wherein the rod is a bar " * tries(20_000))) == 1
