"""The lines of a Word table: rows with divided cells, or claims whose numbers have a column."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from patclaimeval.documents.records import Place
from patclaimeval.documents.sections import SourceLine, numbered

CELLS: Final = " | "
TABLE: Final = "table"
OF_CLAIMS: Final = "table of claims"
TOO_WIDE: Final = "wide table of claims"
# The paragraphs of one cell, and where a row begins with its cells.
Cell = Sequence[SourceLine]
Row = tuple[Place, Sequence[Cell]]
_NUMBER: Final = re.compile(r"(?:claim\s*)?\(?(\d{1,4})\s?[.):]?", re.IGNORECASE)
# A claim is one sentence; the cells of a table inside a claim are none.
_SENTENCE: Final = re.compile(r"(?:[A-Z\u00c0-\u00dd]|[\u3040-\u9fff]).*[.\u3002]", re.DOTALL)


def kind_of_table(rows: Sequence[Row]) -> str:
    """Return OF_CLAIMS where the first column counts claims and the second holds them.

    TOO_WIDE has further columns, of which nobody says what they are; TABLE is any other.
    """
    found = [_claim_of(cells) for _, cells in rows]
    claims = [item for item in found if item is not None]
    numbers = [number for number, _ in claims]
    is_counted = all(after == before + 1 for before, after in pairwise(numbers))
    if not claims or not is_counted or not all(_is_sentence(cells[0]) for _, cells in claims):
        return TABLE
    return OF_CLAIMS if all(len(cells) == 1 for _, cells in claims) else TOO_WIDE


def lines_of_table(rows: Sequence[Row]) -> Iterator[SourceLine]:
    """Yield the lines of a table: a row each, and of a claim its paragraphs."""
    is_of_claims = kind_of_table(rows) == OF_CLAIMS
    for place, cells in rows:
        claim = _claim_of(cells) if is_of_claims else None
        if claim is None:
            yield SourceLine(CELLS.join(map(_shown, cells)), place)
            continue
        number, (lines,) = claim
        first = lines[0]
        is_numbered = numbered(first) == number
        yield SourceLine(first.shown if is_numbered else f"{number}. {first.shown}", place)
        yield from lines[1:]


def _claim_of(cells: Sequence[Cell]) -> tuple[int, list[Cell]] | None:
    """Return the number in the first cell of a row, and the cells after it that hold text."""
    found = _NUMBER.fullmatch(_shown(cells[0]).strip()) if cells else None
    rest = [cell for cell in cells[1:] if cell]
    return (int(found[1]), rest) if found and rest else None


def _shown(cell: Cell) -> str:
    return " ".join(line.shown for line in cell)


def _is_sentence(cell: Cell) -> bool:
    text = re.sub(r"^\s*\(?\d{1,4}\s?[.):]\s*", "", _shown(cell)).strip()
    return _SENTENCE.fullmatch(text) is not None
