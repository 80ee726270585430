"""Reports as plain data: points in place of units, JSON without NaN, lists in a fixed order."""

import json
from typing import Any

import numpy as np
import pytest

from annotator.reliability.people import drift_report, repeats_report
from annotator.reliability.rules import (
    STANDARD_ERRORS,
    annotators_needed,
    criterion_report,
    histogram,
    preference_report,
)
from annotator.reliability.severity import (
    LEAST_CHANGE,
    MOST_ITEMS,
    NORMAL,
    severities,
    severity_report,
)
from core.statistics.coefficients import intraclass_correlations, krippendorff_alpha
from core.statistics.tables import Repeat, Table
from tests.core.statistics.conftest import GAP, make_table, random_table

UNIT = 11


@pytest.fixture
def scores() -> Table:
    return random_table(np.random.default_rng(2), 30, 3)


def in_units(table: Table) -> Table:
    """The same scores, each point told as eleven units."""
    return Table(table.values * UNIT, table.clusters, table.items, table.annotators)


def by_key(report: Any) -> dict[str, Any]:
    return {one["key"]: one for one in report["figures"]}


def test_eleven_units_a_point_change_no_figure_of_interval_scale(scores) -> None:
    one = by_key(criterion_report(scores, draws=20))
    other = by_key(criterion_report(in_units(scores), UNIT, draws=20))
    same = ("alpha_interval", "icc_single", "kappa_quadratic", "within_one", "mean_difference")
    for key in same:
        for end in ("value", "low", "high"):
            assert other[key][end] == pytest.approx(one[key][end], abs=1e-9), (key, end)


def test_figures_are_those_of_their_packages(scores) -> None:
    found = by_key(criterion_report(scores, draws=20))
    alpha = krippendorff_alpha(scores, "ordinal", 20)
    assert (found["alpha_ordinal"]["value"], found["alpha_ordinal"]["n"]) == (alpha.value, alpha.n)
    assert found["alpha_ordinal"]["interval"] == alpha.interval == "jackknife-t"


def test_the_plan_asks_for_points(scores) -> None:
    plan: Any = criterion_report(in_units(scores), UNIT, draws=20)["plan"]
    components: Any = intraclass_correlations(scores, draws=20).components
    wanted = [annotators_needed(components, error) for error in STANDARD_ERRORS]
    assert [line["annotators"] for line in plan] == wanted
    assert wanted == sorted(wanted, reverse=True)


def test_a_histogram_rounds_half_up() -> None:
    table = make_table([[5, 6], [110, 104], [GAP, 0]])
    assert histogram(table, UNIT) == [2, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1]
    assert histogram(make_table([[0, 10], [3, 3]]), 1)[3] == 2


def test_severity_has_an_interval_and_the_mean_that_follows(scores) -> None:
    found: Any = severity_report(in_units(scores), UNIT)
    expected: Any = severities(scores).severities
    for person, own in zip(found["people"], expected, strict=True):
        assert person["severity"] == pytest.approx(own.value, abs=1e-9)
        assert person["high"] - person["severity"] == pytest.approx(NORMAL * own.standard_error)
        assert person["adjusted_mean"] == pytest.approx(person["raw_mean"] + own.value)


def test_items_that_move_most_come_first_and_those_that_hardly_do_not_at_all(scores) -> None:
    items: Any = severity_report(scores)["items"]
    moves = [abs(one["adjusted"] - one["raw"]) for one in items]
    assert moves == sorted(moves, reverse=True)
    assert 0 < len(moves) <= MOST_ITEMS and min(moves) >= LEAST_CHANGE


def test_reports_of_nothing_and_of_little_are_json_without_nan() -> None:
    nothing, alone = make_table(np.zeros((0, 0))), make_table([[5], [7]])
    repeats = [Repeat("a", "r", 5, 6)]
    for table in (nothing, alone):
        reports = [
            criterion_report(table, draws=5),
            severity_report(table),
            drift_report(table, table),
            preference_report(make_table([[1, 0]]) if table is alone else nothing, draws=5),
            repeats_report(repeats, draws=5),
        ]
        json.dumps(reports, allow_nan=False)


def test_a_report_stops_where_its_check_raises(scores) -> None:
    calls = []

    def stop() -> None:
        calls.append(1)
        if len(calls) == 3:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        criterion_report(scores, 1, stop, draws=5)
    assert len(calls) == 3


def test_answers_are_counted_from_worse_to_better() -> None:
    found = preference_report(make_table([[1, 1], [0, -1], [1, GAP]]), draws=5)
    assert found["answers"] == [1, 1, 3]
