"""The verdict of a reliability report in one sentence, and its coefficients drawn."""

from typing import Any

import pytest

from annotator.reliability.grids import AGREEMENT, POINTS, Cell, Grid
from annotator.reliability.verdicts import forest_plots, verdict
from patclaimeval.rubric import ALL_CRITERIA


def figure(key: str, value: float | None, low: float | None = None, high: float | None = None):
    reason = "" if value is not None else "No candidate has two ratings."
    return {
        "key": key,
        "value": value,
        "low": low,
        "high": high,
        "reason": reason,
        "n": 56,
        "clusters": 12,
        "interval": "",
    }


def result(overall: Any, others: float | None = 0.7) -> dict[str, Any]:
    """A stored result whose alphas are given and whose other coefficients are 0.5."""

    def entry(key: str, alpha: Any) -> dict[str, Any]:
        found = [figure(name, 0.5, 0.4, 0.6) for name, _, _ in AGREEMENT[1:]]
        return {"key": key, "figures": [alpha, *found]}

    criteria = [
        entry(key, figure("alpha_interval", None if others is None else others + place / 100))
        for place, key in enumerate(ALL_CRITERIA[:-1])
    ]
    return {"criteria": [*criteria, entry(ALL_CRITERIA[-1], figure("alpha_interval", *overall))]}


@pytest.mark.parametrize(
    ("overall", "says"),
    [
        ((0.85, 0.7, 0.9), "Annotators agree well enough to rely on their ratings: "),
        ((0.8, None, None), "Annotators agree well enough to rely on their ratings: "),
        ((0.7, 0.5, 0.8), "Annotators agree well enough for tentative conclusions only: "),
        ((0.667, 0.5, 0.8), "Annotators agree well enough for tentative conclusions only: "),
        ((0.5, 0.1, 0.8), "Annotators agree too little to conclude from their ratings: "),
        ((0.5, -0.1, 0.8), "It is not shown that annotators agree beyond chance: "),
        ((0.9, 0.0, 1.0), "It is not shown that annotators agree beyond chance: "),
        ((-0.2, None, None), "It is not shown that annotators agree beyond chance: "),
    ],
)
def test_the_verdict_follows_from_alpha_and_the_lower_end_of_its_interval(overall, says) -> None:
    assert verdict(result(overall)).startswith(says)


def test_the_verdict_is_one_sentence_with_its_figure_and_the_weakest_criterion() -> None:
    assert verdict(result((0.85, 0.7, 0.9))) == (
        "Annotators agree well enough to rely on their ratings: Krippendorff's alpha of overall "
        "quality is 0.850 (95 % interval 0.700 to 0.900) over 56 candidates of 12 references; of "
        "single criteria it is lowest for feature completeness, 0.700."
    )
    assert verdict(result((0.85, None, None), None)).endswith(
        "is 0.850 over 56 candidates of 12 references."
    )
    assert verdict(result((None,))) == (
        "No verdict on overall quality: no candidate has two ratings."
    )


def test_every_coefficient_is_drawn_by_criterion_on_one_axis() -> None:
    plots = forest_plots(result((0.85, -0.3, 0.9)))
    assert [plot.title for plot in plots][:2] == [
        "Agreement on overall quality",
        "Agreement on feature completeness",
    ]
    assert len({plot.name for plot in plots}) == len(ALL_CRITERIA)
    for plot in plots:
        # Three alphas, two ICCs, kappa, AC2 and tau; shares and points are none.
        assert len(plot.bars) == 8 and len(plot.hits) == 8
    axes = {tuple(words.text for words in plot.words if words.anchor == "middle") for plot in plots}
    assert len(axes) == 1 and "-0.4" in next(iter(axes))
    assert "0.850, -0.30 to 0.90" in plots[0].description


def test_what_is_undefined_is_not_drawn() -> None:
    plots = forest_plots(result((None,), None))
    assert all(len(plot.bars) == 7 for plot in plots)
    for entry in (document := result((0.8,)))["criteria"]:
        entry["figures"] = [figure(key, None) for key, _, _ in AGREEMENT]
    assert forest_plots(document) == ()


def test_lines_that_are_undefined_throughout_fold_into_one_sentence() -> None:
    grid = Grid("A caption", ("one", "other"))
    few, none = figure("x", None) | {"reason": "Too few."}, figure("x", None)
    grid.add("first", "", (grid.cell(figure("x", 1.0), POINTS), grid.cell(few, POINTS)))
    grid.add("second", "", (grid.cell(few, POINTS), grid.cell(none, POINTS)))
    grid.add("third", "", (grid.cell(none, POINTS), grid.cell(few, POINTS)))
    grid.add("fourth", "", (grid.cell(few, POINTS), grid.cell(few, POINTS)))
    grid.add("fifth", "", (grid.cell(none, POINTS), grid.cell(figure("x", 2.0), POINTS)))
    assert [row.head for row in grid.rows] == ["first", "fifth"]
    assert grid.notes == ["Too few.", "No candidate has two ratings."]
    assert grid.rows[1].cells == (Cell("undefined", "", 2), Cell("2.00"))
    assert grid.folded_sentence == (
        "Undefined throughout: second; third (No candidate has two ratings. Too few.); fourth "
        "(Too few.)."
    )
    assert Grid("", ()).folded_sentence == ""


def test_a_reason_of_folded_lines_alone_is_no_note_under_the_table() -> None:
    grid = Grid("A caption", ("one",))
    few, none = figure("x", None) | {"reason": "Too few."}, figure("x", None)
    grid.add("first", "", [grid.cell(figure("x", 1.0) | {"reason": "Of few."}, POINTS)])
    grid.add("second", "", (grid.cell(one, POINTS) for one in [few]))
    grid.add("third", "", (grid.cell(one, POINTS) for one in [none]))
    assert grid.notes == ["Of few."]
