"""Typed numbers inside paragraphs that Word numbers itself, and whatever people mix of the two."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from patclaimeval.documents.docx.reader import read_docx
from patclaimeval.documents.records import ReadDocument, ReadOptions, TrackedChanges
from tests.amounts import tries
from tests.patclaimeval.documents.word_files import (
    CLAIMS,
    abstract_list,
    added,
    level,
    listed,
    paragraph,
    removed,
    text,
    word_file,
)

HEADING = paragraph("Claims")
BREAK = "<w:r><w:br/></w:r>"


def read(body: str, changes: str = "accepted") -> ReadDocument:
    return read_docx(word_file(body, numbering=CLAIMS), ReadOptions(TrackedChanges(changes)))


def test_a_claim_typed_after_a_soft_break_of_a_numbered_paragraph_is_a_claim() -> None:
    body = HEADING + paragraph("A lamp.", BREAK, "2. The lamp of claim 1.", number=(1, 0))
    document = read(body)
    assert document.claims.text == "1. A lamp.\n\n2. The lamp of claim 1."
    assert [str(claim.place) for claim in document.claims.claims] == ["paragraph 2"] * 2
    assert document.questions == ()


def test_a_claim_typed_within_the_line_of_a_numbered_paragraph_is_a_claim() -> None:
    body = HEADING + paragraph("A lamp. 2. The lamp of claim 1.", number=(1, 0))
    assert read(body).claims.text == "1. A lamp.\n\n2. The lamp of claim 1."


def test_a_typed_number_that_repeats_the_automatic_one_is_left_out() -> None:
    body = HEADING + paragraph("1. A lamp.", number=(1, 0)) + paragraph("2) A desk.", number=(1, 0))
    document = read(body)
    assert document.claims.text == "1. A lamp.\n\n2. A desk."
    assert [(item.kind, item.count) for item in document.left_out] == [("typed number", 2)]
    assert document.questions == ()


def test_a_typed_number_that_differs_from_the_automatic_one_is_a_question() -> None:
    body = HEADING + paragraph("7. A lamp.", number=(1, 0)) + paragraph("A desk.", number=(1, 0))
    assert "two numbers" in [item.kind for item in read(body).questions]


def test_a_typed_number_that_the_list_uses_again_is_a_question() -> None:
    body = HEADING + paragraph("A lamp.", BREAK, "2. The lamp of claim 1.", number=(1, 0))
    document = read(body + paragraph("A desk.", number=(1, 0)))
    assert [item.kind for item in document.questions] == ["two numbering systems"]


def test_an_empty_paragraph_with_the_number_of_a_list_is_no_claim() -> None:
    document = read(paragraph("Claims", number=(1, 0)) + paragraph("", number=(1, 1)))
    assert (document.claims.text, document.claims.claims) == ("", ())


NUMBERING = CLAIMS + abstract_list(5, level(0, "%1.")) + listed(9, 5)
WORDS = st.sampled_from(
    [
        *("A lamp.", "2. The lamp of claim 1.", "1. A desk", "(3) A chair;", "Claim 4: A", ""),
        *("1-3. (cancelled)", "claim", "Claims", "Abstract", "\u8acb\u6c42\u9805\uff11", " ", "12"),
        *("What is claimed is: 1. A lamp", "[[old]]", "I claim:", "5", "99999. A", "a) lit,"),
    ]
)
PIECES = st.one_of(
    WORDS.map(text),
    st.just(BREAK),
    WORDS.map(lambda words: added(text(words))),
    WORDS.map(removed),
    st.just("<w:r><w:tab/></w:r>"),
)
NUMBERS = st.sampled_from([None, None, (1, 0), (1, 0), (1, 1), (9, 0)])
MARKS = st.sampled_from(["", "", "", "<w:rPr><w:del/></w:rPr>", "<w:rPr><w:ins/></w:rPr>"])


@st.composite
def blocks(draw: Any) -> str:
    """A paragraph or a table of one row, with whatever numbers and changes."""
    inner = draw(st.lists(PIECES, max_size=4))
    shown = paragraph(*inner, number=draw(NUMBERS), more=draw(MARKS))
    if draw(st.integers(0, 5)):
        return shown
    other = paragraph(draw(WORDS), number=draw(NUMBERS))
    return f"<w:tbl><w:tr><w:tc>{shown}</w:tc><w:tc>{other}</w:tc></w:tr></w:tbl>"


@settings(max_examples=tries(1_000))
@given(
    st.booleans(), st.lists(blocks(), max_size=6), st.sampled_from(["accepted", "original", "both"])
)
def test_any_mixture_of_numbers_is_read_or_asked_about(
    has_heading: bool, body: list[str], changes: str
) -> None:
    file = word_file((HEADING if has_heading else "") + "".join(body), numbering=NUMBERING)
    document = read_docx(file, ReadOptions(TrackedChanges(changes)))
    claims = document.claims.claims
    assert [claim.start for claim in claims] == sorted(claim.start for claim in claims)
    assert all(0 <= claim.start <= claim.end <= len(document.claims.text) for claim in claims)


@pytest.mark.parametrize("first", [1, 2, 3])
def test_claims_that_a_person_points_at_are_read_whatever_their_numbers(first: int) -> None:
    body = (
        HEADING + paragraph("A lamp.", BREAK, "2. A desk.", number=(1, 0)) + paragraph("3. A hat.")
    )
    options = ReadOptions(first=first, last=3)
    document = read_docx(word_file(body, numbering=CLAIMS), options)
    assert document.claims.text
