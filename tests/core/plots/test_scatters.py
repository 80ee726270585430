import re

import pytest

from core.plots.scatters import (
    HEIGHT,
    LEFT,
    RIGHT,
    WIDTH,
    Level,
    label_levels,
    label_plot,
    rating_levels,
    rating_plot,
)
from core.plots.shapes import Plot


def dots(plot: Plot | None) -> list[tuple[float, float]]:
    assert plot is not None
    return [(float(x), float(y)) for x, y in re.findall(r"M(\S+) (\S+)h0", plot.dots[0].path)]


def test_every_point_is_a_dot_at_its_rating_and_score() -> None:
    (x1, y1), (x2, y2), (x3, y3) = dots(rating_plot("Scores", [(0, 0.0), (5, 0.5), (10, 1.0)]))
    assert LEFT < x1 < x2 < x3 < WIDTH - RIGHT
    assert x2 - x1 == pytest.approx(x3 - x2, abs=0.11)
    assert y1 - y2 == pytest.approx(y2 - y3, abs=0.11) and y1 > y3


def test_dots_of_one_label_stand_near_it_and_apart() -> None:
    points = [(label, 0.1) for label in (-1, 0, 1) for _ in range(30)]
    plot = label_plot("Differences", points)
    found = [x for x, _ in dots(plot)]
    assert len(set(found)) == 90
    assert max(found[:30]) < min(found[30:60]) and max(found[30:60]) < min(found[60:])
    assert label_plot("Differences", list(points)) == plot


def test_no_point_is_no_plot() -> None:
    assert rating_plot("Scores", []) is None
    assert label_plot("Differences", []) is None


def test_levels_hold_how_many_and_where() -> None:
    points = [(2.0, 0.1), (2.4, 0.5), (2.5, 0.9), (7, 0.3)]
    assert rating_levels(points) == (
        Level("2", 2, 0.1, pytest.approx(0.3), 0.5),
        Level("3", 1, 0.9, 0.9, 0.9),
        Level("7", 1, 0.3, 0.3, 0.3),
    )
    names = [level.name for level in label_levels([(1, 0.2), (-1, 0.1)])]
    assert names == ["C better", "B better"]
    plot = rating_plot("Scores", [(2, 0.1), (2, 0.3), (9, 0.8)])
    assert plot and "2: 2, median 0.2; 9: 1, median 0.8" in plot.description


@pytest.mark.parametrize("score", [-700.0, 0.0, 3e-7, 1e9])
def test_equal_scores_of_any_size_stay_within_the_drawing(score) -> None:
    for other in (score, score * 1.5 + 1e-6):
        found = dots(rating_plot("Scores", [(3, score), (4, other)]))
        assert all(0 < y < HEIGHT for _, y in found)
