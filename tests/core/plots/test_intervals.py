import pytest

from core.plots.intervals import LEFT, MARK, RIGHT, WIDTH, Band, Measured, interval_plot

CEILING = Band("human ceiling", 0.6, 0.5, 0.7)


def place(value: float, start: float, end: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * (value - start) / (end - start)


def test_a_figure_stands_on_its_interval() -> None:
    plot = interval_plot("Scorers", [Measured("bleu-1", "scorer", 0.3, 0.1, 0.5)])
    (mark,) = plot.bars
    assert mark.x + MARK / 2 == pytest.approx(place(0.3, 0, 0.5), abs=0.01)
    (line,) = [line for line in plot.lines if line.kind == "scorer"]
    assert (line.x1, line.x2) == pytest.approx((place(0.1, 0, 0.5), place(0.5, 0, 0.5)), abs=0.01)
    assert plot.description == "tau-b with 95 % intervals: bleu-1 0.300, 0.10 to 0.50"


def test_the_band_spans_its_interval_and_has_its_line_at_the_figure() -> None:
    plot = interval_plot("Scorers", [Measured("bleu-1", "scorer", 0.3, 0.1, 0.5)], CEILING)
    (band,) = [bar for bar in plot.bars if bar.kind == "band"]
    assert band.x == pytest.approx(place(0.5, 0, 0.8), abs=0.01)
    assert band.x + band.width == pytest.approx(place(0.7, 0, 0.8), abs=0.02)
    (line,) = [line for line in plot.lines if line.kind == "ceiling"]
    assert line.x1 == pytest.approx(place(0.6, 0, 0.8), abs=0.01)
    assert "human ceiling 0.600, 0.50 to 0.70" in plot.description


def test_a_row_without_a_figure_or_an_interval_says_so_and_draws_none() -> None:
    plot = interval_plot("Scorers", [Measured("flat", "scorer", None)])
    assert not plot.bars
    assert "undefined" in {words.text for words in plot.words}
    assert "flat undefined" in plot.description
    plot = interval_plot("Scorers", [Measured("bleu-1", "scorer", 0.3)])
    (line,) = [line for line in plot.lines if line.kind == "scorer"]
    assert line.x1 == line.x2
    assert "bleu-1 0.300, no interval" in plot.description
    assert interval_plot("Scorers", []).lines


@pytest.mark.parametrize("low", [-1.0, -0.63, -0.04, 0.0, 0.2])
def test_the_axis_holds_zero_and_everything_drawn(low) -> None:
    rows = [Measured("a", "scorer", low + 0.01, low, 0.97), Measured("b", "baseline", 0.0)]
    plot = interval_plot("Scorers", rows, CEILING)
    for line in plot.lines:
        assert LEFT - 0.01 <= line.x1 <= line.x2 <= WIDTH - RIGHT + 0.01
    (zero,) = [line for line in plot.lines if line.kind == "zero"]
    labelled = {words.x for words in plot.words if words.text == "0"}
    assert zero.x1 in labelled


def test_a_long_name_takes_two_lines_and_of_a_longer_one_both_ends_are_read() -> None:
    name = "PatClaimEval, Overall quality, dataset@12"
    plot = interval_plot("Scorers", [Measured(name, "scorer", 0.3, 0.1, 0.5)])
    assert [words.text for words in plot.words[:2]] == [
        "PatClaimEval, Overall",
        "quality, dataset@12",
    ]
    longer = f"PatClaimEval, trained on {'a great many ' * 6}claims of November, no. 2"
    plot = interval_plot("Scorers", [Measured(longer, "scorer", 0.3, 0.1, 0.5)])
    first, second = (words.text for words in plot.words[:2])
    assert longer.startswith(first) and second.startswith("…") and longer.endswith(second[1:])
    assert longer in plot.description


def test_the_whole_row_says_its_figure_to_who_points_at_it() -> None:
    rows = [Measured("a", "scorer", 0.3, 0.1, 0.5), Measured("b", "scorer", None)]
    plot = interval_plot("Scorers", rows)
    assert [hit.title for hit in plot.hits] == ["a 0.300, 0.10 to 0.50", "b undefined"]
    for hit, mark in zip(plot.hits, plot.bars, strict=False):
        assert (hit.x, hit.width) == (0, WIDTH) and hit.y < mark.y < hit.y + hit.height


def test_plots_beside_each_other_have_one_axis() -> None:
    rows = [[Measured("a", "scorer", value, value, value)] for value in (0.1, 0.9)]
    plots = [interval_plot("x", one, width=400, holds=(-0.2, 0.9)) for one in rows]
    axes = [[words.text for words in plot.words if words.anchor == "middle"] for plot in plots]
    assert axes[0] == axes[1] and all(plot.width == 400 for plot in plots)
