"""What a graph would replay: a step on a batch that is filled up to a rounded size."""

import pytest
import torch
from torch import Tensor

from patclaimeval.models import graphed_steps
from patclaimeval.models.graphed_steps import GraphedSteps, Size
from patclaimeval.models.packed import attention
from patclaimeval.models.packed.forward import PackedForward
from tests.patclaimeval.models.packed.models import bert, longformer, tokens

KINDS = pytest.mark.parametrize(("make", "global_tokens"), [(bert, "none"), (longformer, "cls")])

NOTHING = torch.zeros((3, 0))


@pytest.fixture(autouse=True)
def _small_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"ROWS": 32, "LONGEST": 64, "SEQUENCES": 4, "MOST_ROWS": 512}.items():
        monkeypatch.setattr(graphed_steps, name, value)


def loss(vectors: Tensor, weights: Tensor) -> Tensor:
    return (vectors[:3] @ weights).tanh().mean()


def steps_of(forward: PackedForward, rate: float = 0.5) -> GraphedSteps:
    parameters = list(forward.model.parameters())
    return GraphedSteps(forward, loss, parameters, torch.optim.SGD(parameters, rate), 1.0)


@KINDS
def test_a_filled_up_step_is_the_batchs_own(make, global_tokens) -> None:
    sequences = [tokens(length) for length in (5, 60, 38)]
    weights = torch.randn(32, generator=torch.Generator().manual_seed(0))
    found = []
    for is_filled in (True, False):
        model = make()
        forward = PackedForward(model, global_tokens)
        # The one for the CPU reads the lengths themselves, which a size does not know.
        forward.attention = attention.padded_attention
        if is_filled:
            size = Size.holding([len(own) for own, _ in sequences])
            filled = size.fill(sequences, forward.padding)
            extra = torch.zeros((size.sequences, 0))
            loss_and_length = steps_of(forward).step(size, *filled, extra, weights)
        else:
            value = loss(forward.first_states(sequences), weights)
            value.backward()
            length = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            torch.optim.SGD(model.parameters(), 0.5).step()
            loss_and_length = torch.stack([value.detach(), length])
        found.append((loss_and_length, torch.cat([p.flatten() for p in model.parameters()])))
    for filled, wanted in zip(*found, strict=True):
        assert torch.allclose(filled, wanted, atol=1e-5)
    assert not torch.allclose(found[0][1], torch.cat([p.flatten() for p in make().parameters()]))


@pytest.mark.parametrize("lengths", [(5, 60, 38), (64,) * 6, (70, 70), (33, 31)])
def test_a_size_holds_the_batch_and_one_sequence_more(lengths) -> None:
    size = Size.holding(lengths)
    assert size.can_be_recorded
    assert size.rows % 32 == 0 and sum(lengths) < size.rows <= sum(lengths) + 32 + 4
    ids, kinds, bounds = size.fill([tokens(length) for length in lengths], 1)
    assert ids.shape == kinds.shape == (size.rows,)
    found = bounds.diff().tolist()
    assert tuple(found[: len(lengths)]) == lengths and sum(found) == size.rows
    assert set(found[len(lengths) : -1]) <= {1} and 0 < found[-1] <= size.longest
    spans = size.spans(bounds)
    assert spans.longest == size.longest >= max(lengths)
    assert sum(spans.lengths) == size.rows and len(spans.lengths) == size.sequences == len(found)
    assert min(spans.lengths) > 0


def test_batches_close_in_length_share_a_size() -> None:
    assert Size.holding((40, 30)) == Size.holding((45, 35)) != Size.holding((70, 30))


@pytest.mark.parametrize("lengths", [(100,), (600, 7)])
def test_what_is_too_small_or_too_large_is_left_to_the_caller(lengths) -> None:
    assert not Size.holding(lengths).can_be_recorded
    assert steps_of(PackedForward(bert())).take([tokens(n) for n in lengths], NOTHING) is None


def test_a_size_is_recorded_at_its_second_batch_and_replayed_for_others(monkeypatch) -> None:
    model = bert()
    steps = steps_of(PackedForward(model), rate=0.0)
    steps._forward.attention = attention.padded_attention
    recorded = []

    class Graph:
        def __init__(self, size: Size, inputs: tuple[Tensor, ...], result: Tensor) -> None:
            self.size, self.inputs, self.result = size, inputs, result

        def replay(self) -> None:
            self.result.copy_(steps.step(self.size, *self.inputs))

    def record(size: Size, inputs: tuple[Tensor, ...]) -> graphed_steps.Recorded:
        result = torch.zeros(2)
        recorded.append(size)
        return graphed_steps.Recorded(Graph(size, inputs, result), inputs, result)  # type: ignore[arg-type]

    monkeypatch.setattr(steps, "_record", record)
    weights = torch.randn(32, generator=torch.Generator().manual_seed(0))
    batches = [[tokens(length) for length in (n, 60, 38)] for n in (5, 6, 7, 5)]
    assert steps.take(batches[0], NOTHING, weights) is None and not recorded
    for batch in batches[1:]:
        found = steps.take(batch, NOTHING, weights)
        assert found is not None
        with torch.no_grad():
            wanted = loss(steps._forward.first_states(batch), weights)
        assert float(found[0]) == pytest.approx(float(wanted), abs=1e-6)
    assert len(recorded) == 1
    # A loss that is given other shapes is another step.
    assert steps.take(batches[0], NOTHING, weights.view(32, 1)) is None
