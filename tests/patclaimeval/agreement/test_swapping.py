"""Swapped scorers have the tau-b that scipy finds for their items."""

import numpy as np
import pytest
from scipy import stats

from patclaimeval.agreement import comparisons
from patclaimeval.agreement.comparisons import signed_ranks, swap_sums, swapped_tau_b
from tests.patclaimeval.agreement.samples import sample_of

RNG = np.random.default_rng(14)


def scorers(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels, a scorer with few ties, and one that ties most items."""
    y = RNG.integers(-1, 2, size=n)
    first = signed_ranks(np.round(RNG.normal(size=n) + y, 1))
    second = signed_ranks(np.round(RNG.normal(size=n) / 3 + y / 4))
    return y, first, second


def expected(
    swap: np.ndarray, y: np.ndarray, first: np.ndarray, second: np.ndarray, clusters: np.ndarray
) -> tuple[float, float]:
    is_swapped = swap[clusters].astype(bool)
    halves = np.where(is_swapped, second, first), np.where(is_swapped, first, second)
    one, other = (float(stats.kendalltau(half, y).statistic) for half in halves)
    return one, other


@pytest.mark.parametrize("references", [1, 2, 9, 60])
def test_both_tau_b_are_those_of_the_swapped_items(references) -> None:
    y, first, second = scorers(60)
    clusters = np.arange(60) % references
    swaps = RNG.integers(2, size=(20, references), dtype=np.int8)
    found = swapped_tau_b(swap_sums(sample_of(y, clusters), first, second), swaps)
    for place, swap in enumerate(swaps):
        pair = expected(swap, y, first, second, clusters)
        assert (found[0][place], found[1][place]) == pytest.approx(pair, abs=1e-9)


def test_of_many_references_the_sums_are_exact_but_for_a_small_mean(monkeypatch) -> None:
    references = 300
    y, first, second = scorers(4 * references)
    clusters = np.arange(len(y)) % references
    swaps = RNG.integers(2, size=(25, references), dtype=np.int8)
    swaps[0], swaps[1] = 0, 1
    sample = sample_of(y, clusters, resamples=1)
    near = swap_sums(sample, first, second)
    assert near.quadratic.shape == (2, 1, 1)
    one, other = swapped_tau_b(near, swaps)
    truth = np.array([expected(swap, y, first, second, clusters) for swap in swaps])
    assert (one[0], other[0]) == pytest.approx(tuple(truth[0]), abs=1e-9)
    assert (one[1], other[1]) == pytest.approx(tuple(truth[1]), abs=1e-9)
    found, differences = one - other, truth[:, 0] - truth[:, 1]
    assert found == pytest.approx(differences, rel=0.01, abs=1e-4)
    monkeypatch.setattr(comparisons, "MOST_PAIRED", references)
    whole = swap_sums(sample, first, second)
    assert whole.as_is == pytest.approx(whole.quadratic.sum(axis=(1, 2)), abs=1e-6)
    assert near.quadratic.ravel() == pytest.approx(np.trace(whole.quadratic, axis1=1, axis2=2))


def test_blocks_of_swaps_make_no_difference(monkeypatch) -> None:
    y, first, second = scorers(30)
    sums = swap_sums(sample_of(y, np.arange(30) % 6), first, second)
    swaps = RNG.integers(2, size=(11, 6), dtype=np.int8)
    whole = swapped_tau_b(sums, swaps)
    monkeypatch.setattr(comparisons, "CELLS_AT_ONCE", 12)
    parts = swapped_tau_b(sums, swaps)
    assert np.array_equal(whole, parts)


def test_a_scorer_without_order_has_no_tau_b_until_it_is_swapped() -> None:
    y, first, _ = scorers(30)
    sums = swap_sums(sample_of(y, np.arange(30) % 6), first, np.zeros(30))
    one, other = swapped_tau_b(sums, np.array([[0] * 6, [1, 0, 0, 0, 0, 0]], dtype=np.int8))
    assert np.isnan(other[0])
    assert np.isfinite([one[0], one[1], other[1]]).all()
