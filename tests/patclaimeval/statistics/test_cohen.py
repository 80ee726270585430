import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from patclaimeval.statistics.coefficients import CONSTANT, NO_PAIR, cohen_kappas
from patclaimeval.statistics.tables import Table
from tests.amounts import tries
from tests.patclaimeval.statistics.conftest import GAP, make_table


def random_answers(random: np.random.Generator) -> Table:
    """Answers -1, 0 and 1 that agree somewhat, some of them missing."""
    items, annotators = int(random.integers(3, 20)), int(random.integers(2, 5))
    truth = random.integers(-1, 2, size=(items, 1))
    other = random.integers(-1, 2, size=(items, annotators))
    values = np.where(random.random((items, annotators)) < 0.5, truth, other).astype(float)
    values[random.random((items, annotators)) < 0.2] = GAP
    return make_table(values, [f"reference {i // 2:04}" for i in range(items)])


def test_kappas_equal_scikit_learns_on_random_tables() -> None:
    random = np.random.default_rng(5)
    compared = 0
    for _ in range(tries(300)):
        table = random_answers(random)
        found = cohen_kappas(table, least_items=1, draws=10)
        defined = []
        for pair in found.pairs:
            columns = [table.annotators.index(name) for name in (pair.first, pair.second)]
            both = table.values[~np.isnan(table.values[:, columns]).any(axis=1)][:, columns]
            if (both.min(axis=0) == both.max(axis=0)).any():
                assert (pair.estimate.value, pair.estimate.reason) == (None, CONSTANT)
                continue
            oracle = cohen_kappa_score(both[:, 0].astype(int), both[:, 1].astype(int))
            assert pair.estimate.value == pytest.approx(oracle, abs=1e-9)
            defined.append(oracle)
        compared += len(defined)
        expected = pytest.approx(np.mean(defined), abs=1e-9) if defined else None
        assert found.mean.value == expected
    assert compared > tries(500)


def test_a_constant_annotator_has_a_reason() -> None:
    found = cohen_kappas(make_table([[0, i % 2] for i in range(6)]))
    assert found.pairs[0].estimate.reason == CONSTANT
    assert (found.mean.value, found.mean.reason) == (None, NO_PAIR)
