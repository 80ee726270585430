"""A plot as an SVG file that needs nothing beside it: each shape says its own colour.

A page colours the same shapes by its stylesheet, in the light and in the dark; the colours here are
the light ones, on white.
"""

from collections.abc import Iterator, Mapping
from html import escape
from typing import Final

from core.plots.shapes import Plot

PAPER: Final = "#ffffff"
INK: Final = "#16202a"
SOFT: Final = "#4d5b69"
STRONG: Final = "#77838f"
ACCENT: Final = "#1f4e79"
MARK: Final = "#8a3ffc"
SERIES: Final = ("#1f4e79", "#b8460e", "#0b7a55", "#8a3ffc", "#7a5c00", "#16202a")
DASHES: Final = ("", "7 3", "2 3", "9 3 2 3", "4 4", "12 4")

Look = Mapping[str, str]
LINES: Final[Mapping[str, Look]] = {
    "axis": {"stroke": STRONG},
    "zero": {"stroke": SOFT, "stroke-dasharray": "3 3"},
    "ceiling": {"stroke": MARK, "stroke-width": "2"},
    "median": {"stroke": INK, "stroke-width": "2"},
    "own": {"stroke": ACCENT, "stroke-width": "2"},
    "scorer": {"stroke": ACCENT, "stroke-width": "2"},
    "published": {"stroke": STRONG, "stroke-width": "2"},
    "baseline": {"stroke": STRONG, "stroke-width": "2"},
    **{
        f"series-{n}": {"stroke": colour, "stroke-width": "2"}
        | ({"stroke-dasharray": dashes} if dashes else {})
        for n, (colour, dashes) in enumerate(zip(SERIES, DASHES, strict=True), start=1)
    },
}
BARS: Final[Mapping[str, Look]] = {
    "band": {"fill": MARK, "fill-opacity": "0.18"},
    **{kind: {"fill": ACCENT} for kind in ("own", "scorer", "b")},
    **{kind: {"fill": STRONG} for kind in ("published", "baseline", "tie")},
    "c": {"fill": MARK},
    **{f"series-{n}": {"fill": colour} for n, colour in enumerate(SERIES, start=1)},
}
DOTS: Final[Look] = {
    "fill": "none",
    "stroke": ACCENT,
    "stroke-opacity": "0.55",
    "stroke-width": "5",
    "stroke-linecap": "round",
}
FONT: Final[Look] = {
    "fill": SOFT,
    "font-size": "11",
    "font-family": "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif",
}
AROUND: Final = 12
HEAD: Final = 24


def svg_of(plot: Plot) -> str:
    """Return a plot as a whole SVG document, under its title."""
    width, height = plot.width + 2 * AROUND, plot.height + 2 * AROUND + HEAD
    size = {"width": width, "height": height, "viewBox": f"0 0 {width:g} {height:g}"}
    heading = {"x": 0, "y": -10, "fill": INK, "font-size": "13", "font-weight": "600"}
    inner = {"transform": f"translate({AROUND} {AROUND + HEAD})", **FONT}
    return "".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img"{_given(size)}>',
            f"<title>{escape(plot.title)}</title><desc>{escape(plot.description)}</desc>",
            f'<rect width="100%" height="100%" fill="{PAPER}"/>',
            f"<g{_given(inner)}>",
            f"<text{_given(heading)}>{escape(plot.title)}</text>",
            *_shapes(plot),
            "</g></svg>\n",
        ]
    )


def _shapes(plot: Plot) -> Iterator[str]:
    for line in plot.lines:
        ends = {"x1": line.x1, "y1": line.y1, "x2": line.x2, "y2": line.y2}
        yield f"<line{_given({**ends, **LINES[line.kind]})}/>"
    for bar in plot.bars:
        place = {"x": bar.x, "y": bar.y, "width": bar.width, "height": bar.height}
        yield f"<rect{_given({**place, **BARS[bar.kind]})}>{_title(bar.title)}</rect>"
    for dots in plot.dots:
        yield f'<path d="{dots.path}"{_given(DOTS)}/>'
    for words in plot.words:
        place = {"x": words.x, "y": words.y}
        yield f'<text{_given(place)} text-anchor="{words.anchor}">{escape(words.text)}</text>'
    for hit in plot.hits:
        place = {"x": hit.x, "y": hit.y, "width": hit.width, "height": hit.height}
        yield f'<rect{_given(place)} fill="none" pointer-events="all">{_title(hit.title)}</rect>'


def _title(text: str) -> str:
    return f"<title>{escape(text)}</title>"


def _given(values: Mapping[str, object]) -> str:
    return "".join(f' {name}="{escape(str(value))}"' for name, value in values.items())
