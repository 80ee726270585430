from statistics import mean
from typing import Any

import numpy as np
import pytest
from scipy.stats import t as student
from sklearn.metrics import cohen_kappa_score

from patclaimeval.statistics import resampling
from patclaimeval.statistics import tables as reasons
from patclaimeval.statistics.coefficients import CONSTANT, NO_PAIR, TOO_FEW_PAIRS, quadratic_kappas
from patclaimeval.statistics.tables import Table
from tests.patclaimeval.statistics.conftest import GAP, make_table, random_tables


def common_scores(table: Table, a: int, b: int) -> tuple[list[int], list[int]]:
    both = table.values[~np.isnan(table.values[:, [a, b]]).any(axis=1)][:, [a, b]].astype(int)
    return both[:, 0].tolist(), both[:, 1].tolist()


def test_kappas_equal_scikit_learns_on_random_tables() -> None:
    undefined = 0
    for table in random_tables():
        place = {name: j for j, name in enumerate(table.annotators)}
        found = quadratic_kappas(table, least_items=1)
        expected = {}
        for pair in found.pairs:
            x, y = common_scores(table, place[pair.first], place[pair.second])
            is_constant = len(set(x)) < 2 or len(set(y)) < 2
            value = None
            if not is_constant:
                value = cohen_kappa_score(x, y, weights="quadratic", labels=list(range(11)))
            expected[pair.first, pair.second] = value
            undefined += value is None
            assert pair.estimate.n == len(x)
            assert pair.estimate.value == (
                None if value is None else pytest.approx(value, abs=1e-9)
            )
        defined = [value for value in expected.values() if value is not None]
        assert found.mean.n == len(defined)
        assert found.mean.value == (pytest.approx(mean(defined), abs=1e-9) if defined else None)
    assert undefined > 0


def test_a_pair_with_few_common_items_has_no_kappa_and_is_left_out_of_the_mean() -> None:
    values = [[0, 0, GAP], [1, 2, GAP], [2, 2, GAP], [4, 3, GAP], [5, 5, GAP], [GAP, 1, 9]]
    found = quadratic_kappas(make_table(values))
    assert [pair.estimate.reason for pair in found.pairs][1] == TOO_FEW_PAIRS
    assert found.pairs[1].estimate.value is None
    assert found.mean.n == 1
    assert found.mean.value == found.pairs[0].estimate.value


def test_the_mean_over_many_pairs_of_few_items_lies_within_its_interval() -> None:
    random = np.random.default_rng(11)
    values = np.rint(random.uniform(2, 9, (600, 1)) + random.normal(0, 1.5, (600, 12))).clip(0, 10)
    for row in values:
        row[random.permutation(12)[2:]] = np.nan
    mean_kappa: Any = quadratic_kappas(make_table(values)).mean
    assert mean_kappa.n > 60
    assert mean_kappa.clusters > 500
    middle = (mean_kappa.low + mean_kappa.high) / 2
    assert middle == pytest.approx(mean_kappa.value, abs=1e-9)
    assert mean_kappa.interval == resampling.JACKKNIFE_T


def test_a_pair_that_a_resample_leaves_constant_drops_out_of_its_mean() -> None:
    # Without the last item the first annotator and the third have one score each.
    values = np.array([[0, 0, GAP], [1, 2, GAP], [2, 2, GAP], [2, GAP, 5], [2, GAP, 5], [9, 8, 7]])
    found: Any = quadratic_kappas(make_table(values), least_items=2).mean
    slow: list[Any] = [
        quadratic_kappas(make_table(np.delete(values, i, axis=0)), least_items=2).mean.value
        for i in range(6)
    ]
    error = np.sqrt(5 * np.var(slow))
    assert found.n == 2
    assert found.low == pytest.approx(max(-1, found.value - student.ppf(0.975, 5) * error))


def test_a_constant_annotator_and_no_overlap_have_their_reasons() -> None:
    found = quadratic_kappas(make_table([[5, i] for i in range(6)]))
    assert (found.pairs[0].estimate.value, found.pairs[0].estimate.reason) == (None, CONSTANT)
    assert (found.mean.value, found.mean.reason) == (None, NO_PAIR)
    found = quadratic_kappas(make_table([[1, GAP], [GAP, 1]]))
    assert found.pairs == ()
    assert found.mean.reason == reasons.NO_OVERLAP
