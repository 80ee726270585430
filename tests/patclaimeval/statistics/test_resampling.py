import json
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.stats import t as student

from patclaimeval.statistics import resampling
from patclaimeval.statistics.coefficients import intraclass_correlations, krippendorff_alpha
from patclaimeval.statistics.resampling import Figure, divide, estimate, sums_by_cluster
from patclaimeval.statistics.tables import NOT_COMPUTED, Floats, Table, plain_estimate, scaled
from tests.patclaimeval.statistics.conftest import make_table, random_table, shuffled

MEAN = Figure(lambda sums: divide(sums[:, 0], sums[:, 1]), "No items.", 0.0, 10.0)


@pytest.fixture(autouse=True)
def few_are_below_forty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have small tables reach the bootstrap, which comes first with many references only."""
    monkeypatch.setattr(resampling, "SMALL_CLUSTER_COUNT", 40)


def mean_sums(values: list[float], clusters: list[str]) -> Floats:
    sums: Floats = sums_by_cluster(clusters, np.column_stack([values, np.ones(len(values))]))
    return sums


def many(count: int, seed: int = 0) -> Table:
    return random_table(np.random.default_rng(seed), 2 * count, 3)


def part(table: Table, drawn: list[str]) -> Table:
    """The table that a resample stands for: each reference as often as it was drawn."""
    rows = [i for name in drawn for i, own in enumerate(table.clusters) if own == name]
    repeats = [n for n, name in enumerate(drawn) for own in table.clusters if own == name]
    values = table.values[rows].reshape(-1, len(table.annotators))
    return make_table(values, [f"{n}" for n in repeats])


def used_references(table: Table) -> list[str]:
    """References with an item that two annotators rated."""
    return sorted({c for c, n in zip(table.clusters, table.counts, strict=True) if n >= 2})


def test_rows_of_one_reference_are_added_up_dense_or_sparse() -> None:
    rows = np.array([[1.0, 2], [3, 4], [5, 6]])
    assert sums_by_cluster("bab", rows).tolist() == [[3, 4], [6, 8]]
    assert sums_by_cluster("bab", csr_array(rows)).toarray().tolist() == [[3, 4], [6, 8]]


def test_each_resample_is_the_figure_of_the_references_drawn() -> None:
    table = many(45)
    found = krippendorff_alpha(table, "ordinal", draws=30, seed=4)
    used = used_references(table)
    assert found.clusters == len(used) >= 40
    weights = resampling.bootstrap_weights(len(used), 30, 4)
    assert weights.sum(axis=1).tolist() == [len(used)] * 30
    slow = []
    for row in weights:
        drawn = [name for name, times in zip(used, row, strict=True) for _ in range(times)]
        slow.append(krippendorff_alpha(part(table, drawn), "ordinal", draws=1).value)
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(slow, [0.025, 0.975])))
    assert found.interval == resampling.BOOTSTRAP


def test_each_jackknife_value_is_the_figure_without_a_reference() -> None:
    table = many(12)
    found = intraclass_correlations(table).single
    names = used_references(table)
    slow = []
    for left_out in names:
        rest = part(table, [name for name in names if name != left_out])
        slow.append(intraclass_correlations(rest).single.value)
    values = np.array(slow, dtype=float)
    error = np.sqrt((len(values) - 1) * np.mean((values - values.mean()) ** 2))
    half = student.ppf(0.975, len(values) - 1) * error
    assert found.value is not None
    assert found.low == pytest.approx(found.value - half, abs=1e-9)
    assert found.high == pytest.approx(min(1, found.value + half), abs=1e-9)


def test_the_same_seed_gives_the_same_interval_in_any_order_of_items() -> None:
    table = many(50)
    one, two = (krippendorff_alpha(t, "interval", 300, 5) for t in (table, shuffled(table)))
    assert (one.low, one.high) == pytest.approx((two.low, two.high), abs=1e-9)
    assert krippendorff_alpha(table, "interval", 300, 5) == one
    assert krippendorff_alpha(table, "interval", 300, 6).low != one.low


def test_more_draws_than_a_block_are_all_used() -> None:
    draws = 2 * resampling.BLOCK + 7
    values = resampling.bootstrap_values(mean_sums([1, 2, 3], list("abc")), MEAN, draws, 0)
    assert len(values) == draws
    assert np.ptp(values) > 0


def test_items_of_one_reference_are_drawn_together() -> None:
    random = np.random.default_rng(8)
    values = np.repeat(random.uniform(0, 10, 50), 10).tolist()
    together: Any = estimate(mean_sums(values, [str(i // 10) for i in range(500)]), MEAN, 500)
    apart: Any = estimate(mean_sums(values, [str(i) for i in range(500)]), MEAN, 500)
    assert together.high - together.low > 2 * (apart.high - apart.low)


@pytest.mark.parametrize(
    ("values", "clusters", "reason"),
    [
        ([1, 2], ["a", "a"], resampling.ONE_REFERENCE),
        ([3, 3], ["a", "b"], resampling.NO_SPREAD),
        ([3.0] * 50, [str(i) for i in range(50)], resampling.NO_SPREAD),
    ],
    ids=["one reference", "jackknife", "bootstrap"],
)
def test_a_value_without_an_interval_says_why(values, clusters, reason) -> None:
    found = estimate(mean_sums(values, clusters), MEAN, len(values))
    assert found.value == pytest.approx(np.mean(values))
    assert (found.low, found.high, found.interval) == (None, None, "")
    assert found.reason == reason


def test_a_figure_that_rests_on_one_reference_has_no_interval() -> None:
    found = krippendorff_alpha(make_table([[4, 4], [4, 4], [1, 4]]), "nominal")
    assert (found.low, found.reason) == (None, resampling.UNDEFINED_WITHOUT_ONE)
    rare = krippendorff_alpha(make_table([[4, 4]] * 60 + [[1, 4]]), "nominal")
    assert (rare.low, rare.reason) == (None, resampling.UNDEFINED_RESAMPLES)


def test_nothing_at_all_is_undefined() -> None:
    found = estimate(np.zeros((0, 2)), MEAN, 0)
    assert (found.value, found.reason) == (None, "No items.")


@pytest.mark.parametrize("count", [5, 45], ids=["few references", "many references"])
def test_a_figure_that_is_no_finite_number_is_undefined_in_words(count) -> None:
    sums = np.column_stack([np.arange(1.0, count + 1), np.ones(count)])

    def endless(sums: np.ndarray) -> np.ndarray:
        return np.full(len(sums), np.inf)

    found = estimate(sums, Figure(endless, ""), count, draws=20)
    assert (found.value, found.low, found.high) == (None, None, None)
    assert found.reason == NOT_COMPUTED


@pytest.mark.parametrize("count", [5, 45], ids=["few references", "many references"])
def test_an_interval_that_overflows_is_left_out_in_words(count) -> None:
    sums = np.column_stack([np.arange(1.0, count + 1), np.ones(count)])

    def overflows(sums: np.ndarray) -> np.ndarray:
        return sums[:, 0] * 1e200

    figure = Figure(overflows, "", highest=np.inf)
    found = estimate(sums, figure, count, draws=20)
    stored = plain_estimate("sum", found)
    assert stored["value"] == found.value == 1e200 * sums[:, 0].sum()
    json.dumps(stored, allow_nan=False)
    assert bool(stored["reason"]) == (found.low is None)


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_what_json_cannot_hold_is_stored_as_none(number) -> None:
    assert scaled(number, 11) is None
