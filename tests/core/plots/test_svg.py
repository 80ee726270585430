"""A plot as a file holds nothing but text from names."""

import re
from xml.etree import ElementTree

from core.plots import svg
from core.plots.intervals import Measured, interval_plot

SVG = "{http://www.w3.org/2000/svg}"


def test_names_stay_text() -> None:
    nasty = "</text><script>alert(1)</script>&\"'"
    plot = interval_plot(nasty, [Measured(nasty, "scorer", 0.3, 0.1, 0.5)])
    root = ElementTree.fromstring(svg.svg_of(plot))
    assert root.find(f".//{SVG}script") is None
    assert root[0].text == nasty
    assert re.fullmatch("[a-z0-9-]+", plot.name)
