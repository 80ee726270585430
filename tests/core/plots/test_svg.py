"""A plot as a file: coloured as the page colours it, and nothing but text from names."""

import re
from pathlib import Path
from xml.etree import ElementTree

from django.conf import settings

from core.plots import svg
from core.plots.intervals import Measured, interval_plot

SVG = "{http://www.w3.org/2000/svg}"


def stylesheet(name: str) -> str:
    return Path(settings.BASE_DIR, "static", "css", name).read_text()


def test_names_stay_text() -> None:
    nasty = "</text><script>alert(1)</script>&\"'"
    plot = interval_plot(nasty, [Measured(nasty, "scorer", 0.3, 0.1, 0.5)])
    root = ElementTree.fromstring(svg.svg_of(plot))
    assert root.find(f".//{SVG}script") is None
    assert root[0].text == nasty
    assert re.fullmatch("[a-z0-9-]+", plot.name)


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
