"""Tests of the cut of claim text into numbered claims."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.claims.parsing import parse_claims

REFERENCES = Path(__file__).parents[3] / "fixtures" / "demo" / "references"
PIECES = st.sampled_from(
    [
        "1. ",
        "2) ",
        "Claim 3",
        "\n",
        " ",
        "A pump",
        ". ",
        "claim 1",
        "claims 1 to 3",
        ";",
        "9",
        "、",
        "一",
    ]
)


def numbers(text):
    return [claim.number for claim in parse_claims(text)]


@given(st.one_of(st.text(), st.lists(PIECES, max_size=30).map("".join)))
def test_joining_the_claims_gives_the_input(text):
    claims = parse_claims(text)
    assert "".join(claim.text for claim in claims) == text
    assert all(text[claim.start : claim.end] == claim.text for claim in claims)


@pytest.mark.parametrize(
    "text",
    [
        "1. A pump.\n2. The pump of claim 1.\n3. The pump of claim 2.",
        "1) A pump.\n2) The pump of claim 1.\n3) The pump of claim 2.",
        "Claim 1: A pump.\nClaim 2: The pump of claim 1.\nClaim 3: The pump of claim 2.",
        "Claim 1\nA pump.\nClaim 2\nThe pump of claim 1.\nClaim 3\nThe pump of claim 2.",
        "1. A pump. 2. The pump of claim 1. 3. The pump of claim 2.",
        "1. A pump.2. The pump of claim 1, made of steel.3. The pump of claim 2.",
        "1. A pump  2. The pump of claim 1  3. The pump of claim 2",
        "\n\n  1. A pump.\n\n  2. The pump of claim 1.\n\n  3. The pump of claim 2.\n",
    ],
)
def test_every_usual_way_of_numbering_is_read(text):
    claims = parse_claims(text)
    assert [claim.number for claim in claims] == [1, 2, 3]
    assert [claim.depends_on for claim in claims] == [(), (1,), (2,)]
    assert claims[0].body.startswith("A pump")
    assert claims[1].body.startswith("The pump")


def test_words_before_the_first_number_are_a_part_without_number():
    claims = parse_claims("What is claimed is:\n1. A pump.\n2. The pump of claim 1.")
    assert [claim.number for claim in claims] == [None, 1, 2]
    assert claims[0].text == "What is claimed is:\n"


def test_text_without_numbers_is_one_claim():
    (claim,) = parse_claims("A pump comprising a 2.5 mm valve and a housing.")
    assert claim.number is None
    assert claim.body == "A pump comprising a 2.5 mm valve and a housing."
    assert claim.depends_on == ()


def test_empty_text_has_no_claims():
    assert parse_claims("") == ()


def test_decimals_and_cited_numbers_open_no_claim():
    assert numbers("1. A rod of 0.2. Metres are meant.\n2. The rod of claim\n1. Nothing else.") == [
        1,
        2,
    ]
    assert numbers("1. A rod. 2. The rod of claim 1 or 2. The rod is long. 3. A bar.") == [1, 2, 3]


def test_a_list_inside_a_claim_opens_no_claim():
    text = "1. A method comprising:\n1) heating;\n2) cooling.\n2. The method of claim 1."
    assert numbers(text) == [1, 2]


def test_missing_and_repeated_numbers_are_kept_as_written():
    assert numbers("1. A pump.\n3. A fan.\n3. A jet.\n2. A rod.") == [1, 3, 3, 2]


def test_a_set_whose_first_claims_were_cancelled_starts_later():
    assert numbers("1-3. (canceled) 4. A pump. 5. The pump of claim 4.") == [None, 4, 5]


@pytest.mark.parametrize("path", sorted(REFERENCES.glob("*.txt")), ids=lambda path: path.stem)
def test_the_demo_references_are_numbered_without_a_gap(path):
    claims = parse_claims(path.read_text(encoding="utf-8"))
    assert [claim.number for claim in claims] == list(range(1, len(claims) + 1))
    assert claims[0].is_independent
    assert all(cited < (claim.number or 0) for claim in claims for cited in claim.depends_on)
