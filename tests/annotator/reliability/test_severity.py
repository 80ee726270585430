from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from annotator.reliability.severity import (
    NO_ERROR,
    NO_REST,
    NORMAL,
    UNLINKED,
    component_numbers,
    fit_additive,
    severities,
    severity_report,
)
from patclaimeval.statistics.tables import Table
from tests.amounts import tries
from tests.patclaimeval.statistics.conftest import GAP, make_table, random_tables, shuffled


def made_scores(random: np.random.Generator, strict: np.ndarray, items: int) -> np.ndarray:
    values = random.normal(5, 2, (items, 1)) - strict + random.normal(0, 1, (items, len(strict)))
    for row in values:
        row[random.permutation(len(strict))[3:]] = np.nan
    return values


def test_severity_and_adjusted_scores_by_hand() -> None:
    # The second annotator is 2 points below the first, the third was only with the second.
    report = severities(make_table([[6, 4, GAP], [8, 6, GAP], [GAP, 5, 6], [GAP, GAP, 9]]))
    values = [person.value for person in report.severities]
    assert values == pytest.approx([-1, 1, 0])
    assert [score.raw for score in report.scores] == pytest.approx([5, 7, 5.5, 9])
    assert [score.adjusted for score in report.scores] == pytest.approx([5, 7, 6, 9])
    assert [person.n for person in report.severities] == [2, 3, 1]
    assert report.warning == ""


def test_severities_come_back_with_honest_standard_errors() -> None:
    random = np.random.default_rng(2)
    strict = np.array([-1.5, -0.5, 0.0, 0.5, 1.5])
    inside = total = 0
    for _ in range(60):
        report: Any = severities(make_table(made_scores(random, strict, 80)))
        for person, true in zip(report.severities, strict, strict=True):
            inside += abs(person.value - true) <= 1.96 * person.standard_error
            total += 1
    assert 0.91 <= inside / total <= 0.985


def test_standard_errors_equal_dense_least_squares() -> None:
    for table in random_tables(tries(100), seed=6):
        slow = dense_fit(table)
        for person in severities(table).severities:
            if person.standard_error is not None:
                place = table.annotators.index(person.annotator)
                expected = slow["sd"] * np.sqrt(slow["variances"][place])
                assert person.standard_error == pytest.approx(expected, abs=1e-9)


def test_an_erratic_annotator_has_a_large_misfit_and_the_others_about_one() -> None:
    random = np.random.default_rng(3)
    values = random.normal(5, 2, (300, 1)) + random.normal(0, 1, (300, 4))
    values[:, 3] += random.normal(0, 3, 300)
    misfits: list[Any] = [person.misfit for person in severities(make_table(values)).severities]
    assert misfits[3] > 1.5
    assert max(misfits[:3]) < 1


def test_annotators_apart_are_compared_within_their_group_only() -> None:
    # Everything in the second group lies 5 lower: that may be its items or its people.
    values = [[9, 8, GAP, GAP], [7, 6, GAP, GAP], [GAP, GAP, 3, 2], [GAP, GAP, 4, 3]]
    report = severities(make_table(values))
    assert [person.value for person in report.severities] == pytest.approx([-0.5, 0.5, -0.5, 0.5])
    assert report.groups == 2
    assert "2 groups" in report.warning


def test_who_shares_no_item_has_no_severity_and_no_adjusted_scores() -> None:
    report = severities(make_table([[9, 8, GAP], [7, 5, GAP], [GAP, GAP, 3]]))
    last = report.severities[2]
    assert (last.value, last.standard_error, last.misfit, last.n) == (None, None, None, 0)
    assert last.reason == UNLINKED
    assert (report.scores[2].raw, report.scores[2].adjusted) == (3, None)


def test_too_few_ratings_and_a_perfect_fit_have_no_standard_error() -> None:
    few = severities(make_table([[9, 8]])).severities[0]
    assert few.value == pytest.approx(-0.5)
    assert (few.standard_error, few.reason) == (None, NO_ERROR)
    perfect = severities(make_table([[9, 8], [5, 4], [3, 2]])).severities[0]
    assert perfect.value == pytest.approx(-0.5)
    assert (perfect.standard_error, perfect.misfit) == (None, None)
    assert perfect.reason == NO_REST


def test_the_order_of_items_and_annotators_changes_no_severity() -> None:
    for table in random_tables(tries(50), seed=1):
        one = [p.value for p in severities(table).severities if p.value is not None]
        two = [p.value for p in severities(shuffled(table)).severities if p.value is not None]
        assert sorted(one) == pytest.approx(sorted(two), abs=1e-9)


def dense_fit(table: Table) -> dict[str, Any]:
    """Marks for each item and annotator; one heavy row a group holds the sum of effects at 0."""
    item, annotator = np.nonzero(table.is_rated)
    y = table.values[item, annotator]
    of_items = item[:, None] == np.arange(len(table.items))
    of_people = annotator[:, None] == np.arange(len(table.annotators))
    marks = np.column_stack([of_items, of_people]).astype(float)
    groups = component_numbers(table)
    sums = (groups == np.unique(groups)[:, None]).astype(float)
    padded = np.column_stack([np.zeros((len(sums), len(table.items))), sums])
    both = np.vstack([marks, padded])
    estimates = np.linalg.lstsq(both, np.concatenate([y, np.zeros(len(sums))]))[0]
    rank = np.linalg.matrix_rank(marks)
    rest = y - marks @ estimates
    # Lagrange: the covariance under the constraint is the upper corner of the bordered inverse.
    inverse = np.linalg.pinv(both.T @ both)
    covariance = inverse @ marks.T @ marks @ inverse
    hat = np.diag(marks @ np.linalg.pinv(marks.T @ marks) @ marks.T)
    freedom = len(y) - rank
    return {
        "items": estimates[: len(table.items)],
        "effects": estimates[len(table.items) :],
        "variances": np.diag(covariance)[len(table.items) :],
        "rest": rest,
        "hat": hat,
        "sd": np.sqrt(rest @ rest / freedom) if freedom else np.nan,
    }


