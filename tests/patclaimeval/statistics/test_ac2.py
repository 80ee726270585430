from itertools import permutations

import numpy as np
import pytest

from patclaimeval.statistics import tables as reasons
from patclaimeval.statistics.coefficients import Weights, agreement_weights, gwet_ac2
from patclaimeval.statistics.resampling import NO_SPREAD
from patclaimeval.statistics.tables import ReliabilityError
from tests.patclaimeval.statistics.conftest import GAP, KRIPPENDORFF, make_table, random_tables

KINDS: tuple[Weights, ...] = ("identity", "ordinal", "quadratic")


def slow_weight(kind: str, a: int, b: int, highest: int) -> float:
    distance = abs(a - b)
    if kind == "identity":
        return float(distance == 0)
    if kind == "quadratic":
        return 1 - distance**2 / highest**2
    # Pairs of values from the lower to the higher one, over all pairs of the scale.
    return 1 - len(list(permutations(range(distance + 1), 2))) / (highest * (highest + 1))


def slow_ac2(values: np.ndarray, kind: str, highest: int) -> float | None:
    """Gwet's coefficient from counts r_ik of annotators who gave item i the value k."""
    scale = range(highest + 1)
    counts = [[int(np.sum(row == k)) for k in scale] for row in values]
    counts = [row for row in counts if sum(row)]
    weight = [[slow_weight(kind, a, b, highest) for b in scale] for a in scale]
    agreements = []
    for row in counts:
        r = sum(row)
        if r >= 2:
            weighted = [sum(weight[k][x] * row[x] for x in scale) for k in scale]
            agreements.append(sum(row[k] * (weighted[k] - 1) for k in scale) / (r * (r - 1)))
    if not agreements:
        return None
    pa = sum(agreements) / len(agreements)
    p = [sum(row[k] / sum(row) for row in counts) / len(counts) for k in scale]
    total = sum(map(sum, weight))
    pe = total / ((highest + 1) * highest) * sum(p_k * (1 - p_k) for p_k in p)
    return (pa - pe) / (1 - pe)


def test_ac1_equals_the_published_example() -> None:
    # The documentation of Gwet's R package irrCAC prints 0.77544 for these ratings.
    estimate = gwet_ac2(make_table(KRIPPENDORFF - 1), "identity", highest=4)
    assert estimate.value == pytest.approx(0.77544, abs=5e-6)
    assert estimate.n == 11


@pytest.mark.parametrize("kind", KINDS)
def test_weights_equal_their_definition(kind) -> None:
    found = agreement_weights(kind, 10)
    for a in range(11):
        for b in range(11):
            assert found[a, b] == pytest.approx(slow_weight(kind, a, b, 10), abs=1e-12)


def test_ordinal_weights_of_three_values_are_the_published_ones() -> None:
    # irrCAC's vignette on weights: 1 .667 0.
    assert agreement_weights("ordinal", 2)[0].tolist() == pytest.approx([1, 2 / 3, 0])


@pytest.mark.parametrize("kind", KINDS)
def test_ac2_equals_its_definition_on_random_tables(kind) -> None:
    for table in random_tables():
        expected = slow_ac2(table.values, kind, 10)
        value = gwet_ac2(table, kind).value
        assert value == (None if expected is None else pytest.approx(expected, abs=1e-9))


def test_items_with_one_score_count_in_the_chance_term_only() -> None:
    with_single = gwet_ac2(make_table([[0, 0], [0, 1], [9, GAP]]))
    without = gwet_ac2(make_table([[0, 0], [0, 1]]))
    assert with_single.n == without.n == 2
    assert with_single.value != without.value


def test_one_value_throughout_has_no_interval_and_no_overlap_no_value() -> None:
    estimate = gwet_ac2(make_table([[4, 4], [4, 4], [4, 4]]))
    assert estimate.value == 1.0
    assert (estimate.low, estimate.high, estimate.reason) == (None, None, NO_SPREAD)
    estimate = gwet_ac2(make_table([[4, GAP], [GAP, 4]]))
    assert (estimate.value, estimate.reason) == (None, reasons.NO_OVERLAP)


@pytest.mark.parametrize("score", [-1, 11, 2.5])
def test_a_score_off_the_scale_is_refused(score) -> None:
    with pytest.raises(ReliabilityError):
        gwet_ac2(make_table([[4, score]]))


def test_overall_numerators_have_their_own_scale() -> None:
    assert gwet_ac2(make_table([[110, 99], [0, 11]]), highest=110).value is not None
