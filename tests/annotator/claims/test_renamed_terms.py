"""Tests of elements that go by two names."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.claims import term_changes as module
from annotator.claims.term_changes import renamed_terms
from tests.amounts import tries

REFERENCES = Path(__file__).parents[3] / "fixtures" / "demo" / "references"


def names(text):
    found = renamed_terms(text)
    assert all(text[item.start : item.end] == item.then for item in found)
    return [(item.first, item.then) for item in found]


@pytest.mark.parametrize(
    ("text", "first", "then"),
    [
        ("1. A housing (12), wherein the enclosure (12) is round.", "housing", "enclosure"),
        ("1. A housing 12 with a rod 14; the enclosure 12 is round.", "housing", "enclosure"),
        (
            "1. A rod (12) and, beside many other fine things that make up a pump, a seal (12).",
            "rod",
            "seal",
        ),
        ("1. A pump with a housing, the casing being red.", "housing", "casing"),
        ("1. A pump housing, the pump casing being red.", "pump housing", "pump casing"),
        ("1. A controller unit, the control unit being red.", "controller unit", "control unit"),
        ("1. A touchscreen, the touch screen being wide.", "touchscreen", "touch screen"),
        ("1. A micro-processor, the microprocessor.", "micro-processor", "microprocessor"),
        ("1. An abnormality, the abnormaility being grave.", "abnormality", "abnormaility"),
    ],
)
def test_a_second_name_is_found_with_its_place(text, first, then):
    assert names(text) == [(first, then)]


def test_the_second_name_is_found_down_the_chain_only():
    text = "1. A pump with a housing.\n2. The pump of claim 1, the casing being red."
    assert names(text) == [("housing", "casing")]
    text = "1. A pump with a housing.\n2. A fan.\n3. The fan of claim 2, the casing being red."
    assert names(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "1. A housing (12), wherein the round housing (12) is red.",
        "1. A pump housing (12), wherein the housing (12) is red.",
        "1. A Cable Modem, CM, (140), wherein the cable modem (140) is new.",
        "1. A Cable Modem (140), wherein the CM (140) is new.",
        "1. A method of receiving (720) data and sending (720) data.",
        "1. A rod (18, 19), wherein a sleeve (18) is long.",
        "1. A rod of claim 12, wherein a seal 12 is soft.",
        "1. A mixture at least 20 percent, with a part 20 percent.",
        "1. A housing and a casing, the housing being red and the casing being blue.",
        "1. A first valve, a second valve, the first valve, the second valve.",
        "1. A heating unit and a heated unit, the heated unit being red.",
        "1. A rod, the seal being soft.",
        "1. A control unit, the control units being red.",
        "1. A device; (1) a rod; (2) a bar; or (1) a seal.",
    ],
)
def test_one_name_or_two_things_are_left_alone(text):
    assert names(text) == []


@pytest.mark.parametrize("path", sorted(REFERENCES.glob("*.txt")), ids=lambda path: path.stem)
def test_the_demo_references_call_each_thing_by_one_name(path):
    assert names(path.read_text(encoding="utf-8")) == []


@given(st.text(alphabet="the a rod (12) bar.\n"))
def test_any_text_is_read(text):
    for item in renamed_terms(text):
        assert 0 <= item.start < item.end <= len(text)


def test_long_texts_come_to_an_end():
    claims = "".join(
        f"{n}. A pump with a housing {n + 10}, the casing {n}.\n" for n in range(1, tries(2000))
    )
    assert renamed_terms(claims)
    assert renamed_terms("1. A pump " + "with a rod (12), the bar (12), " * tries(5000))


def test_of_a_term_repeated_in_a_claim_two_places_are_listed_at_most() -> None:
    known = module._Introduced()
    names = [module._Name((word, "unit"), n, n + 1) for n, word in enumerate("aaabbbc" * 50)]
    for name in names:
        known.add(3, name)
    assert sum(map(len, known.names.values())) == 2
    for words, start, first in (("a", 900, 3), ("b", 900, 0), ("x", 900, 0), ("a", 3, None)):
        found = known.first_other(1 << 3, module._Name((words, "unit"), start, start + 1))
        assert (found.start if found else None) == first
    assert known.first_other(1 << 2, names[-1]) is None
