import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau, spearmanr

from patclaimeval.agreement import classification as words
from patclaimeval.agreement.correlation import tau_b, tau_b_labels
from patclaimeval.agreement.items import AgreementError
from tests.patclaimeval.agreement.samples import of_labels

spearman, tau_paper = of_labels("spearman"), of_labels("tau_paper")

LABELS = st.sampled_from((-1, 0, 1))
LABEL_PAIRS = st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=40)
SLOTS = {1: (1, 2), -1: (2, 1), 0: (1, 1)}

# Differences .4 .1 -.2 0 against labels 1 0 -1 1: of 6 pairs 4 agree in order (1-2, 1-3, 2-3,
# 3-4), 1 disagrees (2-4), 1 is tied in the labels only (1-4): (4 - 1) / sqrt(6 x 5).
DIFFERENCES, Y = [0.4, 0.1, -0.2, 0.0], [1, 0, -1, 1]
TAU_B = 3 / math.sqrt(6 * 5)


def test_each_correlation_by_hand() -> None:
    predicted = [1, 1, -1, 0]
    assert tau_b(DIFFERENCES, Y).value == pytest.approx(TAU_B, abs=1e-9)
    # Predicted 1 1 -1 0: 3 pairs agree, 1 disagrees, 1 is tied in each alone: 2 / sqrt(5 x 5).
    assert tau_b_labels(predicted, Y).value == pytest.approx(2 / 5, abs=1e-9)
    # Slots 12 12 21 11 against 12 11 21 12: rank 2 stands 3 times on both sides, twice together;
    # phi = (8 x 2 - 3 x 3) / (3 x 5).
    assert tau_paper(predicted, Y).value == pytest.approx(7 / 15, abs=1e-9)
    # Mid-ranks 3.5 3.5 1 2 and 3.5 2 1 3.5: 1 - .5 + 2.25 - .5 of 4.5, the sum of squares.
    assert spearman(predicted, Y).value == pytest.approx(2.25 / 4.5, abs=1e-9)


@given(LABEL_PAIRS)
def test_correlations_of_labels_equal_scipy(pairs) -> None:
    predicted, y = zip(*pairs, strict=True)
    flat = [[rank for label in side for rank in SLOTS[label]] for side in (predicted, y)]
    for own, constant, oracle in (
        (tau_b_labels(predicted, y), (predicted, y), lambda a, b: kendalltau(a, b).statistic),
        (spearman(predicted, y), (predicted, y), lambda a, b: spearmanr(a, b).statistic),
        (tau_paper(predicted, y), flat, lambda a, b: kendalltau(a, b).statistic),
    ):
        if any(len(set(side)) == 1 for side in constant):
            assert own.value is None
            assert own.reason
        else:
            assert own.value == pytest.approx(oracle(*constant), abs=1e-9)


@given(st.lists(st.tuples(st.integers(-9, 9), LABELS), min_size=1, max_size=40))
def test_tau_b_equals_scipy(pairs) -> None:
    differences, y = zip(*pairs, strict=True)
    found = tau_b(differences, y)
    if len(set(differences)) == 1 or len(set(y)) == 1:
        assert found.value is None
        assert found.reason
    else:
        assert found.value == pytest.approx(kendalltau(differences, y).statistic, abs=1e-9)


def test_a_constant_side_and_no_items_are_undefined_with_their_reason() -> None:
    assert tau_b([0.0, 0.0], [1, -1]) == words.Statistic(None, words.SAME_PREDICTION)
    assert tau_b([0.1, 0.2], [1, 1]) == words.Statistic(None, words.SAME_HUMAN_LABEL)
    assert tau_b_labels([1, 1], [1, -1]) == words.Statistic(None, words.SAME_PREDICTION)
    assert tau_paper([0, 0], [1, -1]) == words.Statistic(None, words.ALL_SCORER_TIES)
    assert spearman([1, -1], [0, 0]) == words.Statistic(None, words.SAME_HUMAN_LABEL)
    for own in (tau_b, tau_b_labels, tau_paper, spearman):
        assert own([], []) == words.Statistic(None, words.NO_ITEMS)


def test_bad_input_is_refused() -> None:
    with pytest.raises(AgreementError, match="as many differences"):
        tau_b([0.1], [1, 0])
    for wrong in (float("nan"), float("inf")):
        with pytest.raises(AgreementError, match="finite"):
            tau_b([wrong, 0.1], [1, 0])
