"""Tests of the terms that the reference lacks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.claims.term_changes import fold, foreign_terms
from tests.amounts import tries

REFERENCE = "1. A pump comprising a stepper motor (12), a light emitting diode and a rotating rod."


def terms(candidate, reference=REFERENCE):
    return [item.term for item in foreign_terms(reference, candidate)]


def test_new_words_are_found_at_each_place():
    text = "1. A pump with a hybrid stepper motor, the hybrid motor having magnets."
    found = foreign_terms(REFERENCE, text)
    assert [item.term for item in found] == ["hybrid", "hybrid", "magnets"]
    assert all(text[item.start : item.end] == item.term for item in found)


def test_neighbouring_new_words_are_one_term():
    assert terms("a permanent ring magnet near the rod") == ["permanent ring magnet"]
    assert terms("a magnet, spring and cap") == ["magnet", "spring", "cap"]


@pytest.mark.parametrize(
    "words",
    [
        "the rods rotate by rotation of stepper-motors",
        "pumps pumped by pumping",
        "a light-emitting diode",
        "Stepper MOTOR",
        "2. The method of claim 1, further comprising at least one of said rods, wherein",
        "a plurality of first and second rods configured to be respectively provided",
        "a rod (14) of 20 mm at 300 rpm",
        "(a) the rod, (ii) the motor",
    ],
)
def test_inflections_claim_words_numbers_and_letters_are_not_new(words):
    assert terms(words) == []


@pytest.mark.parametrize(
    "family",
    [
        "rotate rotates rotating rotated rotation",
        "control controls controlled controlling controller",
        "vary varied varying varies variation",
        "compress compressed compression",
        "transmit transmitting transmission",
        "heat heated heating heater",
        "coat coated coating",
        "install installed installing",
        "valve valves",
        "measure measured measuring measurement",
        "determine determined determination",
        "create created creation",
        "dry dried drying",
    ],
)
def test_a_family_of_words_has_one_stem(family):
    assert len({fold(word) for word in family.split()}) == 1


def test_abbreviations_are_terms_and_their_plural_is_the_same():
    assert terms("an LED and an IP address") == ["LED", "IP address"]
    assert terms("LEDs", reference="an LED") == []


def test_spelling_in_one_piece_or_in_two_is_the_same():
    assert terms("a micro-processor", reference="a microprocessor") == []
    assert terms("a microprocessor", reference="a micro-processor") == []


def test_text_without_latin_words_has_no_terms():
    assert foreign_terms("1. 一种泵。", "1. A pump.") == ()
    assert foreign_terms("1. A pump.", "1. 一种泵、包括壳体。") == ()
    assert foreign_terms("", "1. A pump.") == ()


def test_words_of_other_latin_letters_are_whole():
    assert terms("ein Gehäuse", reference="a rod") == ["ein Gehäuse"]


@given(st.text(), st.text())
def test_any_text_is_read_and_spans_hold_their_terms(reference, candidate):
    for item in foreign_terms(reference, candidate):
        assert candidate[item.start : item.end] == item.term


@given(st.text(alphabet="abc XYZ-é.1"))
def test_a_text_has_no_new_terms_against_itself(text):
    assert foreign_terms(text, text) == ()


def test_long_texts_come_to_an_end():
    many = tries(100_000)
    assert len(foreign_terms("a pump", "magnet, " * many)) == many
    assert len(foreign_terms("a pump", "magnet " * many)) == 1
