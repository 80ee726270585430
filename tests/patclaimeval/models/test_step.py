from collections.abc import Sequence
from pathlib import Path

import pytest
import torch

from patclaimeval.models.config import TrainingSettings
from patclaimeval.models.data import Pair, Quadruplet
from patclaimeval.models.encoder import load_encoder
from patclaimeval.models.errors import TrainingFailed
from patclaimeval.models.finetune import batch_losses, read_steps, take_step
from patclaimeval.models.network import LinearHead, PairScorer, margin_tolerance_loss
from tests.patclaimeval.models.test_held_out import nothing

Items = list[Quadruplet]
SETTINGS = TrainingSettings("overall_quality", method="finetune").resolved()


@pytest.fixture
def network(tiny_bert: Path) -> PairScorer:
    torch.manual_seed(0)
    head = LinearHead(32, clip=1e6)
    torch.nn.init.normal_(head.weight)
    return PairScorer(load_encoder(str(tiny_bert), max_tokens=200), head, "mean")


@pytest.mark.parametrize("sizes", [(3,), (1, 1, 1), (2, 1)])
def test_a_step_in_parts_follows_the_gradient_of_the_mean_loss(sizes, network, quadruplets) -> None:
    part = quadruplets[:3]
    scores = [network(list(item.pairs), nothing(item.pairs)) for item in part]
    b, c = torch.stack([s[0] for s in scores]), torch.stack([s[1] for s in scores])
    labels = torch.tensor([item.y for item in part])
    expected = margin_tolerance_loss(b, c, labels, 0.2, 0.05).mean()
    wanted = torch.autograd.grad(expected, list(network.parameters()), allow_unused=True)
    ends = [sum(sizes[: i + 1]) for i in range(len(sizes))]
    chunks = [part[end - size : end] for end, size in zip(ends, sizes, strict=True)]
    loss, length = take_step(
        network, nothing, chunks, SETTINGS, torch.optim.SGD(network.parameters(), lr=0.0)
    ).tolist()
    assert loss == pytest.approx(float(expected.detach()), abs=1e-6)
    whole = torch.cat([g.flatten() for g in wanted if g is not None]).norm()
    assert length == pytest.approx(float(whole), rel=1e-4)
    # The step clips the gradient's length, so only its direction is to be compared.
    found = network.head.weight.grad
    place = [p is network.head.weight for p in network.parameters()].index(True)
    aim = wanted[place]
    assert found is not None
    assert aim is not None
    assert float(torch.cosine_similarity(found, aim, dim=0)) == pytest.approx(1.0, abs=1e-5)


def test_a_pair_of_several_items_is_encoded_once(network, quadruplets) -> None:
    encoded: list[Pair] = []

    def counted(pairs: Sequence[Pair]) -> torch.Tensor:
        encoded.extend(pairs)
        return nothing(pairs)

    losses = batch_losses(network, counted, quadruplets[:3], SETTINGS)
    assert losses.shape == (3,)
    assert len(encoded) == len(set(encoded)) == 3


def test_losses_are_read_in_order() -> None:
    results = [torch.tensor([0.5, 2.0]), torch.tensor([0.25, 1.0])]
    assert read_steps(results, 7) == [0.5, 0.25]
    assert read_steps([], 7) == []


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ([float("nan"), 1.0], "The loss became nan at step 6;"),
        ([0.5, float("inf")], "The gradient became inf at step 6;"),
    ],
)
def test_the_first_step_that_is_not_finite_is_named(row, sentence) -> None:
    results = [torch.tensor([0.5, 1.0]), torch.tensor(row), torch.tensor([float("nan")] * 2)]
    with pytest.raises(TrainingFailed, match=sentence):
        read_steps(results, 7)
