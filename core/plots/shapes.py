"""What a plot is made of: bars, lines, dots and labels with their places, in CSS pixels."""

import re
from dataclasses import dataclass

_OTHER_SIGNS = re.compile("[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Bar:
    """A rectangle; `kind` is the class that gives it its colour, `title` what it stands for."""

    x: float
    y: float
    width: float
    height: float
    kind: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line from one point to another."""

    x1: float
    y1: float
    x2: float
    y2: float
    kind: str = "axis"


@dataclass(frozen=True, slots=True)
class Label:
    """A text; `anchor` is which part of it stands at x: start, middle or end."""

    x: float
    y: float
    text: str
    anchor: str = "start"


@dataclass(frozen=True, slots=True)
class Dots:
    """Many round dots of one kind, as the path of an SVG: a dot is a line of no length."""

    path: str
    kind: str


@dataclass(frozen=True, slots=True)
class Spot:
    """A dot that leads to an address, and what it is called."""

    x: float
    y: float
    address: str
    title: str


@dataclass(frozen=True, slots=True)
class Plot:
    """A drawing of a size; `description` is what it shows, as text.

    `hits` are places that show nothing but their title, to who points at them: wider than the marks
    that they stand for.
    """

    width: float
    height: float
    title: str
    description: str
    bars: tuple[Bar, ...] = ()
    lines: tuple[Line, ...] = ()
    words: tuple[Label, ...] = ()
    dots: tuple[Dots, ...] = ()
    spots: tuple[Spot, ...] = ()
    hits: tuple[Bar, ...] = ()

    @property
    def name(self) -> str:
        """What the drawing is called in an address and as a file."""
        return _OTHER_SIGNS.sub("-", self.title.lower()).strip("-")[:80] or "plot"
