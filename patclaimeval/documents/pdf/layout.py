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
# As US patents number the lines of their columns; of a short column there are one or two.
_COLUMN_STEP: Final = 5
# A head or foot stands on so many pages, in one of so many outermost lines.
_LEAST_PAGES: Final = 3
_LEAST_SHARE: Final = 0.4
_OUTERMOST: Final = 3
_PAGE_NUMBER: Final = re.compile(
    r"(?:page|seite|p\.)?\s*[-\u2013(]*\s*(?:\d{1,4}(?:\s*(?:/|of|von|sur|de)\s*\d{1,4})?|[ivxl]{1,6})"
    r"\s*[-\u2013)]*(?:\s+\d{1,4})?",
    re.IGNORECASE,
)
# The number of a publication as it stands above each page, with numbers of columns beside it.
_PUBLICATION: Final = re.compile(
    r"(?:\d{1,4}\s+)?(?:(?:US|EP|WO|DE|FR|GB|CN|JP|KR|CA|AU)\s?(?=\D*\d)[\d .,/-]{6,20}"
    r"(?:\s?[A-Z]\d?)?(?:\s+PCT/[A-Z]{2}\d{4}/\d{5,6})?|\d{1,2},\d{3},\d{3})(?:\s+\d{1,4})?"
)
# So much more than between lines is between a head or foot and the text.
_FAR: Final = 2.5
_WIDE: Final = 1.4


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
        is_clear = not any(_overlaps(item, texts) for item in group)
        if _count_on(group) and (is_clear or _number_columns(group, texts)):
            margin.update(group)
            # The next column may be so short that one number is all that it has.
            following = str(2 * int(group[-1].text) - int(group[-2].text))
            margin.update(i for i in numbers if i.text == following and not _overlaps(i, texts))
    if not margin:
        margin.update(_few_column_numbers(numbers, texts))
    return [item for item in pieces if item not in margin], list(margin)


def _few_column_numbers(numbers: Sequence[Piece], texts: Sequence[Piece]) -> list[Piece]:
    """Return 5, or 5 and 10, where no text is above or below: too few to be told by counting."""
    for group in _upright(numbers, least=1):
        found = [item for item in group if not int(item.text) % _COLUMN_STEP]
        if _number_columns(found, texts):
            return found
    return []


def _number_columns(group: Sequence[Piece], texts: Sequence[Piece]) -> bool:
    """Return whether numbers are 5, 10, 15 ... from the top, with no text above or below them."""
    values = [int(item.text) for item in group]
    is_counted = values == [_COLUMN_STEP * (place + 1) for place in range(len(values))]
    return bool(values) and is_counted and all(_stands_alone(item, texts) for item in group)


def _stands_alone(number: Piece, texts: Sequence[Piece]) -> bool:
    """Return whether a strip as wide as a number holds no text near it, and text is beside it."""
    size = max(number.top - number.bottom, 1.0)
    near = [item for item in texts if abs(item.middle - number.middle) < 4 * size]
    return bool(near) and not any(
        item.left < number.right and item.right > number.left for item in near
    )


def _upright(numbers: Sequence[Piece], least: int = _LEAST_NUMBERED) -> Iterator[list[Piece]]:
    """Yield numbers that stand under each other, by their right edges."""
    rest = sorted(numbers, key=lambda item: item.right)
    while rest:
        group = [item for item in rest if item.right - rest[0].right < 6]
        rest = rest[len(group) :]
        if len(group) >= least:
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
    """Divide the text from what repeats at the edges of pages, and from numbers of pages.

    Input: all pages. Output: lines of the text in order, and lines that were left out. Numbers of
    pages, columns and publications are left out from the first page on; of two pages, what both
    have at the same height.
    """
    edges = {id(line): _key(line.text) for page in pages for line in _outermost(page)}
    seen = Counter(key for page in pages for key in {edges[id(line)] for line in _outermost(page)})
    least = max(_LEAST_PAGES, _LEAST_SHARE * len(pages))
    both = _on_both(pages) if len(pages) == 2 else set()
    kept: list[Line] = []
    left_out: list[Line] = []
    for page in pages:
        heads = {id(line) for line in _outermost(page) if seen[edges[id(line)]] >= least} | both
        heads |= _counting(page, heads)
        for line in page.lines:
            (left_out if id(line) in heads else kept).append(line)
    return kept, left_out


