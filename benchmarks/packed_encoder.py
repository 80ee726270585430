"""Times the packed encoder beside Hugging Face's own, in one process, turn by turn, on a CPU.

Usage: python benchmarks/packed_encoder.py [--pairs 8] [--layers 2] [--turns 3] [--only NAME]
    [--small]
The shapes are Longformer-base and MiniLM with random weights: time does not depend on what they
hold. Lengths follow the pairs [P;Q] of the published test split. Of Longformer's 12 layers --layers
are timed, and what a layer takes is counted 12 times. Hugging Face runs 32-bit floats in batches of
4 padded to the longest, its usual way; scoring is without gradients, training is forward and
backward with dropout, without the optimiser's step. The shortest of --turns counts.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from transformers import BertConfig, BertModel, LongformerConfig, LongformerModel

from patclaimeval.models.packed.forward import PackedForward
from patclaimeval.models.packed.sequences import Tokens

QUANTILES = (0, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1)
LENGTHS = (361, 575, 966, 1201, 1357, 1639, 1963, 2057)
"""Tokens of a pair in the published test split at these quantiles."""
BATCH = 4
QUADRUPLET = 2
"""Pairs that train together: the two of one quadruplet."""

Run = Callable[[], None]


@dataclass(frozen=True)
class Way:
    """One way of running the pairs, and its shortest wall and processor seconds so far."""

    name: str
    run: Run
    times: list[tuple[float, float]]

    def turn(self) -> None:
        """Run once more."""
        wall, cpu = time.perf_counter(), time.process_time()
        self.run()
        self.times.append((time.perf_counter() - wall, time.process_time() - cpu))

    def best(self) -> tuple[float, float]:
        """Return the shortest wall and the shortest processor seconds."""
        return min(wall for wall, _ in self.times), min(cpu for _, cpu in self.times)


def draw_pairs(count: int, small: bool) -> list[Tokens]:
    """Return pairs of random tokens whose lengths are spread as the published ones."""
    draw = np.random.default_rng(0)
    shares = draw.permutation((np.arange(count) + 0.5) / count)
    lengths = np.interp(shares, QUANTILES, LENGTHS) / (20 if small else 1)
    return [(draw.integers(5, 500, int(n)).tolist(), [0] * int(n)) for n in lengths]


def longformer(layers: int, small: bool) -> Any:
    """Return a Longformer of base shape with so many of its 12 layers."""
    size = 32 if small else 768
    heads = 2 if small else 12
    return LongformerModel(
        LongformerConfig(
            vocab_size=5000, hidden_size=size, num_hidden_layers=layers,
            num_attention_heads=heads, intermediate_size=4 * size,
            attention_window=[512] * layers, max_position_embeddings=4098, type_vocab_size=1,
            pad_token_id=1,
        ),
        add_pooling_layer=False,
    )  # fmt: skip


def minilm(layers: int, small: bool) -> Any:
    """Return a BERT in the shape of the default encoder, with 4,096 positions."""
    size = 32 if small else 384
    config = BertConfig(
        vocab_size=5000, hidden_size=size, num_hidden_layers=layers,
        num_attention_heads=2 if small else 12,
        intermediate_size=4 * size, max_position_embeddings=4096,
    )  # fmt: skip
    return BertModel(config, add_pooling_layer=False)


def padded(model: Any, pairs: Sequence[Tokens]) -> torch.Tensor:
    """Return the first token's states of one batch by Hugging Face, padded to the longest."""
    longest = max(len(ids) for ids, _ in pairs)
    ids = torch.full((len(pairs), longest), int(model.config.pad_token_id))
    for row, (own, _) in zip(ids, pairs, strict=True):
        row[: len(own)] = torch.tensor(own)
    ids = ids.to(next(model.parameters()).device)
    inputs = {"input_ids": ids, "attention_mask": (ids != model.config.pad_token_id).long()}
    if model.config.model_type == "longformer":
        inputs["global_attention_mask"] = torch.zeros_like(ids)
        inputs["global_attention_mask"][:, 0] = 1
    states: torch.Tensor = model(**inputs).last_hidden_state
    return states[:, 0]


def packed(forward: PackedForward, pairs: Sequence[Tokens]) -> torch.Tensor:
    """Return the first token's states of pairs that run together."""
    return forward.first_states(pairs).float()


def way(
    name: str,
    model: Any,
    encode: Callable[[Sequence[Tokens]], torch.Tensor],
    pairs: Sequence[Tokens],
    size: int,
    train: bool,
) -> Way:
    """Return the way that encodes ``size`` pairs at once, for scoring or training."""
    parts = [pairs[i : i + size] for i in range(0, len(pairs), size)]

    def run() -> None:
        model.train(train)
        if not train:
            with torch.inference_mode():
                for part in parts:
                    encode(part)
            return
        model.zero_grad(set_to_none=True)
        for part in parts:
            torch.sigmoid(encode(part).sum(1)).sum().backward()

    return Way(name, run, [])


def ways(model: Any, pairs: Sequence[Tokens], train: bool) -> list[Way]:
    """Return Hugging Face's way first, then ours."""
    found = [way("HF fp32 padded", model, lambda p: padded(model, p), pairs, BATCH, train)]
    for name, dtype in (("packed fp32", torch.float32), ("packed bf16", torch.bfloat16)):
        forward = PackedForward(model, "cls", dtype)
        size = QUADRUPLET if train else 1
        found.append(
            way(name, model, lambda p, own=forward: packed(own, p), pairs, size, train)  # type: ignore[misc]
        )
    return found


def report(title: str, found: Sequence[Way], pairs: int, scale: float) -> None:
    """Print seconds, ratios to the first way and pairs a second of the whole model."""
    wall, cpu = found[0].best()
    for own in found:
        w, c = own.best()
        print(
            f"{title:24s} {own.name:16s} {w:8.2f} {c:8.2f} | {wall / w:6.2f} {cpu / c:6.2f} | "
            f"{pairs / w / scale:7.2f}",
            flush=True,
        )


def main() -> None:
    """Print one line per model, purpose and way."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=8)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--only", choices=("Longformer-base", "MiniLM"))
    parser.add_argument("--small", action="store_true", help="short texts, to try the program")
    options = parser.parse_args()
    torch.manual_seed(0)
    pairs = draw_pairs(options.pairs, options.small)
    lengths = [len(ids) for ids, _ in pairs]
    print(f"{len(pairs)} pairs of {min(lengths)} to {max(lengths)} tokens, "
          f"{np.mean(lengths):.0f} on average; {torch.get_num_threads()} threads; "
          f"Longformer: {options.layers} of 12 layers timed")  # fmt: skip
    print("model, purpose           way              wall s    cpu s | times as fast | pairs/s")
    models = (
        ("Longformer-base", longformer(options.layers, options.small), 12 / options.layers),
        ("MiniLM", minilm(6, options.small), 1.0),
    )
    for name, model, scale in models:
        if options.only not in (None, name):
            continue
        for train in (False, True):
            found = ways(model, pairs, train)
            for _ in range(options.turns):
                for own in found:
                    own.turn()
            report(f"{name} {'train' if train else 'score'}", found, len(pairs), scale)


if __name__ == "__main__":
    main()
