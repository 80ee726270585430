# ruff: noqa: RUF001
"""Claims as Chinese and Japanese offices lay them out, from Word, PDF and text."""

import string
from collections.abc import Callable, Sequence

import pytest

from patclaimeval.claims.parsing import parse_claims
from patclaimeval.documents.docx.reader import read_docx
from patclaimeval.documents.pdf.reader import read_pdf
from patclaimeval.documents.plain_text import read_text
from patclaimeval.documents.reading import AUTO, read_document
from patclaimeval.documents.records import Place, ReadDocument, ReadOptions
from patclaimeval.documents.sections import SourceLine, claims_heading, ends_claims, numbered
from tests.patclaimeval.documents.pdf_files import column, pdf_file
from tests.patclaimeval.documents.word_files import (
    abstract_list,
    level,
    listed,
    paragraph,
    word_file,
)

LAMP = "ランプであって、足を備えるランプ。"
HEAVY = "前記足が重い、請求項１に記載のランプ。"
ON_OWN_LINES = ["【書類名】特許請求の範囲", "【請求項１】", LAMP, "【請求項２】", HEAVY]
IN_LINE = ["【特許請求の範囲】", f"【請求項１】{LAMP}", f"【請求項２】{HEAVY}"]
AFTER = ["【書類名】要約書", "【要約】", "ランプを提供する。"]
CHINESE = ["权利要求书", "1、一种灯，其特征在于，包括底座。", "2、根据权利要求1所述的灯。"]
NAMED = ["权利要求书", "权利要求1：一种灯，包括底座。", "权利要求2：根据权利要求1所述的灯。"]
OF_TAIWAN = ["申請專利範圍", "【請求項1】一種燈，包括底座。", "【請求項2】如請求項1所述之燈。"]
LAYOUTS = [ON_OWN_LINES, IN_LINE, CHINESE, NAMED, OF_TAIWAN]


def from_word(lines: Sequence[str]) -> ReadDocument:
    return read_docx(word_file("".join(map(paragraph, lines))), ReadOptions())


def from_text(lines: Sequence[str]) -> ReadDocument:
    return read_text("\n".join(lines).encode(), ReadOptions())


def from_pdf(lines: Sequence[str]) -> ReadDocument:
    """Read a PDF in which a letter of the font stands for each sign."""
    signs = dict.fromkeys("".join(lines))
    meanings = dict(zip(string.ascii_letters + "!#$%&*+,/:;<=>?@", signs, strict=False))
    written = str.maketrans({sign: letter for letter, sign in meanings.items()})
    shown = [line.translate(written) for line in lines]
    return read_pdf(pdf_file([column(shown)], meanings=meanings), ReadOptions())


@pytest.mark.parametrize("reader", [from_word, from_text, from_pdf])
@pytest.mark.parametrize("lines", LAYOUTS)
def test_claims_are_found_and_cite_what_they_cite(
    reader: Callable[[Sequence[str]], ReadDocument], lines: Sequence[str]
) -> None:
    document = reader(lines)
    assert [claim.number for claim in document.claims.claims] == [1, 2]
    claims = parse_claims(document.claims.text)
    assert [(claim.number, claim.depends_on) for claim in claims] == [(1, ()), (2, (1,))]
    assert document.questions == ()
    assert document.bibliography.language in ("ja", "zh")


def test_the_abstract_after_the_claims_is_none_of_them() -> None:
    document = from_word([*ON_OWN_LINES, *AFTER])
    assert document.claims.text == (f"【請求項１】\n    {LAMP}\n\n【請求項２】\n    {HEAVY}")
    assert [one.text for one in document.context if one.part == "abstract"] == AFTER


def test_automatic_numbers_in_japanese_brackets_are_those_of_claims() -> None:
    numbering = abstract_list(0, level(0, "【請求項%1】", "decimalFullWidth")) + listed(1, 0)
    body = paragraph("特許請求の範囲") + paragraph("", number=(1, 0)) + paragraph(LAMP)
    body += paragraph("", number=(1, 0)) + paragraph(HEAVY)
    document = read_docx(word_file(body, numbering=numbering), ReadOptions())
    claims = parse_claims(document.claims.text)
    assert [(claim.number, claim.depends_on) for claim in claims] == [(1, ()), (2, (1,))]
    assert document.questions == ()


def test_a_typed_japanese_number_that_repeats_the_automatic_one_is_left_out() -> None:
    numbering = abstract_list(0, level(0, "%1.")) + listed(1, 0)
    body = "".join(paragraph(line, number=(1, 0)) for line in IN_LINE[1:])
    document = read_docx(
        word_file(paragraph(IN_LINE[0]) + body, numbering=numbering), ReadOptions()
    )
    assert document.claims.text == f"1. {LAMP}\n\n2. {HEAVY}"


@pytest.mark.parametrize(
    ("heading", "language"),
    [
        *(("【書類名】特許請求の範囲", "ja"), ("特　許　請　求　の　範　囲", "ja")),
        *(("請求の範囲", "ja"), ("权 利 要 求 书", "zh"), ("權利要求書", "zh")),
        *(("申請專利範圍", "zh"), ("請求の範囲に記載の", ""), ("根据权利要求1", "")),
    ],
)
def test_headings_of_claims(heading: str, language: str) -> None:
    assert claims_heading(heading) == language


@pytest.mark.parametrize(
    "heading", ["【書類名】明細書", "说明书摘要", "說明書", "【要約】", "附图说明"]
)
def test_headings_that_end_claims(heading: str) -> None:
    assert ends_claims(heading)


@pytest.mark.parametrize("line", ["【０００１】", "【0001】ランプは", "请求项1所述的灯", "権利"])
def test_numbers_of_paragraphs_and_citations_open_no_claim(line: str) -> None:
    assert numbered(SourceLine(line, Place("line", 1))) is None


@pytest.mark.parametrize(
    "data",
    [
        b"1. A lamp.\n2. The lamp of claim 2.",
        word_file(paragraph("1. A lamp.") + paragraph("2. The lamp of claim 2, lit.")),
        b'<d><claims><claim num="1"><claim-text>1. A lamp of claim 1.</claim-text></claim>'
        b"</claims></d>",
        pdf_file([column(["1. A lamp for a desk.", "2. The lamp of claim 2, lit."])]),
        b'<html><section itemprop="claims"><div class="claim" num="1">1. A lamp of claim 1.</div>'
        b"</section></html>",
    ],
    ids=["text", "word", "xml", "pdf", "html"],
)
def test_a_claim_that_cites_itself_is_a_question_in_every_kind_of_document(data: bytes) -> None:
    document = read_document(data, AUTO, ReadOptions())
    assert [item.kind for item in document.questions] == ["cites itself"]