def _rows_inward(page: Page) -> Iterator[list[list[Line]]]:
    """Yield the rows of a page from the top down and from the bottom up, whatever their column."""
    rows: dict[int, list[Line]] = {}
    for line in page.lines:
        rows.setdefault(round(line.middle), []).append(line)
    heights = sorted(rows)
    yield [rows[height] for height in reversed(heights)]
    yield [rows[height] for height in heights]


def _counting(page: Page, heads: set[int]) -> set[int]:
    """Return the lines at the edges that number pages, columns or publications, and heads between.

    A row of text ends the search: a number within the text is no head.
    """
    found: set[int] = set()
    for rows in _rows_inward(page):
        for row in rows[:_OUTERMOST]:
            counting = {id(line) for line in row if _counts(line.text)}
            found |= counting
            if not all(id(line) in counting | heads for line in row):
                break
    return found


def _counts(text: str) -> bool:
    return any(pattern.fullmatch(text) for pattern in (_PAGE_NUMBER, _PUBLICATION))


def _on_both(pages: Sequence[Page]) -> set[int]:
    """Return the outermost lines that two pages have at the same height.

    Where their numbers differ they have to stand apart from the text, as claims may begin alike.
    """
    found: set[int] = set()
    for ones, twos in zip(*map(_rows_inward, pages), strict=True):
        for place, (row, other) in enumerate(zip(ones[:_OUTERMOST], twos, strict=False)):
            one, two = (" ".join(line.text for line in each) for each in (row, other))
            is_level = abs(row[0].middle - other[0].middle) < 2
            apart = one == two or (_is_far(ones, place, _WIDE) and _is_far(twos, place, _WIDE))
            if not (is_level and _key(one) == _key(two) and apart):
                break
            found |= {id(line) for line in (*row, *other)}
    return found


def _is_far(rows: Sequence[Sequence[Line]], place: int, times: float) -> bool:
    """Return whether the next row inward is so many times farther than lines of the text are."""
    gaps = [abs(one[0].middle - two[0].middle) for one, two in pairwise(rows)]
    if place >= len(gaps):
        return False
    # Of few lines the gaps beside heads are as many as those between lines.
    pitch = max(sorted(gaps)[(len(gaps) - 1) // 3], rows[place][0].height)
    return gaps[place] > times * pitch


def doubtful_edges(pages: Sequence[Page], text: Sequence[Line]) -> list[Line]:
    """Return lines that stand far from the text at an edge and may be heads or feet.

    Inputs: all pages, and the lines taken for text. Of more than two pages heads are known by
    their repetition, and none is in doubt.
    """
    kept = {id(line) for line in text}
    found: list[Line] = []
    for page in pages if len(pages) <= 2 else ():
        inner = Page(page.number, [line for line in page.lines if id(line) in kept])
        for rows in _rows_inward(inner):
            if _is_far(rows, 0, _FAR):
                found += [line for line in rows[0] if line not in found]
    return found


def _outermost(page: Page, count: int = _OUTERMOST) -> list[Line]:
    """Return the highest and the lowest lines of a page, whatever their column."""
    heights = sorted({round(line.middle) for line in page.lines})
    if len(heights) <= 2 * count:
        count = min(count, 1)
    edge = set(heights[:count]) | set(heights[-count:])
    return [line for line in page.lines if round(line.middle) in edge]


def _key(text: str) -> str:
    return re.sub(r"\d+", "#", text.lower()).strip()
