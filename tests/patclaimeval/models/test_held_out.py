from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from patclaimeval.models.data import Pair, Quadruplet
from patclaimeval.models.encoder import load_encoder
from patclaimeval.models.errors import TrainingCancelled
from patclaimeval.models.finetune import score_differences, validation_tau
from patclaimeval.models.network import LinearHead, PairScorer

Items = list[Quadruplet]


def nothing(pairs: Sequence[Pair]) -> torch.Tensor:
    """No extra features."""
    return torch.zeros((len(pairs), 0))


@pytest.fixture
def network(tiny_bert: Path) -> PairScorer:
    found = PairScorer(load_encoder(str(tiny_bert), max_tokens=200), LinearHead(32), "cls")
    torch.nn.init.normal_(found.head.weight)
    return found


def test_swapped_items_give_opposite_differences(network, quadruplets) -> None:
    swapped = [replace(item, b=item.c, c=item.b, y=-item.y) for item in quadruplets]
    straight = score_differences(network, nothing, quadruplets)
    assert straight == pytest.approx(-score_differences(network, nothing, swapped))
    assert abs(straight).max() > 0


def test_parts_and_their_order_change_nothing(network, quadruplets) -> None:
    one_by_one = score_differences(network, nothing, quadruplets)
    backwards = score_differences(network, nothing, quadruplets, lambda pairs: [pairs[::-1]])
    assert backwards == pytest.approx(one_by_one, abs=1e-6)


def test_scoring_stops_between_two_parts(network, quadruplets) -> None:
    checks: list[int] = []

    def check() -> None:
        checks.append(1)
        if len(checks) == 3:
            raise TrainingCancelled("stopped by rita")

    with pytest.raises(TrainingCancelled):
        score_differences(network, nothing, quadruplets, check=check)
    assert len(checks) == 3


def test_nothing_held_out_has_no_tau(network) -> None:
    assert validation_tau(network, nothing, []) is None
