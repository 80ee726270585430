"""What a plot is made of: bars, lines, dots and labels with their places, in CSS pixels."""

from dataclasses import dataclass


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
    """A drawing of a size; `description` is what it shows, as text."""

    width: float
    height: float
    title: str
    description: str
    bars: tuple[Bar, ...] = ()
    lines: tuple[Line, ...] = ()
    words: tuple[Label, ...] = ()
    dots: tuple[Dots, ...] = ()
    spots: tuple[Spot, ...] = ()
