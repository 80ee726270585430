"""How much context is stored beside the claims of a reference; what is more is left out, named."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from patclaimeval.documents.context import DRAWING, OF_A_CANDIDATE, PARTS, Sheet
from patclaimeval.documents.records import LeftOut, Passage, ReadDocument
from patclaimeval.text_io.shapes import is_blank

# Descriptions of thousands of paragraphs are of sequences and tables; no office publishes more.
MOST_PASSAGES: Final = 20_000
MOST_CHARACTERS: Final = 2_000_000
# A paragraph that is longer is cut, so that it fits into a line of claims-jsonl.
LONGEST_PASSAGE: Final = 100_000
MOST_SHEETS: Final = 100
MOST_SHEETS_BYTES: Final = 32 * 1024 * 1024
# Of one file of drawings, as it is sent.
MOST_FILE_BYTES: Final = 32 * 1024 * 1024
# Of what a drawing is called.
LONGEST_NAME: Final = 100


def with_bounds(document: ReadDocument) -> ReadDocument:
    """Return a document whose context can be stored; all of a part that is too long is left out.

    Where no claims were found the context is for who is asked where they are, and stays.
    """
    if is_blank(document.claims.text):
        return document
    passages: list[Passage] = []
    left_out = list(document.left_out)
    for part in PARTS:
        own = list(_cut(one for one in document.context if one.part == part))
        why = _too_much(passages + own)
        if why:
            left_out.append(LeftOut(part, len(own), why))
        else:
            passages += own
    sheets, dropped = _that_fit(document.sheets)
    if dropped:
        most = f"at most {MOST_SHEETS} and {MOST_SHEETS_BYTES:,} bytes are stored of one reference"
        left_out.append(LeftOut(DRAWING, dropped, most))
    return replace(document, context=tuple(passages), sheets=sheets, left_out=tuple(left_out))


def without_context(document: ReadDocument, lines: int = 0) -> ReadDocument:
    """Return the document of a candidate: its context is left out, named by its parts.

    `lines` of it stay where no claims were found, for who is asked where they are.
    """
    if is_blank(document.claims.text):
        return replace(document, context=document.context[:lines], sheets=())
    counts = [(part, sum(one.part == part for one in document.context)) for part in PARTS]
    counts.append((DRAWING, len(document.sheets)))
    named = tuple(LeftOut(part, count, OF_A_CANDIDATE) for part, count in counts if count)
    return replace(document, context=(), sheets=(), left_out=document.left_out + named)


def _cut(passages: Iterable[Passage]) -> Iterator[Passage]:
    for one in passages:
        for start in range(0, len(one.text), LONGEST_PASSAGE):
            text = one.text[start : start + LONGEST_PASSAGE]
            yield one if text == one.text else replace(one, text=text)


def _too_much(passages: list[Passage]) -> str:
    if len(passages) > MOST_PASSAGES:
        return f"at most {MOST_PASSAGES:,} paragraphs are stored of one reference"
    if sum(len(one.text) for one in passages) > MOST_CHARACTERS:
        return f"at most {MOST_CHARACTERS:,} characters are stored of one reference"
    return ""


def _that_fit(sheets: tuple[Sheet, ...]) -> tuple[tuple[Sheet, ...], int]:
    size = 0
    for place, sheet in enumerate(sheets):
        size += len(sheet.png)
        if size > MOST_SHEETS_BYTES or place >= MOST_SHEETS:
            return sheets[:place], len(sheets) - place
    return sheets, 0
