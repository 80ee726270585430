"""Plots of a report are made of its figures, and of no others."""

from scoring.reports.page_parts import (
    breakdown_plot,
    breakdowns,
    ceiling_band,
    scatter,
    scatter_names,
    scorer_plot,
)
from tests.scoring.report_documents import released_document, report_document


def test_every_row_that_was_scored_is_drawn() -> None:
    plot = scorer_plot(report_document())
    drawn = {words.text for words in plot.words}
    assert {"bleu-1", "rouge-l", "majority", "length", "human ceiling"} <= drawn
    assert "BERTScore" not in drawn


def test_an_unknown_ceiling_is_no_band() -> None:
    assert ceiling_band(report_document()) is not None
    assert ceiling_band(released_document()) is None
    assert not [bar for bar in scorer_plot(released_document()).bars if bar.kind == "band"]


def test_a_scatter_is_of_ratings_or_of_labels() -> None:
    document = report_document()
    assert [name for name, _ in scatter_names(document)] == ["bleu-1", "rouge-l"]
    ratings, labels = (scatter(document, name) for name in ("bleu-1", "rouge-l"))
    assert ratings.is_of_ratings and [level.name for level in ratings.levels] == [*"2569"]
    assert not labels.is_of_ratings and [level.n for level in labels.levels] == [1, 1, 2]


def test_groups_are_drawn_for_a_scorer_that_stands_in_them() -> None:
    found = {one.key: one for one in breakdowns(report_document())}
    plot = breakdown_plot(found["ipc"], "rouge-l")
    assert plot is not None and "A (20) 0.200" in plot.description
    assert "G (20) undefined" in plot.description
    assert breakdown_plot(found["ipc"], "bertscore") is None
    assert breakdown_plot(found["system"], "bleu-1") is None
