from collections.abc import Iterator
from itertools import accumulate, cycle

import pytest
import torch

from scoring.patclaimeval import encoder as precision
from scoring.patclaimeval.data import Quadruplet
from scoring.patclaimeval.encoder import load_encoder, resolve_precision
from scoring.patclaimeval.errors import EncoderUnavailable
from scoring.patclaimeval.one_by_one import OneByOne

Items = list[Quadruplet]
# Read before what all tests here share puts a stub in its place.
measured_seconds = precision._seconds


@pytest.fixture(autouse=True)
def _measured_anew() -> Iterator[None]:
    precision._faster.cache_clear()
    yield
    precision._faster.cache_clear()


def pretend(monkeypatch: pytest.MonkeyPatch, half: float) -> None:
    """Let a product take 1 second in 32 bits and ``half`` in bfloat16."""
    monkeypatch.setattr(precision, "_seconds", lambda device: [1.0, half])


@pytest.mark.parametrize(("half", "picked"), [(0.2, "bf16"), (0.9, "fp32"), (5.0, "fp32")])
def test_auto_takes_bfloat16_only_where_it_wins_clearly(half, picked, monkeypatch) -> None:
    pretend(monkeypatch, half)
    assert resolve_precision("auto", "cpu") == picked
    assert [resolve_precision(wanted, "cpu") for wanted in ("fp32", "bf16")] == ["fp32", "bf16"]


@pytest.mark.parametrize(
    "size",
    [
        {"rows": 8, "width": 16, "repeats": 2},
        # Of the size that runs measure: seconds, where bfloat16 is emulated.
        pytest.param({}, marks=pytest.mark.exhaustive),
    ],
    ids=["small", "real"],
)
def test_products_are_really_timed(size, monkeypatch) -> None:
    measured: list[list[float]] = []

    def seconds(device: str) -> list[float]:
        measured.append(measured_seconds(device, **size))
        return measured[-1]

    monkeypatch.setattr(precision, "_seconds", seconds)
    assert resolve_precision("auto", "cpu") in precision.DTYPES
    (found,) = measured
    assert len(found) == len(precision.DTYPES) and min(found) > 0


@pytest.mark.parametrize(("half", "turns"), [(1.5, 6), (10.0, 3)])
def test_turns_end_once_bfloat16_has_lost(half, turns, monkeypatch) -> None:
    took = cycle([0.0, 1.0, 0.0, half])
    clock = iter(accumulate(next(took) for _ in range(4 * 6)))
    monkeypatch.setattr("time.perf_counter", lambda: next(clock))
    assert measured_seconds("cpu", rows=2, width=2, repeats=5) == [1.0, half]
    assert len(list(clock)) == 4 * (6 - turns)


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
    pretend(monkeypatch, 0.1)
    encoder = load_encoder(str(tiny_bert), max_tokens=100)
    encoder.forward_pass = OneByOne(encoder.model)
    assert encoder.use_precision("auto", "cpu") == "fp32"
    with pytest.raises(EncoderUnavailable, match="32-bit floats only"):
        encoder.use_precision("bf16", "cpu")
