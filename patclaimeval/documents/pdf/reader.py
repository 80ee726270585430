"""Reads a PDF that has a text layer; what is only a picture of text is refused."""

import ctypes
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

import pypdfium2
from pypdfium2 import raw

from patclaimeval.documents.assembling import claims_of_lines, look_over
from patclaimeval.documents.pdf.flow import HYPHENS, Flow, paragraphs_of
from patclaimeval.documents.pdf.layout import (
    Line,
    Page,
    Piece,
    doubtful_edges,
    page_lines,
    without_running_heads,
)
from patclaimeval.documents.records import (
    Bibliography,
    ClaimSet,
    Notes,
    Place,
    ReadDocument,
    ReadOptions,
    Severity,
    list_numbers,
)
from patclaimeval.documents.sections import (
    Section,
    SourceLine,
    context_of,
    find_section,
    numbered,
)
from patclaimeval.text_io.streams import FormatError

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
# Beside the number of a line less space is enough: the space between two columns is narrow.
_WIDE_BESIDE_NUMBERS: Final = 0.4
# No sign is as wide as this times its height, on average of a word.
_WIDEST: Final = 1.3
UNKNOWN: Final = "\ufffd"
_NEW_LINE: Final = "\r\n"
# A divided word ends with its hyphen, also where PDFium writes no new line after it.
_WORD: Final = re.compile("[^ \\t\\r\\n\\xa0\\x02\ufffe]+[\\x02\ufffe]?")


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
    _ask_about_edges(claims, section, doubtful_edges(pages, text), notes)
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
    """Yield words that stand beside each other as one piece."""
    signs = _signs(text, count)
    piece = ""
    box = (0.0, 0.0, 0.0, 0.0)
    end = 0
    for start, word, here in _words(text, signs):
        begins_line = any(sign in _NEW_LINE for sign in signs[end:start])
        wide = _WIDE_BESIDE_NUMBERS if piece.isdigit() or word.isdigit() else _WIDE
        if piece and (begins_line or _is_elsewhere(box, here, wide)):
            yield Piece(piece, *box)
            piece = ""
        if piece:
            piece += (" " if start > end else "") + word
            box = _around(box, here)
        else:
            piece, box = word, here
        end = start + len(word)
    if piece:
        yield Piece(piece, *box)


def _words(text: Any, signs: str) -> Iterator[tuple[int, str, "_Box"]]:
    """Yield the words of a page: where each begins among the signs, itself, and its box.

    Only the places of the first and last sign are asked for: each question takes longer than all
    that is done with the answer. Where the two cannot be of one word, all its signs are looked at.
    """
    for match in _WORD.finditer(signs):
        start, word = match.start(), match[0]
        first, last = _box_of(text, start), _box_of(text, match.end() - 1)
        size = max(first[3] - first[1], 1.0)
        is_level = abs(first[1] - last[1]) < size / 2
        if is_level and -size < last[2] - first[0] < _WIDEST * size * len(word):
            yield start, word, _around(first, last)
            continue
        before, box = first, first
        for place in range(start + 1, match.end()):
            here = _box_of(text, place)
            if _is_elsewhere(before, here):
                yield start, signs[start:place], box
                start, box = place, here
            before, box = here, _around(box, here)
        yield start, signs[start : match.end()], box


def _signs(text: Any, count: int) -> str:
    """Return the signs of a page, one for each that PDFium counts."""
    buffer = (ctypes.c_ushort * (count + 1))()
    written = raw.FPDFText_GetText(text, 0, count, buffer)
    if written == count + 1 and not any(0xD800 <= code < 0xE000 for code in buffer):
        return "".join(_sign(code) for code in buffer[:count])
    return "".join(_sign(raw.FPDFText_GetUnicode(text, place)) for place in range(count))


def _box_of(text: Any, place: int) -> "_Box":
    # Of the font, not of the sign: a line of low letters stands as high as its neighbours.
    rect = raw.FS_RECTF()
    raw.FPDFText_GetLooseCharBox(text, place, rect)
    return (rect.left, rect.bottom, rect.right, rect.top)


def _sign(code: int) -> str:
    """Return a sign; one that the font does not say, or half of a pair, is shown as unknown."""
    is_control = code < 32 and chr(code) not in HYPHENS + _NEW_LINE + "\t"
    return UNKNOWN if is_control or 0xD800 <= code < 0xE000 else chr(code)


_Box = tuple[float, float, float, float]


def _is_elsewhere(before: _Box, here: _Box, wide: float = _WIDE) -> bool:
    """Return whether a word stands in another line than the piece, before it, or far behind it."""
    size = max(before[3] - before[1], 1.0)
    is_apart = abs(before[1] + before[3] - here[1] - here[3]) > 1.6 * size
    return is_apart or here[0] > before[2] + wide * size or here[2] < before[2]


def _around(box: _Box, here: _Box) -> _Box:
    return (
        min(box[0], here[0]),
        min(box[1], here[1]),
        max(box[2], here[2]),
        max(box[3], here[3]),
    )


def _ask_about_edges(
    claims: ClaimSet, section: Section, edges: Sequence[Line], notes: Notes
) -> None:
    """Ask about lines at the edges of pages that were read as parts of claims."""
    if not claims.claims:
        return
    first = claims.claims[0].place
    end = (section.after[0].place.page, section.after[0].place.number) if section.after else None
    for line in edges:
        at = (line.page, line.number)
        is_inside = (first.page, first.number) < at and (end is None or at < end)
        if is_inside and numbered(SourceLine(line.text, first)) is None:
            notes.add(
                Severity.QUESTION,
                "head or foot in doubt",
                "A line far from the text at the edge of the page may be a head or foot, and "
                "stands in a claim. Take it out of the text, or take the text as it is.",
                Place("line", line.number, line.page),
            )


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
