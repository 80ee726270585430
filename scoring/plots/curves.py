"""A value over the steps of a training, drawn as a line with a mark at each step."""

from collections.abc import Sequence
from itertools import pairwise

from scoring.plots.ranges import axis_ticks
from scoring.plots.shapes import Bar, Label, Line, Plot

WIDTH, LEFT, RIGHT = 360, 48, 12
HEIGHT, TOP, FOOT = 160, 10, 34
MARK = 4
MOST_DRAWN = 200
# More would hide the line; then only its ends and turns have one.
MOST_MARKED = 20

Point = tuple[int, float]


def curve_plot(title: str, unit: str, points: Sequence[Point], kind: str = "own") -> Plot | None:
    """Draw values over whole steps, joined by straight lines, on axes with round numbers.

    Input: (step, value) with steps that rise and finite values, of any sign; `unit` names a step.
    Output: a plot whose upright axis holds 0 and every value, and whose marks show step and
    value; of more than MOST_DRAWN points every k-th is drawn, the last one always, and of more than
    MOST_MARKED only the ends, the lowest and the highest have a mark. None for fewer than two
    points: they make no curve.
    """
    if len(points) < 2:
        return None
    drawn = _thinned(points)
    low = min(0.0, *(value for _, value in drawn))
    high = max(0.0, *(value for _, value in drawn))
    ticks = axis_ticks(low, high)
    start, end = ticks[0], ticks[-1]
    first, last = drawn[0][0], drawn[-1][0]

    def x(number: int) -> float:
        share = (number - first) / (last - first) if last > first else 0.5
        return round(LEFT + (WIDTH - LEFT - RIGHT) * share, 2)

    def y(value: float) -> float:
        return round(TOP + (HEIGHT - TOP - FOOT) * (end - value) / (end - start), 2)

    lines = [Line(LEFT, y(0), WIDTH - RIGHT, y(0))]
    lines += [Line(x(a), y(u), x(b), y(v), kind) for (a, u), (b, v) in pairwise(drawn)]
    marks = tuple(
        Bar(x(n) - MARK / 2, y(v) - MARK / 2, MARK, MARK, kind, f"{unit} {n}: {v:.3f}")
        for n, v in _marked(drawn)
    )
    labels = [Label(LEFT - 7, y(tick) + 4, f"{tick:.4g}", "end") for tick in ticks]
    labels += [Label(x(n), HEIGHT - FOOT + 18, str(n), "middle") for n in sorted({first, last})]
    labels.append(Label((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 4, unit, "middle"))
    return Plot(WIDTH, HEIGHT, title, _describe(unit, points), marks, tuple(lines), tuple(labels))


def _marked(points: Sequence[Point]) -> Sequence[Point]:
    if len(points) <= MOST_MARKED:
        return points
    turns = {pick(points, key=lambda point: point[1]) for pick in (min, max)}
    return sorted({points[0], points[-1], *turns})


def _thinned(points: Sequence[Point]) -> list[Point]:
    every = -(-len(points) // MOST_DRAWN)
    chosen = list(points[::every])
    return chosen if chosen[-1] == points[-1] else [*chosen, points[-1]]


def _describe(unit: str, points: Sequence[Point]) -> str:
    """Describe a curve in one sentence: where it begins, where it ends, and where it turns."""
    (first, begun), (last, ended) = points[0], points[-1]
    lowest, highest = (pick(points, key=lambda point: point[1]) for pick in (min, max))
    return (
        f"{begun:.3f} at {unit} {first}, {ended:.3f} at {unit} {last}; lowest {lowest[1]:.3f} at "
        f"{unit} {lowest[0]}, highest {highest[1]:.3f} at {unit} {highest[0]}"
    )
