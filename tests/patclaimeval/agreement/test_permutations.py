from itertools import product

import numpy as np
import pytest
from scipy import stats

from patclaimeval.agreement import comparisons
from patclaimeval.agreement.comparisons import draw_swaps, permutation_p, signed_ranks
from tests.amounts import tries
from tests.patclaimeval.agreement.samples import sample_of

RNG = np.random.default_rng(5)
N, REFERENCES = 42, 7
CLUSTERS = np.arange(N) % REFERENCES
Y = RNG.integers(-1, 2, size=N)
GOOD = np.round(RNG.normal(size=N) + 0.9 * Y, 1)
POOR = np.round(RNG.normal(size=N) + 0.2 * Y, 1) * 40
SAMPLE = sample_of(Y, CLUSTERS)


def tau_difference(first: np.ndarray, second: np.ndarray) -> float:
    one, two = (stats.kendalltau(values, Y).statistic for values in (first, second))
    return float(one - two)


def test_signed_ranks_keep_the_order_and_forget_the_scale() -> None:
    assert signed_ranks(np.array([-3.0, 0.0, 0.5, 3.0, 7.0])).tolist() == [-3.5, 0, 2, 3.5, 5]
    assert (signed_ranks(GOOD) == signed_ranks(GOOD * 1000)).all()
    assert stats.kendalltau(signed_ranks(POOR), Y).statistic == pytest.approx(
        stats.kendalltau(POOR, Y).statistic, abs=1e-12
    )


def test_few_references_are_swapped_in_every_way_once() -> None:
    swaps = draw_swaps(SAMPLE, 1, seed=0)
    assert swaps.is_exact
    assert sorted(map(tuple, swaps.by_reference.tolist())) == sorted(
        product((0, 1), repeat=REFERENCES)
    )


def test_the_exact_p_is_that_of_swapping_item_by_item() -> None:
    first, second = signed_ranks(GOOD), signed_ranks(POOR)
    observed = abs(tau_difference(first, second))
    is_far = []
    for swap in product((0, 1), repeat=REFERENCES):
        is_swapped = np.array(swap, dtype=bool)[CLUSTERS]
        one, two = np.where(is_swapped, second, first), np.where(is_swapped, first, second)
        is_far.append(abs(tau_difference(one, two)) >= observed - 1e-12)
    expected = np.mean(is_far)
    assert 0 < expected < 1
    found = permutation_p(SAMPLE, GOOD, POOR, draw_swaps(SAMPLE, 1, seed=0))
    assert found == pytest.approx(expected, abs=1e-9)


def test_the_exact_p_is_that_of_scipy_where_each_item_is_a_reference() -> None:
    y, good, poor = Y[:10], GOOD[:10], POOR[:10]
    sample = sample_of(y, np.arange(10))

    def statistic(first: np.ndarray, second: np.ndarray) -> float:
        one, two = (stats.kendalltau(values, y).statistic for values in (first, second))
        return float(abs(one - two))

    expected = stats.permutation_test(
        (signed_ranks(good), signed_ranks(poor)),
        statistic,
        permutation_type="samples",
        alternative="greater",
        n_resamples=np.inf,
    )
    found = permutation_p(sample, good, poor, draw_swaps(sample, 1, seed=0))
    assert found == pytest.approx(expected.pvalue, abs=1e-9)


def test_drawn_swaps_come_near_the_exact_p_and_repeat_with_their_seed() -> None:
    many = sample_of(Y, np.arange(N) % 14)
    exact = permutation_p(SAMPLE, GOOD, POOR, draw_swaps(SAMPLE, 1, seed=0))
    drawn = draw_swaps(many, 1, seed=3)
    assert not drawn.is_exact
    assert drawn.count == 9_999
    assert (drawn.by_reference == draw_swaps(many, 1, seed=3).by_reference).all()
    assert (drawn.by_reference != draw_swaps(many, 1, seed=4).by_reference).any()
    # Swapping both halves of a reference together is one of the ways to swap 7 references.
    halves = drawn.by_reference[:, :7]
    together = type(drawn)(halves, False)
    assert permutation_p(SAMPLE, GOOD, POOR, together) == pytest.approx(exact, abs=0.02)


def test_identical_scorers_have_p_one_on_any_scale_and_one_without_order_has_none() -> None:
    assert permutation_p(SAMPLE, GOOD, GOOD * 7, draw_swaps(SAMPLE, 1, 0)) == 1.0
    assert np.isnan(permutation_p(SAMPLE, GOOD, np.zeros(N), draw_swaps(SAMPLE, 1, 0)))


def test_one_reference_can_show_nothing() -> None:
    sample = sample_of(Y, np.zeros(N))
    swaps = draw_swaps(sample, 1, 0)
    assert permutation_p(sample, GOOD, -GOOD, swaps) == 1.0
    assert swaps.smallest_p == 1.0


@pytest.mark.parametrize(("references", "smallest"), [(8, 2 / 2**8), (30, 1 / 10_000)])
def test_the_clearest_difference_reaches_the_smallest_p_which_is_never_zero(references, smallest):
    y = np.tile([1, -1, 0], references)
    sample = sample_of(y, np.repeat(np.arange(references), 3))
    swaps = draw_swaps(sample, 1, 0)
    found = permutation_p(sample, y.astype(float), -y.astype(float), swaps)
    assert found == pytest.approx(smallest)
    assert swaps.smallest_p == pytest.approx(smallest)


def test_many_references_get_fewer_swaps_but_never_too_few_for_holm(monkeypatch) -> None:
    # As 100,000 references have of what is really afforded.
    monkeypatch.setattr(comparisons, "MOST_CELLS", comparisons.MOST_CELLS // 100)
    sample = sample_of(np.zeros(1_000), np.arange(1_000), resamples=1)
    assert draw_swaps(sample, 1, 0).count == 500
    swaps = draw_swaps(sample, 45, 0)
    assert swaps.smallest_p * 45 < 0.05


def test_the_test_errs_as_often_as_alpha_allows_when_scorers_are_alike() -> None:
    random = np.random.default_rng(11)
    references, each, runs = 10, 6, tries(300)
    clusters = np.repeat(np.arange(references), each)
    found = []
    for _ in range(runs):
        y = random.integers(-1, 2, size=references * each)
        # What the two share, and what each reference does to either, makes items dependent.
        shared = 0.5 * y + random.normal(size=len(y))
        one, two = (
            shared + random.normal(size=references)[clusters] + random.normal(size=len(y))
            for _ in range(2)
        )
        sample = sample_of(y, clusters, resamples=1)
        found.append(permutation_p(sample, one, two, draw_swaps(sample, 1, 0)))
    false_alarms = int(np.count_nonzero(np.array(found) <= 0.05))
    low, high = stats.binom.ppf([0.001, 0.999], runs, 0.05)
    assert low <= false_alarms <= high
