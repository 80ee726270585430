"""Figures with their intervals over one axis, and a band to hold them against."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from core.plots.labels import name_labels, with_room, within
from core.plots.ranges import axis_ticks
from core.plots.shapes import Bar, Label, Line, Plot

WIDTH, LEFT, RIGHT = 640, 190, 20
NARROW: Final = 356
ROW, TOP, FOOT = 24, 22, 24
# Above the first row, where no band has its name there.
BARE = 6
MARK = 8


@dataclass(frozen=True, slots=True)
class Measured:
    """A row: its name, the class of its colour, and a figure with its interval, if it has one."""

    name: str
    kind: str
    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Band:
    """What rows are held against, such as a ceiling: a figure with its interval, and its name."""

    name: str
    value: float
    low: float | None
    high: float | None


def interval_plot(
    title: str,
    rows: Sequence[Measured],
    band: Band | None = None,
    unit: str = "tau-b",
    *,
    width: float = WIDTH,
    holds: Sequence[float] = (),
) -> Plot:
    """Draw each figure as a square on the line of its interval, over the band.

    Input: figures with their bounds, None where undefined; a band, or None; values that the axis
    is to hold, so that plots beside each other have one axis. Output: rows from top to bottom in
    their order over an axis with round numbers that holds 0, every bound and the band; a row
    without a figure says "undefined". The description lists every number.
    """
    ticks = _ticks(rows, band, holds)
    start, end = ticks[0], ticks[-1]
    top = TOP if band is not None else BARE
    floor = top + ROW * max(1, len(rows))

    def x(value: float) -> float:
        return round(LEFT + (width - LEFT - RIGHT) * (value - start) / (end - start), 2)

    bars: list[Bar] = []
    lines = [Line(LEFT, floor, width - RIGHT, floor), Line(x(0), top, x(0), floor, "zero")]
    labels: list[Label] = []
    hits = tuple(
        Bar(0, top + ROW * number, width, ROW, "hit", _describe(row))
        for number, row in enumerate(rows)
    )
    if band is not None:
        low, high = _bounds(band)
        bars.append(
            Bar(x(low), top, round(x(high) - x(low), 2), floor - top, "band", _describe(band))
        )
        lines.append(Line(x(band.value), top, x(band.value), floor, "ceiling"))
        labels.append(within(Label(x(band.value), top - 8, band.name, "middle"), 0, width))
    for number, row in enumerate(rows):
        middle = top + ROW * number + ROW / 2
        labels += name_labels(row.name, LEFT - 8, middle, LEFT - 8)
        if row.value is None:
            labels.append(within(Label(x(0) + 8, middle + 4, "undefined"), LEFT, width))
            continue
        low, high = _bounds(row)
        lines.append(Line(x(low), middle, x(high), middle, row.kind))
        corner = x(row.value) - MARK / 2
        bars.append(Bar(round(corner, 2), middle - MARK / 2, MARK, MARK, row.kind, _describe(row)))
    lines += [Line(x(tick), floor, x(tick), floor + 4) for tick in ticks]
    below = [Label(x(tick), floor + 16, f"{tick:.4g}", "middle") for tick in ticks]
    labels += with_room(below, width)
    descriptions = [_describe(row) for row in rows] + ([_describe(band)] if band else [])
    described = f"{unit} with 95 % intervals: {'; '.join(descriptions)}"
    shapes = (tuple(bars), tuple(lines), tuple(labels))
    return Plot(width, floor + FOOT, title, described, *shapes, hits=hits)


def _ticks(rows: Sequence[Measured], band: Band | None, holds: Sequence[float]) -> list[float]:
    known: list[Measured | Band] = [row for row in rows if row.value is not None]
    known += [band] if band else []
    bounds = [bound for one in known for bound in (*_bounds(one), one.value or 0.0)]
    bounds += holds
    return axis_ticks(min(0.0, *bounds, 0.0), max(0.0, *bounds, 0.0), ticks=6)


def _bounds(one: Measured | Band) -> tuple[float, float]:
    """Return the interval, or the figure alone where it has none."""
    value = one.value or 0.0
    return (value if one.low is None else one.low), (value if one.high is None else one.high)


def _describe(one: Measured | Band) -> str:
    if one.value is None:
        return f"{one.name} undefined"
    if one.low is None or one.high is None:
        return f"{one.name} {one.value:.3f}, no interval"
    return f"{one.name} {one.value:.3f}, {one.low:.2f} to {one.high:.2f}"
