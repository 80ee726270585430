from core.plots.intervals import LEFT, RIGHT, WIDTH, Measured, interval_plot


def place(value: float, start: float, end: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * (value - start) / (end - start)


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
