import pytest

from core.plots.columns import FOOT, HEIGHT, TOP, column_plot


def test_columns_are_as_high_as_their_counts() -> None:
    plot = column_plot("Ratings", "ratings", [("1", 20), ("2", 10), ("3", 0)], "own")
    scene = HEIGHT - FOOT - TOP
    assert [bar.height for bar in plot.bars] == pytest.approx([scene, scene / 2, 0], abs=0.01)
    assert {round(bar.y + bar.height, 1) for bar in plot.bars} == {HEIGHT - FOOT}
    assert plot.description == "1: 20 ratings; 2: 10 ratings; 3: 0 ratings"


def test_columns_do_not_overlap_and_stay_within() -> None:
    plot = column_plot("Ratings", "ratings", [(str(n), n) for n in range(40)], "own")
    ends = [bar.x + bar.width for bar in plot.bars]
    assert all(end <= bar.x for end, bar in zip(ends, plot.bars[1:], strict=False))
    assert ends[-1] <= plot.width
    assert [words.text for words in plot.words][:3] == ["0", "20", "39"]


def test_counts_below_one_step_still_have_whole_ticks() -> None:
    plot = column_plot("Ratings", "ratings", [("1", 1)], "own")
    assert [words.text for words in plot.words if words.anchor == "end"] == ["0", "1"]
