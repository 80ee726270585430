import numpy as np
import pytest

from patclaimeval.statistics.coefficients import component_rows, components_of_sums
from patclaimeval.statistics.tables import Table, shared_items
from tests.patclaimeval.statistics.conftest import TABLES, make_table, random_tables


def fast_components(table: Table) -> list[float]:
    sums = component_rows(table).sum(axis=0, keepdims=True)
    return [float(part[0]) for part in components_of_sums(sums)]


def slow_components(values: np.ndarray) -> np.ndarray | None:
    """Solve E[y'Qy] = sum of tr(Z'QZ) x variance for the three quadratic forms of method 1."""
    item, annotator = np.nonzero(~np.isnan(values))
    y = values[item, annotator]
    of_items = (item[:, None] == np.unique(item)).astype(float)
    of_annotators = (annotator[:, None] == np.unique(annotator)).astype(float)
    one, own = np.ones((len(y), 1)), np.eye(len(y))

    def onto(z: np.ndarray) -> np.ndarray:
        return z @ np.linalg.pinv(z)

    forms = (own - onto(of_items), own - onto(of_annotators), onto(of_items) - onto(one))
    sides = np.array([y @ form @ y for form in forms])
    matrix = np.array(
        [[np.trace(z.T @ form @ z) for z in (of_items, of_annotators, own)] for form in forms]
    )
    return np.linalg.solve(matrix, sides) if np.linalg.cond(matrix) < 1e8 else None


def test_components_equal_the_slow_solution_on_random_tables() -> None:
    compared = 0
    for table in random_tables():
        shared = shared_items(table)
        if len(shared.items) < 2:
            continue
        expected = slow_components(shared.values)
        if expected is not None:
            assert fast_components(shared)[:3] == pytest.approx(expected.tolist(), abs=1e-9)
            compared += 1
    assert compared > 0.8 * TABLES


def test_adding_a_constant_to_all_scores_changes_nothing() -> None:
    table = next(random_tables(1))
    shared = shared_items(table)
    moved = make_table(shared.values + 1e6, shared.clusters)
    assert fast_components(moved) == pytest.approx(fast_components(shared), abs=1e-6)
