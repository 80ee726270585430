import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from patclaimeval.models.network import margin_tolerance_loss

SCORE = st.floats(0.001, 0.999)
LABEL = st.sampled_from([1, 0, -1])


@pytest.mark.parametrize(
    ("b", "c", "label", "expected"),
    [
        (0.7, 0.4, 1, 0.0),
        (0.5, 0.4, 1, 0.1),
        (0.4, 0.5, 1, 0.3),
        (0.4, 0.5, -1, 0.1),
        (0.2, 0.9, -1, 0.0),
        (0.50, 0.53, 0, 0.0),
        (0.5, 0.6, 0, 0.05),
        (0.6, 0.5, 0, 0.05),
    ],
)
def test_loss_matches_cases_worked_by_hand(b, c, label, expected) -> None:
    scores = torch.tensor([b], dtype=torch.double), torch.tensor([c], dtype=torch.double)
    loss = margin_tolerance_loss(*scores, torch.tensor([label]), 0.2, 0.05)
    assert float(loss) == pytest.approx(expected, abs=1e-12)


@given(st.lists(st.tuples(SCORE, SCORE, LABEL), min_size=1, max_size=8))
def test_swapping_candidates_and_label_changes_nothing(items) -> None:
    b, c, y = (torch.tensor(column, dtype=torch.double) for column in zip(*items, strict=True))
    straight = margin_tolerance_loss(b, c, y, 0.2, 0.05)
    assert torch.equal(straight, margin_tolerance_loss(c, b, -y, 0.2, 0.05))


@given(SCORE, SCORE, LABEL)
def test_loss_is_zero_exactly_where_margin_or_tolerance_holds(b, c, y) -> None:
    of_b, of_c = (torch.tensor([one], dtype=torch.double) for one in (b, c))
    loss = margin_tolerance_loss(of_b, of_c, torch.tensor([y]), 0.2, 0.05)
    held = abs(b - c) <= 0.05 if y == 0 else y * (b - c) >= 0.2
    assert (float(loss) == 0.0) == held


def test_gradient_agrees_with_finite_differences() -> None:
    b = torch.tensor([0.5, 0.4, 0.6, 0.9], dtype=torch.double, requires_grad=True)
    c = torch.tensor([0.4, 0.5, 0.3, 0.1], dtype=torch.double, requires_grad=True)
    labels = torch.tensor([1, -1, 0, 1])
    assert torch.autograd.gradcheck(
        lambda left, right: margin_tolerance_loss(left, right, labels, 0.2, 0.05), (b, c)
    )
