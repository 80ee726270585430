"""A plot as a file: whole, coloured as the page colours it, and nothing but text from names."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from django.conf import settings

from core.plots import svg
from core.plots.columns import column_plot
from core.plots.curves import Curve, overlay_plot
from core.plots.intervals import Band, Measured, interval_plot
from core.plots.scatters import label_plot
from core.plots.shapes import Plot

SVG = "{http://www.w3.org/2000/svg}"
ROWS = [Measured("a", "scorer", 0.3, 0.1, 0.5), Measured("b", "baseline", 0.2, 0.1, 0.3)]
PLOTS = (
    interval_plot("tau-b of each", ROWS, Band("human ceiling", 0.6, 0.5, 0.7)),
    column_plot("Ratings", "ratings", [("1", 20), ("2", 10)], "own"),
    label_plot("Differences", [(1, 0.2), (-1, 0.1)]),
    overlay_plot("Loss", "epoch", [Curve(str(n), n, [(1, 0.3), (2, 0.2)]) for n in range(1, 7)]),
)


def stylesheet(name: str) -> str:
    return Path(settings.BASE_DIR, "static", "css", name).read_text()


@pytest.mark.parametrize("plot", PLOTS, ids=lambda plot: plot.title)
def test_a_file_has_every_shape_and_word_of_the_plot(plot) -> None:
    root = ElementTree.fromstring(svg.svg_of(plot))
    assert (root[0].tag, root[0].text) == (f"{SVG}title", plot.title)
    assert (root[1].tag, root[1].text) == (f"{SVG}desc", plot.description)
    drawn = [element.tag for element in root.iter()]
    assert drawn.count(f"{SVG}line") == len(plot.lines)
    assert drawn.count(f"{SVG}rect") == 1 + len(plot.bars) + len(plot.hits)
    assert [text.text for text in root.iter(f"{SVG}text")] == [
        plot.title,
        *(words.text for words in plot.words),
    ]
    assert root.find(f".//{SVG}style") is None and root.find(f".//{SVG}script") is None


def test_names_stay_text() -> None:
    nasty = "</text><script>alert(1)</script>&\"'"
    plot = interval_plot(nasty, [Measured(nasty, "scorer", 0.3, 0.1, 0.5)])
    root = ElementTree.fromstring(svg.svg_of(plot))
    assert root.find(f".//{SVG}script") is None
    assert root[0].text == nasty
    assert re.fullmatch("[a-z0-9-]+", plot.name)


def test_a_plot_without_letters_has_a_name_all_the_same() -> None:
    assert Plot(1, 1, "…", "").name == "plot"


def test_colours_are_those_of_the_light_page() -> None:
    light = dict(re.findall(r"--([\w-]+): (#\w{6});", stylesheet("tokens.css").split("@media")[0]))
    names = ("ink", "ink-soft", "line-strong", "accent", "mark", "paper")
    found = (svg.INK, svg.SOFT, svg.STRONG, svg.ACCENT, svg.MARK, svg.PAPER)
    assert dict(zip(names, found, strict=True)) == {name: light[name] for name in names}
    series = ("accent", "series-2", "series-3", "mark", "series-5", "ink")
    assert tuple(light[name] for name in series) == svg.SERIES


def test_each_kind_has_its_rule_on_the_page_and_its_look_in_a_file() -> None:
    rules = stylesheet("components.css")
    for kind in svg.LINES.keys() - {"axis"}:
        assert re.search(rf"\bline\.{kind}\b|\.plot \.{kind}\b", rules), kind
    for kind in svg.BARS:
        assert re.search(rf"\brect\.{kind}\b|\.plot \.{kind}\b", rules), kind
    dashes = dict(re.findall(r"line\.(series-\d) \{ stroke-dasharray: ([\d ]+);", rules))
    looks = {kind: look.get("stroke-dasharray", "") for kind, look in svg.LINES.items()}
    assert dashes == {kind: look for kind, look in looks.items() if "series" in kind and look}
