"""The contract of the packed encoder: what Hugging Face's own models give, alone or in company."""

import pytest
import torch
from torch import Tensor
from transformers import DistilBertConfig, DistilBertModel

from patclaimeval.models.packed import attention
from patclaimeval.models.packed.forward import PackedForward, can_pack
from patclaimeval.models.packed.sequences import Reach
from tests.patclaimeval.models.packed.models import (
    LENGTHS,
    REAL_LENGTHS,
    REAL_SIZES,
    bert,
    by_hugging_face,
    distance,
    longformer,
    roberta,
    tokens,
)

KINDS = [(bert, "none"), (roberta, "none"), (longformer, "none"), (longformer, "cls")]
NAMES = ["bert", "roberta", "longformer", "longformer-cls"]
kinds = pytest.mark.parametrize(("make", "global_tokens"), KINDS, ids=NAMES)
PLACES = ["hidden_dropout_prob", "attention_probs_dropout_prob"]
# One of each way in which a number drops out; the other kinds run the same code.
TRIED_EACH_TIME = {("bert", PLACES[0]), ("bert", PLACES[1]), ("longformer-cls", PLACES[1])}


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Cut short sequences into as many blocks as long ones have."""
    if request.node.get_closest_marker("exhaustive") is None:
        monkeypatch.setattr(attention, "BLOCK", attention.DENSE_BLOCK // 8)
        monkeypatch.setattr(attention, "BLOCK", attention.BLOCK // 8)


@pytest.mark.parametrize(
    ("lengths", "sizes"),
    [
        (LENGTHS, {}),
        # With the windows and the blocks that real models have.
        pytest.param(REAL_LENGTHS, REAL_SIZES, marks=pytest.mark.exhaustive),
    ],
    ids=["small", "real"],
)
@kinds
def test_states_are_those_of_hugging_face(make, global_tokens, lengths, sizes) -> None:
    model = make(**sizes)
    forward = PackedForward(model, global_tokens)
    with torch.inference_mode():
        for length in lengths:
            sequence = tokens(length)
            found = forward.states([sequence])
            wanted = by_hugging_face(model, sequence, global_tokens)
            assert distance(found, wanted) < 1e-5, length
            assert distance(found[:1], wanted[:1]) < 1e-5, length


@kinds
def test_gradients_are_those_of_hugging_face(make, global_tokens) -> None:
    model = make()
    sequences = [tokens(length) for length in (65, 88)]
    towards = torch.randn(153, 32, generator=torch.Generator().manual_seed(0))

    def gradients(states: Tensor) -> dict[str, Tensor]:
        model.zero_grad()
        (states * towards).sum().backward()
        return {n: p.grad for n, p in model.named_parameters() if p.grad is not None}

    alone = [by_hugging_face(model, sequence, global_tokens) for sequence in sequences]
    wanted = gradients(torch.cat(alone))
    found = gradients(PackedForward(model, global_tokens).states(sequences))
    # A bias of keys shifts all scores alike: its true gradient is 0, and so is no measure.
    assert found.keys() == {name for name in wanted if "key_global.bias" not in name}
    whole = torch.cat([grad.flatten() for grad in wanted.values()]).norm()
    for name in found:
        grad = wanted[name]
        error = (found[name] - grad).norm()
        assert error < 1e-5 * (whole if "key" in name else grad.norm()), name


@kinds
def test_company_changes_only_last_digits(make, global_tokens) -> None:
    model = make()
    forward = PackedForward(model, global_tokens)
    sequences = [tokens(length) for length in (5, 149, 65)]
    with torch.inference_mode():
        alone = torch.cat([forward.states([one]) for one in sequences])
        assert distance(forward.states(sequences), alone) < 1e-6


@kinds
def test_first_tokens_are_those_of_the_whole(make, global_tokens) -> None:
    model = make()
    forward = PackedForward(model, global_tokens)
    sequences = [tokens(length) for length in (5, 149, 65)]
    towards = torch.randn(3, 32, generator=torch.Generator().manual_seed(0))
    found = []
    for states in (forward.first_states(sequences), forward.states(sequences)[[0, 5, 154]]):
        model.zero_grad()
        (states * towards).sum().backward()
        grads = [p.grad for p in model.parameters() if p.grad is not None and p.grad.any()]
        found.append((states.detach(), torch.cat([grad.flatten() for grad in grads])))
    assert distance(found[0][0], found[1][0]) < 1e-6
    assert distance(found[0][1], found[1][1]) < 1e-5


@kinds
def test_half_precision_trains_the_parameters_that_are_to_learn(make, global_tokens) -> None:
    model = make()
    model.encoder.layer[0].requires_grad_(False)
    sequences = [tokens(length) for length in (65, 88)]
    towards = torch.randn(153, 32, generator=torch.Generator().manual_seed(0))
    found = []
    for dtype in (torch.bfloat16, torch.float32):
        model.zero_grad()
        states = PackedForward(model, global_tokens, dtype).states(sequences)
        assert states.dtype == dtype
        (states * towards).sum().backward()
        found.append({n: p.grad for n, p in model.named_parameters() if p.grad is not None})
    half, whole = found
    assert half.keys() == whole.keys()
    assert not any("layer.0" in name for name in half)
    assert all(grad.dtype == torch.float32 for grad in half.values())
    both = [torch.cat([grad.flatten() for grad in one.values()]) for one in (half, whole)]
    assert distance(*both) < 0.05


@kinds
def test_padded_attention_gives_the_same(make, global_tokens) -> None:
    model = make()
    forward = PackedForward(model, global_tokens)
    padded = PackedForward(model, global_tokens)
    padded.attention = attention.padded_attention
    sequences = [tokens(length) for length in (5, 88, 38)]
    wanted = forward.states(sequences)
    found = padded.states(sequences)
    assert distance(found, wanted) < 1e-6
    towards = torch.randn_like(wanted)
    grads = []
    for states in (found, wanted):
        model.zero_grad()
        (states * towards).sum().backward()
        grads.append(model.encoder.layer[0].attention.self.query.weight.grad.clone())
    assert torch.isfinite(grads[0]).all()
    assert distance(*grads) < 1e-5


def ratio(found: Tensor, wanted: Tensor) -> float:
    """Return how many times as large the mean of one is."""
    return float(found.mean() / wanted.mean())


@pytest.mark.parametrize("wrong", ["wider", "narrower", "no first", "everything"])
def test_wrong_mask_is_seen(wrong, monkeypatch) -> None:
    model = longformer()
    forward = PackedForward(model, "cls")
    reaches = {
        "wider": lambda reach: Reach(reach.window + 1, reach.first),
        "narrower": lambda reach: Reach(reach.window - 1, reach.first),
        "no first": lambda reach: Reach(reach.window),
        "everything": lambda reach: Reach(),
    }
    own = forward._reach
    monkeypatch.setattr(forward, "_reach", lambda number: reaches[wrong](own(number)))
    with torch.inference_mode():
        sequence = tokens(88)
        found = forward.states([sequence])
        assert distance(found, by_hugging_face(model, sequence, "cls")) > 1e-4


def test_changed_weight_is_seen_after_a_first_run() -> None:
    model = bert()
    forward = PackedForward(model)
    with torch.inference_mode():
        before = forward.states([tokens(40)])
    with torch.no_grad():
        model.encoder.layer[1].attention.self.value.weight.mul_(1.5)
    with torch.inference_mode():
        after = forward.states([tokens(40)])
        assert distance(after, by_hugging_face(model, tokens(40))) < 1e-5
        assert distance(before, after) > 1e-2


@pytest.mark.parametrize(
    ("make", "global_tokens", "place"),
    [
        pytest.param(
            *kind,
            place,
            id=f"{name}-{place}",
            marks=() if (name, place) in TRIED_EACH_TIME else pytest.mark.exhaustive,
        )
        for kind, name in zip(KINDS, NAMES, strict=True)
        for place in PLACES
    ],
)
def test_dropout_changes_states_as_much_as_in_hugging_face(make, global_tokens, place) -> None:
    rates = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0} | {place: 0.3}
    model = make(num_hidden_layers=1, attention_window=16, **rates)
    forward = PackedForward(model, global_tokens)
    sequence = tokens(60)
    with torch.no_grad():
        plain = by_hugging_face(model, sequence, global_tokens)
        model.train()
        torch.manual_seed(0)
        found = torch.stack([forward.states([sequence]) - plain for _ in range(300)])
        wanted = torch.stack(
            [by_hugging_face(model, sequence, global_tokens) - plain for _ in range(300)]
        )
    assert ratio(found.std(0), wanted.std(0)) == pytest.approx(1, rel=0.03)
    assert ratio(found.std(0)[0], wanted.std(0)[0]) == pytest.approx(1, rel=0.1)
    assert ratio(found.mean(0).abs(), wanted.mean(0).abs()) == pytest.approx(1, rel=0.1)


def test_decoder_and_other_kinds_are_not_packed() -> None:
    assert all(can_pack(make()) for make in (bert, roberta, longformer))
    assert not can_pack(bert(is_decoder=True))
    assert not can_pack(DistilBertModel(DistilBertConfig(dim=32, n_heads=2, n_layers=1)))
