"""Values over the steps of a training, drawn as lines: of one run, or of several together."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from core.plots.labels import SIGN, with_room
from core.plots.ranges import axis_ticks
from core.plots.shapes import Bar, Label, Line, Plot

WIDTH, LEFT, RIGHT = 360, 48, 12
WIDE: Final = 560
HEIGHT, TOP, FOOT = 160, 10, 34
LEGEND, SAMPLE = 16, 26
MARK = 4
MOST_DRAWN = 200
# More would hide the line; then only its ends and turns have one.
MOST_MARKED = 20
# Places to point at, each with the values of its step.
MOST_HITS: Final = 60
MOST_CURVES: Final = 6

Point = tuple[int, float]


@dataclass(frozen=True, slots=True)
class Curve:
    """A line of an overlay: what it is called, and (step, value) with steps that rise.

    `place` from 1 gives its colour and its dashes.
    """

    name: str
    place: int
    points: Sequence[Point]

    @property
    def kind(self) -> str:
        return f"series-{self.place}"


@dataclass(frozen=True, slots=True)
class _Scene:
    """The two axes, and where a step and a value stand on them."""

    width: float
    first: int
    last: int
    ticks: Sequence[float]

    def x(self, number: float) -> float:
        share = (number - self.first) / (self.last - self.first) if self.last > self.first else 0.5
        return round(LEFT + (self.width - LEFT - RIGHT) * share, 2)

    def y(self, value: float) -> float:
        start, end = self.ticks[0], self.ticks[-1]
        return round(TOP + (HEIGHT - TOP - FOOT) * (end - value) / (end - start), 2)

    def line(self, points: Sequence[Point], kind: str) -> list[Line]:
        return [
            Line(self.x(a), self.y(u), self.x(b), self.y(v), kind)
            for (a, u), (b, v) in pairwise(points)
        ]

    def mark(self, point: Point, kind: str, title: str) -> Bar:
        x, y = self.x(point[0]) - MARK / 2, self.y(point[1]) - MARK / 2
        return Bar(x, y, MARK, MARK, kind, title)

    def words(self, unit: str) -> list[Label]:
        words = [Label(LEFT - 7, self.y(tick) + 4, f"{tick:.4g}", "end") for tick in self.ticks]
        ends = sorted({self.first, self.last})
        below = [Label(self.x(n), HEIGHT - FOOT + 18, str(n), "middle") for n in ends]
        middle = (LEFT + self.width - RIGHT) / 2
        return [*words, *with_room(below, self.width), Label(middle, HEIGHT - 4, unit, "middle")]

    def hits(self, titles: Sequence[tuple[int, str]]) -> tuple[Bar, ...]:
        """Return upright stripes, each around its step, that name the values there."""
        places = [self.x(number) for number, _ in titles]
        middles = [(a + b) / 2 for a, b in pairwise(places)]
        edges = [LEFT, *middles, self.width - RIGHT]
        return tuple(
            Bar(round(a, 2), TOP, round(b - a, 2), HEIGHT - TOP - FOOT, "hit", title)
            for (a, b), (_, title) in zip(pairwise(edges), titles, strict=True)
        )


def curve_plot(title: str, unit: str, points: Sequence[Point]) -> Plot | None:
    """Draw values over whole steps, joined by straight lines, on axes with round numbers.

    Input: (step, value) with steps that rise and finite values, of any sign; `unit` names a step.
    Output: a plot whose upright axis holds 0 and every value, and whose marks show step and
    value; of more than MOST_DRAWN points every k-th is drawn, the last one always, and of more than
    MOST_MARKED only the ends, the lowest and the highest have a mark. None for fewer than two
    points: they make no curve.
    """
    if len(points) < 2:
        return None
    drawn = _thinned(points, MOST_DRAWN)
    scene = _scene(WIDTH, drawn)
    lines = [Line(LEFT, scene.y(0), WIDTH - RIGHT, scene.y(0)), *scene.line(drawn, "own")]
    marks = tuple(scene.mark(one, "own", _says(unit, one)) for one in _marked(drawn))
    hits = scene.hits([(one[0], _says(unit, one)) for one in _thinned(drawn, MOST_HITS)])
    words = tuple(scene.words(unit))
    described = _describe(unit, points)
    return Plot(WIDTH, HEIGHT, title, described, marks, tuple(lines), words, hits=hits)


def overlay_plot(title: str, unit: str, curves: Sequence[Curve]) -> Plot | None:
    """Draw several curves over the same axes, each with its line in a legend below.

    Input: curves as curve_plot() takes one, at most MOST_CURVES; one without a point is left out,
    one of a single point is a mark. Output: None where no curve has two points.
    """
    shown = [curve for curve in curves if curve.points]
    if not any(len(curve.points) > 1 for curve in shown):
        return None
    scene = _scene(WIDE, [point for curve in shown for point in curve.points])
    lines = [Line(LEFT, scene.y(0), WIDE - RIGHT, scene.y(0))]
    marks: list[Bar] = []
    words = scene.words(unit)
    for number, curve in enumerate(shown):
        drawn = _thinned(curve.points, MOST_DRAWN)
        lines += scene.line(drawn, curve.kind)
        marks.append(scene.mark(drawn[-1], curve.kind, f"{curve.name}: {_says(unit, drawn[-1])}"))
        middle = HEIGHT + LEGEND * (number + 0.5)
        lines.append(Line(LEFT, middle, LEFT + SAMPLE, middle, curve.kind))
        words.append(Label(LEFT + SAMPLE + 6, middle + 4, _short(curve.name)))
    hits = scene.hits(_said_together(unit, shown))
    described = ". ".join(f"{curve.name}: {_describe(unit, curve.points)}" for curve in shown)
    height = HEIGHT + LEGEND * len(shown) + 4
    return Plot(WIDE, height, title, described, tuple(marks), tuple(lines), tuple(words), hits=hits)


def _scene(width: float, points: Sequence[Point]) -> _Scene:
    values, steps = [value for _, value in points], [step for step, _ in points]
    return _Scene(width, min(steps), max(steps), axis_ticks(min(0.0, *values), max(0.0, *values)))


def _said_together(unit: str, curves: Sequence[Curve]) -> list[tuple[int, str]]:
    """Return for some of all steps what every curve that has the step says there."""
    known = [(curve.name, dict(curve.points)) for curve in curves]
    steps = sorted({step for _, values in known for step in values})
    return [
        (step, "\n".join([f"{unit} {step}", *_at(step, known)]))
        for step, _ in _thinned([(step, 0.0) for step in steps], MOST_HITS)
    ]


def _at(step: int, known: Sequence[tuple[str, dict[int, float]]]) -> list[str]:
    return [f"{name}: {values[step]:.3f}" for name, values in known if step in values]


def _short(name: str) -> str:
    most = int((WIDE - LEFT - SAMPLE - 6 - RIGHT) // SIGN)
    return name if len(name) <= most else f"{name[: most - 1].rstrip()}…"


def _says(unit: str, point: Point) -> str:
    return f"{unit} {point[0]}: {point[1]:.3f}"


def _marked(points: Sequence[Point]) -> Sequence[Point]:
    if len(points) <= MOST_MARKED:
        return points
    turns = {pick(points, key=lambda point: point[1]) for pick in (min, max)}
    return sorted({points[0], points[-1], *turns})


def _thinned(points: Sequence[Point], most: int) -> list[Point]:
    every = -(-len(points) // most)
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
