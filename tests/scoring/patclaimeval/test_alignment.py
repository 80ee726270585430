"""Tests of the alignment features on states small enough to work by hand."""

from __future__ import annotations

import pytest
import torch

from scoring.patclaimeval.features import alignment_features


def test_a_text_is_fully_aligned_with_itself() -> None:
    states = [torch.randn(5, 8, generator=torch.Generator().manual_seed(0))]
    found = alignment_features(states, states, (3,))
    assert found["align3_p"] == found["align3_r"] == pytest.approx(1.0)
    assert found["align3_p_lost"] == found["align3_r_lost"] == 0.0


def test_a_lost_token_lowers_recall_and_not_precision() -> None:
    reference = [torch.tensor([[2.0, 0.0], [0.0, 1.0]])]
    candidate = [torch.tensor([[1.0, 0.0]])]
    found = alignment_features(reference, candidate, (6,))
    assert found["align6_p"] == pytest.approx(1.0)
    assert found["align6_r"] == pytest.approx(0.5)
    assert found["align6_f"] == pytest.approx(2 / 3)
    assert found["align6_r_lost"] == pytest.approx(0.5)
