"""Where values lie: a line from the least to the most, their middle, and how far they spread."""

import math
from collections.abc import Mapping, Sequence

from core.plots.labels import name_labels, with_room
from core.plots.shapes import Bar, Label, Line, Plot

WIDTH, LEFT, RIGHT = 320, 84, 20
ROW, TOP, FOOT = 26, 6, 22
KEYS = ("min", "max", "mean", "median", "sd")


def range_plot(title: str, unit: str, rows: Sequence[tuple[str, str, Mapping[str, float]]]) -> Plot:
    """Draw the spread of several groups of values over one axis from 0.

    Input: (kind, name, figures), figures with min, max, mean, median and sd, all 0 or more.
    Output: for each group a line from min to max, a box from mean - sd to mean + sd cut at min and
    max, and an upright line at the median; the axis has round numbers.
    """
    most = max((figures["max"] for _, _, figures in rows), default=0) or 1
    ticks = axis_ticks(0, most)
    scale = (WIDTH - LEFT - RIGHT) / ticks[-1]
    floor = TOP + ROW * len(rows)
    bars: list[Bar] = []
    lines = [Line(LEFT, floor, WIDTH - RIGHT, floor)]
    labels: list[Label] = []
    for number, (kind, name, figures) in enumerate(rows):
        middle = TOP + ROW * number + ROW / 2
        low, high, mean, median, sd = (float(figures[key]) for key in ("min", "max", *KEYS[2:]))
        left, right = max(low, mean - sd), min(high, mean + sd)
        summary = f"{name}: {low:g} to {high:g} {unit}, mean {mean:g}, median {median:g}, sd {sd:g}"
        lines.append(Line(_at(low, scale), middle, _at(high, scale), middle, kind))
        width = round((right - left) * scale, 2)
        bars.append(Bar(_at(left, scale), middle - 6, width, 12, kind, summary))
        at = _at(median, scale)
        lines.append(Line(at, middle - 8, at, middle + 8, "median"))
        labels += name_labels(name, LEFT - 8, middle, LEFT - 8)
    lines += [Line(_at(tick, scale), floor, _at(tick, scale), floor + 4) for tick in ticks]
    labels += with_room(
        [Label(_at(tick, scale), floor + 16, f"{tick:g}", "middle") for tick in ticks],
        WIDTH,
    )
    described = "; ".join(bar.title for bar in bars)
    return Plot(WIDTH, floor + FOOT, title, described, tuple(bars), tuple(lines), tuple(labels))


def axis_ticks(low: float, high: float, ticks: int = 4, least: float = 0.0) -> list[float]:
    """Return the round numbers on an axis from at most `low` to at least `high`, two or more.

    Input: low <= high; as tick_step(); the least distance of two.
    """
    step = max(least, tick_step((high - low) or 1.0, ticks))
    first = math.floor(low / step)
    last = max(math.ceil(high / step), first + 1)
    return [number * step for number in range(first, last + 1)]


def tick_step(most: float, ticks: int = 4) -> float:
    """Return the distance of round numbers (1, 2 or 5 times a power of ten) on an axis to `most`.

    Input: most > 0. Output: the least such distance that needs at most `ticks` of them.
    """
    power = 1.0
    while power * 10 * ticks < most:
        power *= 10
    while power * ticks >= most:
        power /= 10
    return next(power * step for step in (1, 2, 5, 10) if power * step * ticks >= most)


def _at(value: float, scale: float) -> float:
    return round(LEFT + value * scale, 2)
