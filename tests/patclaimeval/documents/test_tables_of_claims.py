"""Claims whose numbers stand in a column of their own."""

import pytest

from patclaimeval.documents.docx.reader import read_docx
from patclaimeval.documents.google_page import read_google_page
from patclaimeval.documents.records import ReadDocument, ReadOptions, Severity
from tests.patclaimeval.documents.word_files import CLAIMS, paragraph, word_file

HEADING = paragraph("Claims")
PUMP = "A pump comprising a housing."
ROTOR = "The pump of claim 1, wherein a rotor is in the housing."
TEXT = f"1. {PUMP}\n\n2. {ROTOR}"


def table(*rows: tuple[str, ...]) -> str:
    """Return a table; a cell is paragraphs, or text of one."""
    shown = (
        "<w:tr>"
        + "".join(
            f"<w:tc>{cell if cell.startswith('<') else paragraph(cell)}</w:tc>" for cell in row
        )
        + "</w:tr>"
        for row in rows
    )
    return f"<w:tbl>{''.join(shown)}</w:tbl>"


def read(body: str) -> ReadDocument:
    return read_docx(word_file(HEADING + body, numbering=CLAIMS), ReadOptions())


@pytest.mark.parametrize("number", ["{}", "{}.", "({})", "Claim {}", "{} )"])
def test_a_table_of_claims_is_read_as_claims(number: str) -> None:
    document = read(table((number.format(1), PUMP), (number.format(2), ROTOR)))
    assert document.claims.text == TEXT
    assert [item.kind for item in document.findings] == ["table of claims"]


def test_automatic_numbers_of_the_first_column_are_those_of_claims() -> None:
    counted = paragraph("", number=(1, 0))
    assert read(table((counted, PUMP), (counted, ROTOR))).claims.text == TEXT


def test_a_head_of_the_table_is_left_out_and_numbers_are_not_doubled() -> None:
    document = read(table(("No.", "Claim"), ("1", f"1. {PUMP}"), ("2", f"2. {ROTOR}")))
    assert document.claims.text == TEXT
    assert [item.kind for item in document.left_out] == ["text before the first claim"]


def test_paragraphs_of_a_cell_stay_lines() -> None:
    parts = paragraph("A pump comprising:") + paragraph("a housing; and") + paragraph("a rotor.")
    document = read(table(("1.", parts), ("2.", ROTOR)))
    assert document.claims.text == (
        f"1. A pump comprising:\n    a housing; and\n    a rotor.\n\n2. {ROTOR}"
    )


def test_a_table_of_claims_with_more_columns_is_a_question() -> None:
    document = read(table(("1.", PUMP, "page 3"), ("2.", ROTOR, "page 4")))
    assert [item.kind for item in document.questions] == ["wide table of claims"]


def test_a_table_within_a_claim_stays_one() -> None:
    rows = table(("1", "tin"), ("2", "zinc"))
    document = read(paragraph("1. An alloy of:") + rows + paragraph("2. A lamp."))
    assert document.claims.text == "1. An alloy of:\n    1 | tin\n    2 | zinc\n\n2. A lamp."
    assert [item.kind for item in document.findings if item.severity is Severity.CHECK] == ["table"]


def test_claims_in_the_rows_of_a_page_lose_their_bars() -> None:
    rows = (
        f'<tr class="claim" num="{number}"><td>{number}.</td><td>{text}</td></tr>'
        for number, text in ((1, PUMP), (2, ROTOR))
    )
    page = f'<html><section itemprop="claims"><table>{"".join(rows)}</table></section></html>'
    document = read_google_page(page.encode(), ReadOptions())
    assert document.claims.text == TEXT
