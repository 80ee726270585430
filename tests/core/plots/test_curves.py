import pytest

from core.plots.curves import HEIGHT, LEFT, MARK, MOST_DRAWN, RIGHT, WIDTH, curve_plot


def test_marks_stand_at_their_steps_and_values() -> None:
    plot = curve_plot("Loss", "epoch", [(1, 0.4), (2, 0.2), (5, 0.0)])
    assert plot is not None
    places = [(bar.x + MARK / 2, bar.y + MARK / 2) for bar in plot.bars]
    (x1, y1), (x2, y2), (x3, y3) = places
    assert (x1, x3) == pytest.approx((LEFT, WIDTH - RIGHT))
    assert x2 == pytest.approx(LEFT + (WIDTH - LEFT - RIGHT) / 4)
    assert y2 - y1 == pytest.approx(y3 - y2, abs=0.02) and y1 < y2 < y3
    joined = [(line.x1, line.y1, line.x2, line.y2) for line in plot.lines if line.kind == "own"]
    assert joined == [(x1, y1, x2, y2), (x2, y2, x3, y3)]
    assert [bar.title for bar in plot.bars][1] == "epoch 2: 0.200"
    axis = next(line for line in plot.lines if line.kind == "axis")
    assert axis.y1 == axis.y2 == y3


def test_an_axis_reaches_below_zero_where_a_value_does() -> None:
    plot = curve_plot("tau", "epoch", [(1, -0.3), (2, 0.5)])
    assert plot is not None
    assert [words.text for words in plot.words[:6]] == ["-0.4", "-0.2", "0", "0.2", "0.4", "0.6"]
    for bar in plot.bars:
        assert bar.y >= 0 and bar.y + bar.height <= HEIGHT
    assert plot.description == (
        "-0.300 at epoch 1, 0.500 at epoch 2; lowest -0.300 at epoch 1, highest 0.500 at epoch 2"
    )


def test_one_point_makes_no_curve() -> None:
    assert curve_plot("tau", "epoch", []) is None
    assert curve_plot("tau", "epoch", [(200, 0.7)]) is None


def test_a_long_curve_has_marks_at_its_ends_and_turns_only() -> None:
    values = [(n, abs(n - 30) / 100) for n in range(1, 101)]
    plot = curve_plot("Loss", "epoch", values)
    assert plot is not None
    assert [bar.title for bar in plot.bars] == [
        "epoch 1: 0.290",
        "epoch 30: 0.000",
        "epoch 100: 0.700",
    ]
    assert len([line for line in plot.lines if line.kind == "own"]) == 99


def test_of_many_points_some_are_drawn_and_the_last_always() -> None:
    plot = curve_plot("Loss", "epoch", [(n, 1 / n) for n in range(1, 1002)])
    assert plot is not None
    assert len([line for line in plot.lines if line.kind == "own"]) <= MOST_DRAWN
    assert plot.bars[-1].title == "epoch 1001: 0.001"
