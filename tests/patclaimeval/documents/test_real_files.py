"""Claims of files that offices published, each judged against another parse or by hand."""

from collections.abc import Callable
from html import escape

import pytest

from patclaimeval.documents.reading import read_document
from patclaimeval.documents.records import ReadDocument, ReadOptions
from patclaimeval.text_io.streams import FormatError
from tests.patclaimeval.documents.office_files import (
    ANSWERED,
    APPLIED,
    BY_HAND,
    COUNTS,
    DROPS_NUMBERS,
    EXAMPLES,
    OPS,
    PATENT_CLIENT,
    Parsed,
    application,
    archived,
    claims_read,
    closed_up,
    example,
    joined,
    limitations,
    ops,
    patent,
)
from tests.patclaimeval.documents.word_files import paragraph, word_file


def read(data: bytes, kind: str) -> ReadDocument:
    document = read_document(data, kind, ReadOptions())
    assert document.questions == ()
    return document


@pytest.mark.parametrize(("name", "claims", "alike"), COUNTS)
def test_each_claim_of_a_patent_is_read_as_it_is_published(
    name: str, claims: int, alike: int
) -> None:
    file = patent(name)
    document = read(file.data, file.kind)
    found = claims_read(document)
    assert claims_read(document, file.dropped) == file.claims
    # Nothing is lost either, of what the other parse drops.
    source = file.data.decode().removeprefix("What is claimed is:")
    assert closed_up(document.claims.text) == closed_up(source)
    theirs = joined(limitations(name))
    assert (len(theirs), len(set(theirs) & set(found))) == (claims, alike)


def test_468_of_482_claims_are_as_the_other_parse_has_them() -> None:
    assert len(COUNTS) == 24
    assert (sum(row[1] for row in COUNTS), sum(row[2] for row in COUNTS)) == (482, 468)
    assert {name for name, claims, alike in COUNTS if claims != alike} == {*DROPS_NUMBERS, *BY_HAND}


@pytest.mark.parametrize(("name", "number", "claims"), ANSWERED)
def test_claims_that_the_epo_answers_with_are_read(name: str, number: str, claims: int) -> None:
    file = ops(name)
    document = read(file.data, file.kind)
    assert claims_read(document) == file.claims
    assert (document.bibliography.number, len(file.claims)) == (number, claims)


def test_an_answer_of_the_epo_without_claims_is_refused_by_that_word() -> None:
    with pytest.raises(FormatError, match="holds no claims"):
        read_document(
            archived(PATENT_CLIENT, f"{OPS}/full_cycle_example.xml"), "xml", ReadOptions()
        )


@pytest.mark.parametrize(("name", "claims"), EXAMPLES)
def test_claims_without_a_heading_are_read(name: str, claims: int) -> None:
    file = example(name)
    assert claims_read(read(file.data, file.kind)) == file.claims
    assert len(file.claims) == claims


@pytest.mark.parametrize(("number", "claims"), APPLIED)
def test_each_claim_of_an_application_is_read(number: str, claims: int) -> None:
    file = application(number)
    found = claims_read(read(file.data, file.kind))
    assert found == file.claims
    assert [int(claim.partition(".")[0]) for claim in found] == list(range(1, claims + 1))


def st36(claims: Parsed) -> bytes:
    inside = ""
    for number, (first, *rest) in claims:
        parts = "".join(f"\n<claim-text>{escape(part)}</claim-text>" for part in rest)
        inside += (
            f'<claim id="CLM-{number:05}" num="{number:05}"><claim-text><b>{number}</b>. '
            f"{escape(first)}{parts}</claim-text></claim>\n"
        )
    return f'<us-patent-grant lang="EN"><claims>{inside}</claims></us-patent-grant>'.encode()


def st96(claims: Parsed) -> bytes:
    inside = ""
    for number, (first, *rest) in claims:
        parts = (f"{number}.   {first}", *rest)
        texts = "".join(f"<u:ClaimText>{escape(part)}</u:ClaimText>" for part in parts)
        inside += f"<u:Claim><p:ClaimNumber>{number}</p:ClaimNumber>{texts}</u:Claim>"
    return (
        '<u:ClaimsDocument xmlns:u="urn:us:gov:doc:uspto:patent" '
        'xmlns:p="http://www.wipo.int/standards/XMLSchema/ST96/Patent">'
        f"<u:Claims>{inside}</u:Claims></u:ClaimsDocument>"
    ).encode()


def google(claims: Parsed) -> bytes:
    inside = ""
    for number, (first, *rest) in claims:
        parts = "".join(f'<div class="claim-text">{escape(part)}</div>' for part in rest)
        inside += (
            f'<div class="claim"><div num="{number:05}" class="claim"><div class="claim-text">'
            f"{number}. {escape(first)}{parts}</div></div></div>"
        )
    page = f'<section itemprop="claims"><div class="claims">{inside}</div></section>'
    return f"<html><body>{page}</body></html>".encode()


def word(claims: Parsed) -> bytes:
    inside = ""
    for number, (first, *rest) in claims:
        parts = (f"{number}. {first}", *rest)
        inside += "".join(paragraph(escape(part, quote=False)) for part in parts)
    return word_file(paragraph("Claims") + inside)


@pytest.mark.parametrize(
    ("kind", "make"), [("xml", st36), ("xml", st96), ("html", google), ("docx", word)]
)
def test_the_same_claims_come_out_of_each_kind_of_file(
    kind: str, make: Callable[[Parsed], bytes]
) -> None:
    right = 0
    for name, *_ in COUNTS:
        claims = limitations(name)
        document = read(make(claims), kind)
        assert claims_read(document) == joined(claims)
        # A paragraph of the file is one of the claim.
        lines = [closed_up(line) for line in document.claims.text.split("\n") if line.strip()]
        parts = [(f"{number}.{first}", *rest) for number, (first, *rest) in claims]
        assert lines == [closed_up(part) for claim in parts for part in claim]
        right += len(claims)
    assert right == 482
