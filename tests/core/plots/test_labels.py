"""Labels of every kind of plot have room beside each other, whatever names they bear."""

from itertools import combinations

import pytest

from core.plots.columns import column_plot
from core.plots.curves import Curve, curve_plot, overlay_plot
from core.plots.intervals import Band, Measured, interval_plot
from core.plots.labels import box, do_overlap, with_room
from core.plots.ranges import range_plot
from core.plots.scatters import label_plot, rating_plot
from core.plots.shapes import Label, Plot

LONG = [
    f"PatClaimEval, trained on all of the claims of 2026 for completeness, version {n}"
    for n in range(12)
]
SPREAD = {"min": 0.0, "max": 123_456_789.0, "mean": 5e7, "median": 4e7, "sd": 1e7}
CEILING = Band("human ceiling", 0.99, 0.9, 1)
PLOTS = {
    "twelve scorers": interval_plot(
        "tau-b", [Measured(name, "scorer", 0.1, -0.3, 0.9) for name in LONG], CEILING
    ),
    "narrow": interval_plot(
        "tau-b", [Measured(name, "scorer", -0.999, -1, -0.9) for name in LONG], width=400
    ),
    "undefined": interval_plot(
        "tau-b", [Measured("a", "scorer", None), Measured("b", "scorer", -1)]
    ),
    "one word": interval_plot(
        "tau-b", [Measured("x" * 90, "scorer", 0.2), Measured("y" * 40, "scorer", 0.2)]
    ),
    "columns": column_plot("Ratings", "ratings", [(name[-10:], 5) for name in LONG], "own"),
    "many columns": column_plot(
        "Ratings", "ratings", [(f"{n:,}", 10**9) for n in range(9990, 10030)], "own"
    ),
    "ranges": range_plot("Length", "tokens", [("own", name, SPREAD) for name in LONG]),
    "curve": curve_plot("Loss", "epoch", [(n, -n / 1e9) for n in range(99_999_999, 100_000_120)]),
    "overlay": overlay_plot(
        *("Loss", "epoch"),
        [Curve(name, 1 + n, [(1, 1e-7), (2, -3e-7)]) for n, name in enumerate(LONG[:6])],
    ),
    "ratings": rating_plot("Scores", [(n, n * 1e12) for n in range(11)]),
    "labels": label_plot("Differences", [(1, -1e-9), (0, 2e-9), (-1, 0.0)]),
}


def plot_of(name: str) -> Plot:
    plot = PLOTS[name]
    assert plot is not None
    return plot


@pytest.mark.parametrize("name", PLOTS)
def test_no_label_covers_another(name) -> None:
    pairs = combinations(plot_of(name).words, 2)
    assert [(a.text, b.text) for a, b in pairs if do_overlap(a, b)] == []


@pytest.mark.parametrize("name", PLOTS)
def test_every_label_stands_within_the_drawing(name) -> None:
    plot = plot_of(name)
    for label in plot.words:
        left, top, right, bottom = box(label)
        assert left >= -1 and right <= plot.width + 1, label
        assert top >= -1 and bottom <= plot.height + 1, label


def test_of_labels_on_a_line_those_with_room_stay_and_the_ends_always() -> None:
    labels = [Label(20 * n, 0, "1234567", "middle") for n in range(11)]
    chosen = with_room(labels, 250)
    assert chosen[0].x > labels[0].x and chosen[-1] == labels[-1] and 3 <= len(chosen) < 11
    apart = [Label(100 * n, 0, "1234567", "middle") for n in range(11)]
    assert with_room(apart[1:], 1100) == apart[1:]
    assert len(with_room(labels[:2], 250)) == 1
    assert with_room([], 250) == []
