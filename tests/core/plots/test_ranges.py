import pytest

from core.plots.ranges import LEFT, RIGHT, WIDTH, range_plot, tick_step

FIGURES = {"min": 100, "max": 900, "mean": 500, "median": 450, "sd": 200}


def place(value: float, end: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * value / end


def test_line_box_and_median_stand_at_their_values() -> None:
    plot = range_plot("Length", "tokens", [("own", "Claims", FIGURES)])
    (box,) = plot.bars
    assert box.x == pytest.approx(place(300, 1000), abs=0.01)
    assert box.x + box.width == pytest.approx(place(700, 1000), abs=0.02)
    spread = next(line for line in plot.lines if line.kind == "own")
    assert (spread.x1, spread.x2) == pytest.approx((place(100, 1000), place(900, 1000)), abs=0.01)
    median = next(line for line in plot.lines if line.kind == "median")
    assert median.x1 == median.x2 == pytest.approx(place(450, 1000), abs=0.01)
    assert "100 to 900 tokens, mean 500, median 450, sd 200" in plot.description


def test_a_box_ends_where_the_values_end() -> None:
    plot = range_plot("Length", "tokens", [("own", "Claims", FIGURES | {"sd": 5000})])
    (box,) = plot.bars
    assert box.x == pytest.approx(place(100, 1000), abs=0.01)
    assert box.x + box.width == pytest.approx(place(900, 1000), abs=0.02)


@pytest.mark.parametrize("most", [0.3, 0.8, 1, 2, 7, 9.9, 41, 1461, 123_456])
def test_an_axis_has_few_round_numbers_and_reaches_the_most(most) -> None:
    step = tick_step(most)
    # The next smaller round number is at most 2.5 times smaller, and does not reach.
    assert most <= 4 * step < 2.5 * most * (1 + 1e-9)
    digits = f"{step:.10f}".strip("0").replace(".", "").strip("0")
    assert digits in {"1", "2", "5"}


def test_nothing_goes_beyond_the_drawing() -> None:
    rows = [("own", "Claims", FIGURES), ("published", "Published", FIGURES | {"max": 1461})]
    plot = range_plot("Length", "tokens", rows)
    for line in plot.lines:
        assert 0 <= line.x1 <= line.x2 <= plot.width and 0 <= line.y1 <= line.y2 <= plot.height
    assert max(words.y for words in plot.words) < plot.height
