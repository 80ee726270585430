import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, f1_score

from patclaimeval.agreement import classification as words
from patclaimeval.agreement.classification import predicted_labels
from patclaimeval.agreement.items import AgreementError
from tests.patclaimeval.agreement.samples import of_labels

accuracy, decisive_accuracy = of_labels("accuracy"), of_labels("decisive_accuracy")
f1_macro, f1_weighted = of_labels("f1_macro"), of_labels("f1_weighted")

LABELS = st.sampled_from((-1, 0, 1))

# Per class (human, predicted, shared): -1 (2, 1, 1), 0 (1, 2, 1), 1 (3, 3, 2).
Y = [-1, -1, 0, 1, 1, 1]
PREDICTED = [-1, 1, 0, 1, 1, 0]
F1 = (2 / 3, 2 / 3, 4 / 6)


def test_a_difference_at_the_threshold_is_a_tie() -> None:
    labels = predicted_labels([0.2, 1e-4, 1.1e-4, 0.0, -1e-4, -0.3], 1e-4)
    assert labels.tolist() == [1, 0, 1, 0, 0, -1]
    assert predicted_labels([1e-12, 0.0, -1e-12], 0.0).tolist() == [1, 0, -1]


@pytest.mark.parametrize("threshold", [-0.1, float("nan")])
def test_a_threshold_below_zero_is_refused(threshold) -> None:
    with pytest.raises(AgreementError, match="0 or more"):
        predicted_labels([0.1], threshold)


def test_shares_by_hand() -> None:
    assert accuracy(PREDICTED, Y).value == pytest.approx(4 / 6, abs=1e-9)
    assert f1_macro(PREDICTED, Y).value == pytest.approx(sum(F1) / 3, abs=1e-9)
    weighted = (2 * F1[0] + 1 * F1[1] + 3 * F1[2]) / 6
    assert f1_weighted(PREDICTED, Y).value == pytest.approx(weighted, abs=1e-9)
    # Five items with a human preference; three found again, one turned round, one called a tie.
    assert decisive_accuracy(PREDICTED, Y).value == pytest.approx(3 / 5, abs=1e-9)


def test_a_class_that_nobody_uses_is_left_out_of_macro_f1() -> None:
    assert f1_macro([1, -1], [1, -1]).value == 1.0
    assert f1_macro([1, 0], [1, -1]).value == pytest.approx(1 / 3, abs=1e-9)


@given(st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=40))
def test_shares_equal_scikit_learn(pairs) -> None:
    predicted, y = zip(*pairs, strict=True)
    assert accuracy(predicted, y).value == pytest.approx(accuracy_score(y, predicted), abs=1e-9)
    for own, average in ((f1_weighted, "weighted"), (f1_macro, "macro")):
        expected = f1_score(y, predicted, average=average, zero_division=0)
        assert own(predicted, y).value == pytest.approx(expected, abs=1e-9)


def test_undefined_shares_say_why() -> None:
    assert decisive_accuracy([1, 0], [0, 0]) == words.Statistic(None, words.NO_DECISION)
    for share in (accuracy, f1_weighted, f1_macro, decisive_accuracy):
        assert share([], []) == words.Statistic(None, words.NO_ITEMS)