def test_the_fit_equals_dense_least_squares_on_random_tables() -> None:
    for table in random_tables(tries(400)):
        fast, slow = fit_additive(table), dense_fit(table)
        used = table.is_rated.any(axis=0)
        rated = table.is_rated.any(axis=1)
        shown = table.is_rated
        assert np.allclose(fast.effects[used], slow["effects"][used], atol=1e-9)
        assert np.allclose(fast.item_effects[rated], slow["items"][rated], atol=1e-9)
        assert np.allclose(np.diag(fast.unit_covariance)[used], slow["variances"][used], atol=1e-9)
        assert np.allclose(fast.residuals[shown], slow["rest"], atol=1e-9)
        assert np.allclose(fast.leverages[shown], slow["hat"], atol=1e-9)
        assert (fast.residual_sd is None) == bool(np.isnan(slow["sd"]))
        if fast.residual_sd is not None:
            assert fast.residual_sd == pytest.approx(slow["sd"], abs=1e-9)


def ordinary_least_squares(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Severities, standard errors and item effects of linked annotators, by dummy coding.

    The first annotator has no column, so the design has full rank and its normal equations have
    one solution; the effects are centred afterwards.
    """
    item, annotator = np.nonzero(~np.isnan(values))
    items, people = values.shape
    rows = np.arange(len(item))
    places = (np.concatenate([rows, rows]), np.concatenate([item, items + annotator]))
    marks = csr_array((np.ones(2 * len(rows)), places), shape=(len(rows), items + people))
    design = marks[:, np.arange(items + people) != items]
    y = values[item, annotator]
    normal = (design.T @ design).toarray()
    of_people = np.eye(len(normal))[:, items:]
    solved = np.linalg.solve(normal, np.column_stack([design.T @ y, of_people]))
    estimates, inverse = solved[:, 0], solved[:, 1:]
    rest = y - design @ estimates
    variance = rest @ rest / (len(y) - design.shape[1])
    with_first = np.concatenate([[0.0], estimates[items:]])
    centring = np.eye(people) - 1 / people
    covariance = np.zeros((people, people))
    covariance[1:, 1:] = inverse[items:] * variance
    errors = np.sqrt(np.diag(centring @ covariance @ centring))
    item_effects = estimates[:items] + with_first.mean()
    return -(with_first - with_first.mean()), errors, item_effects


@pytest.mark.parametrize(
    ("annotators", "candidates"),
    [(2, 30), (3, 60), (3, 100), (3, 200), (4, 150), (5, 245), (7, 400), (10, 2_000)],
)
@pytest.mark.parametrize("missing", [0.0, 0.5], ids=["complete", "incomplete"])
def test_severities_equal_ordinary_least_squares_at_any_size(
    annotators: int, candidates: int, missing: float
) -> None:
    random = np.random.default_rng(annotators * candidates)
    for _ in range(1 if candidates > 1_000 else tries(20, 5)):
        truth = random.uniform(0, 10, (candidates, 1)) + random.normal(0, 1, annotators)
        noise = random.normal(0, 1.5, (candidates, annotators))
        values = np.clip(np.rint(truth + noise), 0, 10)
        values[random.random(values.shape) < missing] = np.nan
        values = values[~np.isnan(values).all(axis=1)]
        expected, errors, item_effects = ordinary_least_squares(values)
        table = make_table(values)
        report: Any = severity_report(table)
        assert report["groups"] == 1
        for place, person in enumerate(report["people"]):
            value, half = expected[place], NORMAL * errors[place]
            found = [person[key] for key in ("severity", "low", "high", "adjusted_mean")]
            mean = np.nanmean(values[:, place])
            assert found == pytest.approx(
                [value, value - half, value + half, mean + value], abs=1e-9
            )
        assert np.allclose(fit_additive(table).item_effects, item_effects, rtol=0, atol=1e-9)


def test_no_ratings_fit_nothing() -> None:
    fit = fit_additive(make_table(np.zeros((0, 0))))
    assert (len(fit.effects), fit.residual_sd) == (0, None)


@pytest.mark.parametrize(
    ("values", "groups"),
    [
        ([[1, 2, GAP], [GAP, 3, 4]], 1),
        ([[1.0]], 1),
        ([[GAP, GAP]], 0),
        ([[1, GAP, GAP, GAP], [GAP, 2, 3, GAP]], 2),
        ([[1, 2, GAP, GAP], [GAP, GAP, 3, 4], [5, GAP, GAP, GAP]], 2),
    ],
    ids=["a chain of shared items", "one", "none", "one rated nothing", "no shared item"],
)
def test_groups_without_a_shared_item_are_counted_and_warned_of(values, groups) -> None:
    report = severities(make_table(values))
    assert report.groups == groups
    assert ("2 groups" in report.warning) == (groups == 2) and bool(report.warning) == (groups == 2)
