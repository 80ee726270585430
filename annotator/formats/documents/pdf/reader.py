"""Reads a PDF that has a text layer; what is only a picture of text is refused."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import pypdfium2
from pypdfium2 import raw

from annotator.formats.documents.assembling import claims_of_lines, look_over
from annotator.formats.documents.pdf.flow import HYPHENS, Flow, paragraphs_of
from annotator.formats.documents.pdf.layout import Page, Piece, page_lines, without_running_heads
from annotator.formats.documents.records import (
    Bibliography,
    ClaimSet,
    Notes,
    Place,
    ReadDocument,
    ReadOptions,
    Severity,
    list_numbers,
)
from annotator.formats.documents.sections import context_of, find_section
from core.text_io.streams import FormatError

MOST_BYTES: Final = 64 * 1024 * 1024
MOST_PAGES: Final = 500
# A page of text is 2,000 to 6,000 signs; a page of 100,000 is made to harm.
MOST_SIGNS_A_PAGE: Final = 100_000
MOST_SIGNS: Final = 4_000_000
# Fewer a page on average are stamps on pictures.
_LEAST_SIGNS: Final = 20
_RIGHT_TO_LEFT: Final = range(0x590, 0x900)
_MOST_RIGHT_TO_LEFT: Final = 0.2
_WIDE: Final = 0.7
UNKNOWN: Final = "\ufffd"
_NEW_LINE: Final = "\r\n"


def read_pdf(data: bytes, options: ReadOptions) -> ReadDocument:
    """Return the claims of a PDF with a text layer.

    Input: the bytes, and what the person chose. Output: the claims by position on the page, each of
    which somebody has to look at. Raises FormatError for what is encrypted, damaged, longer than
    MOST_PAGES, a scan, or written from right to left.
    """
    pages = list(_pages(data))
    empty = [page.number for page in pages if not page.lines]
    text, edges = without_running_heads(pages)
    notes = Notes()
    for line in edges:
        place = Place("line", line.number, line.page)
        notes.leave_out("head or foot of a page", "it repeats or counts pages", place)
    if numbers := sum(page.line_numbers for page in pages):
        notes.leave_out("line number", "it stands beside the text", count=numbers)
    flow = paragraphs_of(text)
    section = find_section(flow.paragraphs, options, notes)
    claims = claims_of_lines(section.lines, notes)
    _say_what_to_look_at(claims, flow, pages, empty, notes)
    look_over(claims, notes)
    return ReadDocument(
        "pdf",
        claims,
        left_out=notes.left_out,
        findings=tuple(notes.findings),
        bibliography=Bibliography(language=options.language or section.language),
        context=context_of(section),
    )


def _pages(data: bytes) -> Iterator[Page]:
    if len(data) > MOST_BYTES:
        raise FormatError(f"The PDF has {len(data):,} bytes; at most {MOST_BYTES:,} are read.")
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if error.err_code == raw.FPDF_ERR_PASSWORD:
            sentence = "The PDF is encrypted; save it without a password and send it again."
        else:
            sentence = "The PDF is damaged or incomplete; save it again."
        raise FormatError(sentence) from None
    try:
        count = len(document)
        if count > MOST_PAGES:
            raise FormatError(
                f"The PDF has {count:,} pages; at most {MOST_PAGES:,} are read. Save those with "
                "the claims as a file of their own."
            )
        yield from _read_pages(document, count)
    finally:
        document.close()


def _read_pages(document: Any, count: int) -> Iterator[Page]:
    total = from_right = 0
    for number in range(1, count + 1):
        try:
            page = document[number - 1]
        except pypdfium2.PdfiumError:
            raise FormatError(f"Page {number:,} of the PDF is damaged; save it again.") from None
        pieces, signs = _pieces(page, number)
        width = page.get_width()
        page.close()
        total += signs
        from_right += sum(ord(sign) in _RIGHT_TO_LEFT for item in pieces for sign in item.text)
        if total > MOST_SIGNS:
            raise FormatError(
                f"The PDF has more than {MOST_SIGNS:,} signs up to page {number:,}; save the pages "
                "with the claims as a file of their own."
            )
        yield page_lines(pieces, number, width)
    if total < _LEAST_SIGNS * count:
        raise FormatError(
            f"The PDF is a scan: its {count:,} pages hold pictures and no text. Send the document "
            "from which it was made, or have its text recognised first."
        )
    if from_right > _MOST_RIGHT_TO_LEFT * total:
        raise FormatError(
            "The PDF is written from right to left, and a PDF does not say in which order signs "
            "are read. Send it as DOCX or text."
        )


def _pieces(page: Any, number: int) -> tuple[list[Piece], int]:
    """Return the stretches of text of a page, cut where PDFium begins a line or a wide gap is."""
    text = page.get_textpage()
    try:
        count = text.count_chars()
        if count > MOST_SIGNS_A_PAGE:
            raise FormatError(
                f"Page {number:,} of the PDF has {count:,} signs; at most {MOST_SIGNS_A_PAGE:,} "
                "are read."
            )
        return list(_stretches(text, count)), count
    finally:
        text.close()


def _stretches(text: Any, count: int) -> Iterator[Piece]:
    # Of the font, not of the sign: a line of low letters stands as high as its neighbours.
    rect = raw.FS_RECTF()
    signs: list[str] = []
    box = before = (0.0, 0.0, 0.0, 0.0)
    for place in range(count):
        sign = _sign(raw.FPDFText_GetUnicode(text, place))
        if sign in _NEW_LINE:
            yield from _piece(signs, box)
            signs = []
            continue
        raw.FPDFText_GetLooseCharBox(text, place, rect)
        here = (rect.left, rect.bottom, rect.right, rect.top)
        is_drawn = here[3] > here[1] and sign != " "
        if signs and is_drawn and _is_elsewhere(before, here):
            yield from _piece(signs, box)
            signs = []
        if is_drawn:
            box = _around(box, here) if any(not item.isspace() for item in signs) else here
            before = here
        if is_drawn or signs:
            signs.append(sign)
    yield from _piece(signs, box)


def _sign(code: int) -> str:
    """Return a sign; one that the font does not say, or half of a pair, is shown as unknown."""
    is_control = code < 32 and chr(code) not in HYPHENS + _NEW_LINE + "\t"
    return UNKNOWN if is_control or 0xD800 <= code < 0xE000 else chr(code)


_Box = tuple[float, float, float, float]


def _is_elsewhere(before: _Box, here: _Box) -> bool:
    """Return whether a sign stands in another line, before the last one, or far behind it."""
    size = max(before[3] - before[1], 1.0)
    is_apart = abs(before[1] + before[3] - here[1] - here[3]) > 1.6 * size
    return is_apart or here[0] > before[2] + _WIDE * size or here[2] < before[0] - size


def _around(box: _Box, here: _Box) -> _Box:
    return (
        min(box[0], here[0]),
        min(box[1], here[1]),
        max(box[2], here[2]),
        max(box[3], here[3]),
    )


def _piece(signs: Sequence[str], box: _Box) -> Iterator[Piece]:
    text = "".join(signs)
    if text.strip():
        yield Piece(text.strip(), *box)


def _say_what_to_look_at(
    claims: ClaimSet, flow: Flow, pages: Sequence[Page], empty: Sequence[int], notes: Notes
) -> None:
    if not claims.claims:
        return
    first, last = claims.claims[0].place.page, claims.claims[-1].place.page
    notes.add(
        Severity.CHECK,
        "read by position",
        "A PDF holds no paragraphs: the claims were put together from lines by their positions. "
        "Look at each of them.",
    )
    if inside := [number for number in empty if first <= number <= last]:
        notes.add(
            Severity.QUESTION,
            "pages without text",
            f"Pages {list_numbers(inside)} among the claims are scans without text.",
        )
    if UNKNOWN in claims.text:
        sentence = "The PDF does not say what some of its signs are; \ufffd marks their places."
        notes.add(Severity.QUESTION, "unknown signs", sentence)
    if any(page.columns == 2 and first <= page.number <= last for page in pages):
        notes.add(Severity.NOTE, "columns", "Pages in two columns were read column by column.")
    unsure = [place for place in flow.unsure if first <= place.page <= last]
    if unsure:
        sentence = "A word is divided here, and the text has it nowhere else: see its hyphen."
        for place in unsure[:20]:
            notes.add(Severity.CHECK, "divided word", sentence, place)
