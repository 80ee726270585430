"""Pieces of text by their positions on a page, put into lines: columns, margins, running heads.

Positions are in points from the lower left corner of the page, as PDF has them.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import Final

# Two columns are told apart where so few pieces cross the middle.
_MOST_CROSSING: Final = 0.1
_LEAST_IN_COLUMN: Final = 4
_MIDDLE: Final = 0.12
# Numbers beside the lines: 5, 10, 15 ... or each line.
_STEPS: Final = (1, 2, 5, 10)
_LEAST_NUMBERED: Final = 3
# A head or foot stands on so many pages, in one of so many outermost lines.
_LEAST_PAGES: Final = 3
_LEAST_SHARE: Final = 0.4
_OUTERMOST: Final = 3
_PAGE_NUMBER: Final = re.compile(
    r"(?:page|seite|p\.)?\s*[-\u2013(]*\s*(?:\d{1,4}(?:\s*(?:/|of|von|sur|de)\s*\d{1,4})?|[ivxl]{1,6})"
    r"\s*[-\u2013)]*(?:\s+\d{1,4})?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Piece:
    """Text in one stretch: its box, left to right and bottom to top."""

    text: str
    left: float
    bottom: float
    right: float
    top: float

    @property
    def middle(self) -> float:
        """The height at which the piece stands."""
        return (self.bottom + self.top) / 2


@dataclass(slots=True)
class Line:
    """One line of a column; `number` counts the lines of its page from 1, heads and feet too."""

    text: str
    left: float
    right: float
    middle: float
    height: float
    column: int
    page: int
    number: int = 0
    gap: float = 0.0
    """The space to the line above it, 0 for the first of a column."""


@dataclass(slots=True)
class Page:
    """What was found of one page, and how many pieces were left out as numbers of lines."""

    number: int
    lines: list[Line] = field(default_factory=list)
    line_numbers: int = 0
    columns: int = 1


def page_lines(pieces: Sequence[Piece], number: int, width: float) -> Page:
    """Return the lines of a page in the order of reading.

    Inputs: its pieces in any order, its number, and its width. Output: lines of the left column,
    then of the right one; numbers beside the lines are taken out and counted.
    """
    page = Page(number)
    body, margin = _without_line_numbers(pieces)
    page.line_numbers = len(margin)
    gutter = _gutter(body, width)
    columns = [body]
    if gutter is not None:
        page.columns = 2
        across = [item for item in body if item.left < gutter < item.right]
        top = max((item.top for item in body if item not in across), default=0.0)
        # Titles and heads above the columns are read before them, the rest of what crosses after.
        columns = [
            [item for item in across if item.bottom >= top],
            [item for item in body if item.right <= gutter],
            [item for item in body if item.left >= gutter],
            [item for item in across if item.bottom < top],
        ]
    for place, column in enumerate(columns):
        page.lines += _lines_of(column, place, number)
    for place, line in enumerate(page.lines, start=1):
        line.number = place
    return page


def _without_line_numbers(pieces: Sequence[Piece]) -> tuple[list[Piece], list[Piece]]:
    """Divide the numbers beside the lines from the text."""
    numbers = [
        item for item in pieces if item.text.strip().isdigit() and len(item.text.strip()) < 4
    ]
    texts = [item for item in pieces if not item.text.strip().isdigit()]
    margin: set[Piece] = set()
    for group in _upright(numbers):
        if _count_on(group) and not any(_overlaps(item, texts) for item in group):
            margin.update(group)
            # The next column may be so short that one number is all that it has.
            following = str(2 * int(group[-1].text) - int(group[-2].text))
            margin.update(i for i in numbers if i.text == following and not _overlaps(i, texts))
    return [item for item in pieces if item not in margin], list(margin)


def _upright(numbers: Sequence[Piece]) -> Iterator[list[Piece]]:
    """Yield numbers that stand under each other, by their right edges."""
    rest = sorted(numbers, key=lambda item: item.right)
    while rest:
        group = [item for item in rest if item.right - rest[0].right < 6]
        rest = rest[len(group) :]
        if len(group) >= _LEAST_NUMBERED:
            yield sorted(group, key=lambda item: -item.middle)


def _count_on(group: Sequence[Piece]) -> bool:
    """Return whether numbers from top to bottom rise by one step and stand evenly."""
    values = [int(item.text) for item in group]
    steps = {after - before for before, after in pairwise(values)}
    heights = [one.middle - two.middle for one, two in pairwise(group)]
    is_even = max(heights) < 1.6 * min(heights) if min(heights) > 0 else False
    return len(steps) == 1 and steps.pop() in _STEPS and is_even


def _overlaps(number: Piece, texts: Sequence[Piece]) -> bool:
    """Return whether text follows a number as closely as it would follow that of a claim.

    A number of a line stands clear of the text by some width; that of a claim does not.
    """
    size = max(number.top - number.bottom, 1.0)
    return any(
        abs(item.middle - number.middle) < size / 2
        and -size < item.left - number.right < 0.9 * size
        for item in texts
    )


def _gutter(pieces: Sequence[Piece], width: float) -> float | None:
    """Return where the space between two columns is, None for a page with one."""
    if len(pieces) < 2 * _LEAST_IN_COLUMN:
        return None
    best: tuple[int, float] | None = None
    low, high = width * (0.5 - _MIDDLE), width * (0.5 + _MIDDLE)
    for step in range(41):
        place = low + (high - low) * step / 40
        crossing = sum(1 for item in pieces if item.left < place < item.right)
        if best is None or crossing < best[0]:
            best = (crossing, place)
    assert best is not None
    crossing, place = best
    left = [item for item in pieces if item.right <= place]
    right = [item for item in pieces if item.left >= place]
    if min(len(left), len(right)) < _LEAST_IN_COLUMN or crossing > _MOST_CROSSING * len(pieces):
        return None
    # Beside each other: a short last line of one column leaves the right half empty, too.
    spans = [(min(i.bottom for i in side), max(i.top for i in side)) for side in (left, right)]
    shared = min(spans[0][1], spans[1][1]) - max(spans[0][0], spans[1][0])
    lines = median(item.top - item.bottom for item in pieces)
    wide = [item for item in right if item.right - item.left > width * 0.2]
    return place if shared > 3 * lines and len(wide) >= _LEAST_IN_COLUMN / 2 else None


def _lines_of(pieces: Sequence[Piece], column: int, page: int) -> list[Line]:
    rows: list[list[Piece]] = []
    for item in sorted(pieces, key=lambda item: (-item.middle, item.left)):
        height = max(item.top - item.bottom, 1.0)
        if rows and abs(_height_of(rows[-1]) - item.middle) < 0.5 * max(height, _size_of(rows[-1])):
            rows[-1].append(item)
        else:
            rows.append([item])
    lines: list[Line] = []
    for row in rows:
        row.sort(key=lambda item: item.left)
        line = Line(
            _joined(row),
            row[0].left,
            max(item.right for item in row),
            _height_of(row),
            _size_of(row),
            column,
            page,
        )
        if line.text.strip():
            line.gap = lines[-1].middle - line.middle if lines else 0.0
            lines.append(line)
    return lines


def _height_of(row: Sequence[Piece]) -> float:
    return max(row, key=lambda item: len(item.text)).middle


def _size_of(row: Sequence[Piece]) -> float:
    return max(item.top - item.bottom for item in row)


def _joined(row: Sequence[Piece]) -> str:
    text = ""
    for before, item in zip([None, *row], row, strict=False):
        if before is not None:
            far = item.left - before.right > 0.15 * max(before.top - before.bottom, 1.0)
            if far and not text.endswith(" ") and not item.text.startswith(" "):
                text += " "
        text += item.text
    return re.sub(r"[ \t\u00a0]+", " ", text).strip()


def without_running_heads(pages: Sequence[Page]) -> tuple[list[Line], list[Line]]:
    """Divide the text from what repeats at the edges of pages, and from page numbers.

    Input: all pages. Output: lines of the text in order, and lines that were left out.
    """
    edges = {id(line): _key(line.text) for page in pages for line in _outermost(page)}
    seen = Counter(key for page in pages for key in {edges[id(line)] for line in _outermost(page)})
    least = max(_LEAST_PAGES, _LEAST_SHARE * len(pages))
    kept: list[Line] = []
    left_out: list[Line] = []
    for page in pages:
        ends = {id(line) for line in _outermost(page)}
        last = {id(line) for line in _outermost(page, 1)}
        for line in page.lines:
            repeats = id(line) in ends and seen[edges[id(line)]] >= least
            counts = id(line) in last and _PAGE_NUMBER.fullmatch(line.text) is not None
            (left_out if repeats or counts else kept).append(line)
    return kept, left_out


def _outermost(page: Page, count: int = _OUTERMOST) -> list[Line]:
    """Return the highest and the lowest lines of a page, whatever their column."""
    heights = sorted({round(line.middle) for line in page.lines})
    if len(heights) <= 2 * count:
        count = min(count, 1)
    edge = set(heights[:count]) | set(heights[-count:])
    return [line for line in page.lines if round(line.middle) in edge]


def _key(text: str) -> str:
    return re.sub(r"\d+", "#", text.lower()).strip()
