"""Times the paper's whole experiment on one GPU, sampled by steps and counted up; and scoring.

Usage: python benchmarks/gpu.py [--steps 60] [--small]
The experiment: 5 criteria x 10 epochs x 1,044 quadruplets in batches of 4, Longformer-base with
its exact window and a global first token, dropout, AdamW, nothing cut. Weights and tokens are
random: time does not depend on them; lengths follow the published test split. --small runs a tiny
shape anywhere, to try the program: its times mean nothing. Without a GPU and without --small the
program prints so and measures nothing.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from benchmarks.packed_encoder import draw_pairs, longformer, packed, padded
from patclaimeval.models.finetune import GRADIENT_CLIP
from patclaimeval.models.graphed_steps import GraphedSteps
from patclaimeval.models.network import margin_tolerance_loss
from patclaimeval.models.packed.attention import attention_for
from patclaimeval.models.packed.forward import PackedForward
from patclaimeval.models.packed.sequences import Tokens, by_budget

CRITERIA, EPOCHS, QUADRUPLETS, BATCH = 5, 10, 1044, 4
STEPS = CRITERIA * EPOCHS * QUADRUPLETS // BATCH
DISTINCT = 225
"""Pairs of one criterion that differ, as the published part lets expect: what a batch by reference
encodes once."""
TOGETHER = 12
"""Distinct pairs of one reference that train together."""
BUDGET = 262_144
WARM = 3

Encode = Callable[[Sequence[Tokens]], Tensor]


def wait(device: str) -> None:
    """Wait until the device has done what it was given."""
    if device == "cuda":
        torch.cuda.synchronize()


def seconds_a_step(
    model: Any,
    encode: Encode,
    batches: Sequence[Sequence[Tokens]],
    steps: int,
    device: str,
    graphed: PackedForward | None = None,
) -> tuple[float, float]:
    """Return the mean seconds of a training step, and those that recording every size took.

    A batch is [pair of B, pair of C, ...]. With ``graphed`` steps are replayed as training does.
    """
    model.train()
    parameters = list(model.parameters())
    on_cuda = device == "cuda"
    size = len(batches[0])
    nothing = torch.zeros((size, 0))
    optimiser = torch.optim.AdamW(parameters, lr=5e-6, fused=on_cuda, capturable=on_cuda)

    def loss(vectors: Tensor) -> Tensor:
        scores = torch.sigmoid(vectors.mean(1))
        left, right = scores[0:size:2], scores[1:size:2]
        return margin_tolerance_loss(left, right, torch.ones_like(left), 0.2, 0.05).mean()

    graphs = None
    if graphed is not None and on_cuda:
        graphs = GraphedSteps(graphed, loss, parameters, optimiser, GRADIENT_CLIP)

    def step(batch: Sequence[Tokens]) -> None:
        if graphs is not None and graphs.take(batch, nothing) is not None:
            return
        optimiser.zero_grad(set_to_none=True)
        loss(encode(batch)).backward()
        torch.nn.utils.clip_grad_norm_(parameters, GRADIENT_CLIP)
        optimiser.step()

    begin = time.perf_counter()
    # Every size once to be known and once to be recorded.
    first = [*batches, *batches] if graphs is not None else batches[:WARM]
    for batch in first:
        step(batch)
    wait(device)
    start = time.perf_counter()
    for batch in itertools.islice(itertools.cycle(batches), steps):
        step(batch)
    wait(device)
    mean = (time.perf_counter() - start) / steps
    return mean, max(0.0, start - begin - mean * len(first))


def batches_of(pairs: Sequence[Tokens], size: int) -> list[Sequence[Tokens]]:
    """Return ``pairs`` in batches of ``size``."""
    return [pairs[start : start + size] for start in range(0, len(pairs) - size + 1, size)]


def pairs_a_second(encode: Encode, pairs: Sequence[Tokens], budget: int, device: str) -> float:
    """Return how many pairs are scored a second, longest first."""
    ordered = sorted(pairs, key=lambda pair: -len(pair[0]))
    groups = list(by_budget([len(ids) for ids, _ in ordered], budget))

    def run() -> None:
        with torch.inference_mode():
            for group in groups:
                encode([ordered[i] for i in group])
        wait(device)

    run()
    start = time.perf_counter()
    run()
    return len(pairs) / (time.perf_counter() - start)


def measure(steps: int, small: bool, device: str) -> None:
    """Print the whole experiment by our ways and by Hugging Face's, and scoring."""
    torch.manual_seed(0)
    model = longformer(2 if small else 12, small).to(device)
    dtype = torch.bfloat16
    forward = PackedForward(model, "cls", dtype)
    pairs = draw_pairs(16 if small else 512, small)
    lengths = [len(ids) for ids, _ in pairs]
    own = attention_for(device, dtype, True).__name__
    if small:
        print("a tiny shape: these times say nothing about the experiment")
    print(f"pairs of {np.mean(lengths):.0f} tokens on average; attention: {own}")

    def ours(part: Sequence[Tokens]) -> Tensor:
        return packed(forward, part)

    def theirs(part: Sequence[Tokens]) -> Tensor:
        with torch.autocast(device, dtype):
            return padded(model, part).float()

    step, before = seconds_a_step(model, ours, batches_of(pairs, 2 * BATCH), steps, device, forward)
    total = step * STEPS + before * CRITERIA
    print(f"paper's experiment, {STEPS} steps of {BATCH} quadruplets: {step * 1e3:.1f} ms a step, "
          f"{before:.1f} s a criterion to record them, {total / 60:.2f} min ({steps} steps timed)",
          flush=True)  # fmt: skip
    distinct, before = seconds_a_step(
        model, ours, batches_of(pairs, TOGETHER), steps, device, forward
    )
    total = CRITERIA * (distinct * EPOCHS * DISTINCT / TOGETHER + before)
    print(f"the same by reference, {DISTINCT} distinct pairs an epoch (expected from the published "
          f"part), {TOGETHER} at once: {total:.0f} s", flush=True)  # fmt: skip
    few = max(1, steps // 10)
    other, _ = seconds_a_step(model, theirs, batches_of(pairs, 2 * BATCH), few, device)
    print(f"Hugging Face, padded, bfloat16 autocast: {other * 1e3:.1f} ms a step, "
          f"{other * STEPS / 60:.1f} min; ours: {other / step:.1f} times as fast")  # fmt: skip
    model.eval()
    # As many as a report holds: the first group's tokens are laid out while the GPU has no work.
    found = pairs_a_second(ours, pairs if small else pairs * 4, BUDGET, device)
    few_pairs = pairs[: 4 if small else 32]
    slow = pairs_a_second(theirs, few_pairs, 16 * max(lengths), device)
    print(f"scoring: {found:.0f} pairs a second; Hugging Face {slow:.0f}: {found / slow:.1f} times")
    if device == "cuda":
        peak = torch.cuda.max_memory_allocated() / 2**30
        print(f"{torch.cuda.get_device_name()}: at most {peak:.1f} GiB of its memory")


def main(given: Sequence[str] | None = None) -> int:
    """Measure, or print why not."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--small", action="store_true", help="a tiny shape, to try the program")
    options = parser.parse_args(given)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cpu" and not options.small:
        print("There is no GPU here: nothing was measured. --small tries the program without one.")
        return 0
    measure(options.steps, options.small, device)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
