import pytest
import torch

from patclaimeval.models.data import Quadruplet
from patclaimeval.models.encoder import load_encoder, resolve_precision
from patclaimeval.models.errors import EncoderUnavailable
from patclaimeval.models.one_by_one import OneByOne

Items = list[Quadruplet]


@pytest.mark.parametrize(
    ("device", "supports", "found"),
    [
        ("cuda", True, "bf16"),
        ("cuda:1", True, "bf16"),
        ("cuda", False, "fp32"),
        ("cpu", True, "fp32"),
    ],
)
def test_auto_takes_bfloat16_where_the_card_has_it(device, supports, found, monkeypatch) -> None:
    asked: list[bool] = []

    def is_supported(including_emulation: bool = True) -> bool:
        asked.append(including_emulation)
        return supports

    monkeypatch.setattr(torch.cuda, "is_bf16_supported", is_supported)
    assert resolve_precision("auto", device) == found
    assert [resolve_precision(wanted, device) for wanted in ("fp32", "bf16")] == ["fp32", "bf16"]
    assert True not in asked


@pytest.mark.parametrize("kind", ["tiny_bert", "tiny_longformer"])
def test_bfloat16_rounds_states_and_leaves_parameters(kind, request, quadruplets) -> None:
    encoder = load_encoder(str(request.getfixturevalue(kind)), max_tokens=4096)
    pairs = list(quadruplets[0].pairs)
    plain = encoder.pooled_pairs(pairs, "mean")
    assert encoder.use_precision("bf16", "cpu") == encoder.precision == "bf16"
    half = encoder.pooled_pairs(pairs, "mean", token_budget=None)
    assert half.dtype == torch.float32
    assert 0 < float((half - plain).detach().norm() / plain.detach().norm()) < 0.02
    half.sum().backward()
    assert {p.dtype for p in encoder.parameters()} == {torch.float32}
    assert {p.grad.dtype for p in encoder.parameters() if p.grad is not None} == {torch.float32}
    assert encoder.use_precision("fp32", "cpu") == "fp32"
    assert torch.equal(encoder.pooled_pairs(pairs, "mean"), plain)


def test_model_that_is_not_packed_stays_at_32_bits(tiny_bert, monkeypatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda **_: True)
    encoder = load_encoder(str(tiny_bert), max_tokens=100)
    encoder.forward_pass = OneByOne(encoder.model)
    assert encoder.use_precision("auto", "cuda") == "fp32"
    with pytest.raises(EncoderUnavailable, match="32-bit floats only"):
        encoder.use_precision("bf16", "cpu")
