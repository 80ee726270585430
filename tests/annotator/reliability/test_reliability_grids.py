"""Figures as tables: how a number is written, what an undefined one says, in which order."""

import pytest

from annotator.reliability.grids import (
    CHANGE,
    COEFFICIENT,
    MOST_PAIRS,
    POINTS,
    SHARE,
    Cell,
    Notes,
    by_criterion,
    cell,
    drift_grid,
    histograms,
    pair_grid,
)
from annotator.rubric import ALL_CRITERIA

pytestmark = pytest.mark.postgres


def stored(value: float | None, reason: str = "", **more: object) -> dict[str, object]:
    ends = {"low": None, "high": None, "n": 9, "clusters": 3, "interval": ""}
    return {"key": "x", "value": value, "reason": reason} | ends | more


@pytest.mark.parametrize(
    ("form", "value", "text"),
    [
        (COEFFICIENT, -0.0361, "\N{MINUS SIGN}0.036"),
        (COEFFICIENT, -0.0001, "0.000"),
        (CHANGE, 0.5, "+0.50"),
        (CHANGE, -0.001, "0.00"),
        (POINTS, 2, "2.00"),
        (SHARE, 0.285, "28 %"),
    ],
    ids=["minus", "minus zero", "plus", "no change", "points", "share"],
)
def test_numbers_are_written_with_a_true_minus_and_no_minus_zero(form, value, text) -> None:
    assert form.text(value) == text


def test_an_undefined_figure_says_so_and_one_reason_has_one_note() -> None:
    notes = Notes()
    first = cell(stored(None, "Nobody rated."), COEFFICIENT, notes)
    again = cell(stored(None, "Nobody rated."), COEFFICIENT, notes)
    other = cell(stored(0.5, "One reference only."), COEFFICIENT, notes)
    assert first == again == Cell("undefined", "", 1)
    assert other == Cell("0.500", "", 2)
    assert notes.found == ["Nobody rated.", "One reference only."]


def test_an_interval_is_written_beside_its_value() -> None:
    found = cell(stored(0.5, low=-0.25, high=1.0), COEFFICIENT, Notes())
    assert found.interval == "\N{MINUS SIGN}0.250 to 1.000"


@pytest.mark.parametrize(
    ("key", "n", "clusters", "words"),
    [
        ("kappa", 1, 1, "n = 1 pair of annotators, 1 reference; jackknife t"),
        ("kappa", 3, 14, "n = 3 pairs of annotators, 14 references; jackknife t"),
        ("icc", 1, 0, "n = 1 repeat; jackknife t"),
        ("icc", 1_200, 2, "n = 1,200 repeats, 2 references; jackknife t"),
    ],
)
def test_a_line_says_what_its_figure_rests_on(key: str, n: int, clusters: int, words: str) -> None:
    figure = stored(0.5) | {"key": key, "n": n, "clusters": clusters, "interval": "jackknife-t"}
    entries = [{"figures": [figure]}] * len(ALL_CRITERIA)
    (row,) = by_criterion("Caption", entries, [(key, "Name", COEFFICIENT)], "repeat{s}").rows
    assert row.hint == words


def test_the_lowest_pairs_come_first_and_undefined_ones_last() -> None:
    values = [0.9, None, -0.2, *(0.95 for _ in range(MOST_PAIRS))]
    pairs = [
        stored(value, "" if value else "Too few.") | {"first": "A", "second": f"B{number}"}
        for number, value in enumerate(values)
    ]
    grid = pair_grid({"criteria": [{"key": key, "pairs": pairs} for key in ALL_CRITERIA]})
    assert grid is not None
    heads = [row.head for row in grid.rows]
    assert heads[:2] == ["A and B2", "A and B0"]
    assert "A and B1" not in heads and len(heads) == MOST_PAIRS
    assert f"{MOST_PAIRS} of {len(values)} pairs" in grid.caption


def test_people_come_in_the_order_of_their_numbers() -> None:
    people = [
        {"annotator": f"Annotator {number}", "per_100": 0.1, "n": 5, "reason": ""}
        for number in (10, 2, 1)
    ]
    grid = drift_grid({"criteria": [{"key": key, "drift": people} for key in ALL_CRITERIA]})
    assert [row.head for row in grid.rows] == ["Annotator 1", "Annotator 2", "Annotator 10"]


def test_the_highest_bar_fills_its_space_and_no_score_leaves_none() -> None:
    counts = [0, 1, 4] + [0] * 8
    found = histograms({"criteria": [{"key": ALL_CRITERIA[0], "histogram": counts}]})[0]
    assert [bar.height for bar in found.bars[:3]] == [0, 6, 24]
    assert all(bar.y + bar.height == 24 for bar in found.bars)
    empty = histograms({"criteria": [{"key": ALL_CRITERIA[0], "histogram": [0] * 11}]})[0]
    assert {bar.height for bar in empty.bars} == {0}
