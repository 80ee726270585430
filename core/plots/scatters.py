"""Scores against what people gave: one dot a candidate or quadruplet."""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from core.plots.ranges import axis_ticks
from core.plots.shapes import Bar, Dots, Label, Line, Plot, Spot

WIDTH, LEFT, RIGHT = 480, 64, 16
HEIGHT, TOP, FOOT = 260, 10, 40
RATINGS: Final = tuple((float(rating), str(rating)) for rating in range(11))
LABELS: Final = ((-1.0, "C better"), (0.0, "equal"), (1.0, "B better"))
# How far dots of one label stand apart, so that they do not hide each other.
SPREAD: Final = 0.32
GOLDEN: Final = (math.sqrt(5) - 1) / 2

Point = Sequence[float]


@dataclass(frozen=True, slots=True)
class Level:
    """The scores at one rating or label: how many, and where they lie."""

    name: str
    n: int
    low: float
    median: float
    high: float


def rating_plot(title: str, points: Sequence[Point], addresses: Sequence[str] = ()) -> Plot | None:
    """Draw scores over ratings from 0 to 10. Input: (rating, score). None without a point.

    With an address for each point its dot leads there.
    """
    return _plot(title, "settled rating", "score", points, RATINGS, addresses, spread=0.0)


def label_plot(title: str, points: Sequence[Point], addresses: Sequence[str] = ()) -> Plot | None:
    """Draw score differences as a strip for each label. Input: (label, difference).

    Dots of one label stand side by side at places that follow from their number alone, so that
    the same points give the same plot. None without a point.
    """
    upwards = "score(B) - score(C)"
    return _plot(title, "label of people", upwards, points, LABELS, addresses, spread=SPREAD)


def rating_levels(points: Sequence[Point]) -> tuple[Level, ...]:
    """Describe the scores at each rating, a fraction taken to the nearest whole one, halves up."""
    return _levels([(math.floor(x + 0.5), y) for x, y in points], RATINGS)


def label_levels(points: Sequence[Point]) -> tuple[Level, ...]:
    """Describe the score differences at each label that occurs."""
    return _levels(points, LABELS)


def _levels(points: Sequence[Point], names: Sequence[tuple[float, str]]) -> tuple[Level, ...]:
    found: defaultdict[float, list[float]] = defaultdict(list)
    for x, y in points:
        found[x].append(y)
    return tuple(
        Level(name, len(found[x]), min(found[x]), median(found[x]), max(found[x]))
        for x, name in names
        if x in found
    )


def _plot(
    title: str,
    across: str,
    upwards: str,
    points: Sequence[Point],
    ticks: Sequence[tuple[float, str]],
    addresses: Sequence[str],
    spread: float,
) -> Plot | None:
    if not points:
        return None
    heights = _ticks([point[1] for point in points])
    start, end = heights[0], heights[-1]
    first, last = ticks[0][0], ticks[-1][0]
    margin = 0.5 if spread else (last - first) * 0.03

    def x(value: float) -> float:
        share = (value - first + margin) / (last - first + 2 * margin)
        return round(LEFT + (WIDTH - LEFT - RIGHT) * share, 1)

    def y(value: float) -> float:
        return round(TOP + (HEIGHT - TOP - FOOT) * (end - value) / (end - start), 1)

    floor = HEIGHT - FOOT
    lines = [Line(LEFT, floor, WIDTH - RIGHT, floor), Line(LEFT, TOP, LEFT, floor)]
    if start < 0 < end:
        lines.append(Line(LEFT, y(0), WIDTH - RIGHT, y(0), "zero"))
    labels = [Label(x(value), floor + 16, name, "middle") for value, name in ticks]
    for height in heights:
        at = y(height)
        lines.append(Line(LEFT - 4, at, LEFT, at))
        labels.append(Label(LEFT - 7, at + 4, f"{height:.4g}", "end"))
    labels.append(
        Label((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, f"{across}; up: {upwards}", "middle")
    )
    places = [(x(a + _aside(place, spread)), y(b)) for place, (a, b) in enumerate(points)]
    path = "".join(f"M{a:g} {b:g}h0" for a, b in places)
    levels = {
        level.name: f"{level.name}: {level.n}, median {level.median:.3g}"
        for level in (label_levels(points) if spread else rating_levels(points))
    }
    described = f"{upwards} by {across}: {'; '.join(levels.values())}"
    half = round((x(ticks[1][0]) - x(ticks[0][0])) / 2, 1)
    hits = tuple(
        Bar(round(x(value) - half, 1), TOP, 2 * half, floor - TOP, "hit", levels[name])
        for value, name in ticks
        if name in levels
    )
    dots = (Dots(path, "own"),)
    # A report and its addresses may have been made apart: dots of others lead nowhere.
    spots = (
        tuple(
            Spot(*at, address, f"{a:g}, {b:.3g}")
            for at, address, (a, b) in zip(places, addresses, points, strict=True)
        )
        if len(addresses) == len(points)
        else ()
    )
    shapes = (tuple(lines), tuple(labels), dots, spots)
    return Plot(WIDTH, HEIGHT, title, described, (), *shapes, hits=hits)


def _aside(place: int, spread: float) -> float:
    """Return how far the dot of a place stands from its label: evenly spread, never drawn."""
    return spread * (2 * ((place + 1) * GOLDEN % 1) - 1)


def _ticks(values: Sequence[float]) -> list[float]:
    low, high = min(values), max(values)
    if high - low < 1e-9:
        low, high = low - 0.5, high + 0.5
    return axis_ticks(low, high)
