"""Upright bars of counts side by side: histograms, and counts by name."""

from collections.abc import Sequence

from core.plots.labels import with_room
from core.plots.ranges import axis_ticks
from core.plots.shapes import Bar, Label, Line, Plot

WIDTH, LEFT, RIGHT = 320, 40, 8
HEIGHT, TOP, FOOT = 120, 10, 22
MOST_NAMED = 12


def column_plot(title: str, unit: str, columns: Sequence[tuple[str, int]], kind: str) -> Plot:
    """Draw one bar a column over an axis from 0 with round numbers.

    Input: (name, count), counts from 0. Output: bars of one width, each with its label; of many
    columns only the first, the middle and the last are named below.
    """
    most = max((count for _, count in columns), default=0) or 1
    ticks = axis_ticks(0, most, least=1)
    floor, width = HEIGHT - FOOT, WIDTH - LEFT - RIGHT
    each = width / max(1, len(columns))
    bars = tuple(
        Bar(
            round(LEFT + each * n + each * 0.08, 2),
            round(floor - (floor - TOP) * count / ticks[-1], 2),
            round(each * 0.84, 2),
            round((floor - TOP) * count / ticks[-1], 2),
            kind,
            f"{name}: {count} {unit}",
        )
        for n, (name, count) in enumerate(columns)
    )
    named = [
        Label(round(LEFT + each * (n + 0.5), 2), floor + 16, columns[n][0], "middle")
        for n in _named(len(columns))
    ]
    labels = with_room(named, WIDTH)
    lines = [Line(LEFT, floor, WIDTH - RIGHT, floor)]
    for tick in ticks:
        y = round(floor - (floor - TOP) * tick / ticks[-1], 2)
        lines.append(Line(LEFT - 4, y, LEFT, y))
        labels.append(Label(LEFT - 7, y + 4, f"{tick:g}", "end"))
    described = "; ".join(bar.title for bar in bars)
    return Plot(WIDTH, HEIGHT, title, described, bars, tuple(lines), tuple(labels))


def _named(count: int) -> list[int]:
    if count <= MOST_NAMED:
        return list(range(count))
    return [0, count // 2, count - 1]
