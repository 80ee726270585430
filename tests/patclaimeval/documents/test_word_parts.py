"""Files that a Word document embeds as a part of its text (`w:altChunk`): named or asked about."""

import pytest

from patclaimeval.documents.docx.reader import read_docx
from patclaimeval.documents.records import ReadDocument, ReadOptions
from tests.patclaimeval.documents.word_files import paragraph, word_file

PART = '<w:altChunk r:id="r9"/>'
HEADING = paragraph("Claims")
LAMP = paragraph("1. A lamp.")
OTHER = paragraph("2. A lamp of claim 1.")
ABSTRACT = paragraph("Abstract") + paragraph("A lamp is described.")


def read(body: str) -> ReadDocument:
    return read_docx(word_file(body), ReadOptions())


@pytest.mark.parametrize(
    "body",
    [
        HEADING + PART + LAMP + OTHER,
        HEADING + LAMP + PART + OTHER,
        HEADING + LAMP + OTHER + PART + ABSTRACT,
        PART + LAMP + OTHER,
        f"<w:sdt><w:sdtContent>{HEADING}{PART}</w:sdtContent></w:sdt>" + LAMP,
        HEADING + PART,
        PART,
    ],
    ids=["before", "within", "after", "without heading", "in a control", "alone", "nothing else"],
)
def test_an_embedded_part_that_may_hold_claims_is_a_question(body: str) -> None:
    assert "embedded file" in [item.kind for item in read(body).questions]


@pytest.mark.parametrize(
    "body",
    [
        paragraph("A lamp lights a desk.") + PART + paragraph("It has a foot.") + HEADING + LAMP,
        HEADING + LAMP + ABSTRACT + PART,
    ],
    ids=["in the description", "after the abstract"],
)
def test_an_embedded_part_outside_the_claims_is_named(body: str) -> None:
    document = read(body)
    assert document.questions == ()
    assert [(item.kind, item.count) for item in document.left_out] == [("embedded file", 1)]
