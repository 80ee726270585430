"""What several processes gain that share each batch of a fine-tuning: on paper, and on a CPU.

Usage: python benchmarks/several_processes.py [--items 24] [--pieces 300]
On paper: quadruplets with the lengths of the published test split are divided as a training divides
them; who has most sets the time of a step. Sums of gradients and starting up are left out, so that
each figure is a bound. On a CPU: the embedded encoder with one process and with two, one thread
each, by the tokens a second that a training reports after its last step.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.packed_encoder import LENGTHS, QUANTILES
from scoring.patclaimeval.config import TrainingSettings
from scoring.patclaimeval.data import Progress, Quadruplet
from scoring.patclaimeval.process_group import ProcessGroup
from scoring.patclaimeval.training import train_model

BATCHES = 2000
WORDS = ("device", "comprising", "housing", "pump", "valve", "sensor", "connected", "configured")


def bound(size: int, processes: int) -> float:
    """Return how many times faster than one the processes are, were a step its slowest share."""
    draw = np.random.default_rng(0)
    whole = slowest = 0.0
    for _ in range(BATCHES):
        costs = [float(c) for c in np.interp(draw.random((size, 2)), QUANTILES, LENGTHS).sum(1)]
        shares = [ProcessGroup(rank, processes).share(costs, float) for rank in range(processes)]
        whole += sum(costs)
        slowest += max(map(sum, shares))
    return whole / slowest


def quadruplets(count: int, pieces: int) -> list[Quadruplet]:
    """Return comparisons of made-up texts with so many words a pair."""
    draw = random.Random(0)
    text = [" ".join(draw.choices(WORDS, k=pieces // 2)) for _ in range(3 * count)]
    rows = zip(text[::3], text[1::3], text[2::3], strict=True)
    return [Quadruplet(f"r{n % 4}", *row, (1, 0, -1)[n % 3]) for n, row in enumerate(rows)]


def rate(items: list[Quadruplet], processes: int) -> float:
    """Return the tokens a second of a training by so many processes."""
    found: list[Progress] = []
    with tempfile.TemporaryDirectory() as directory:
        train_model(
            training=items,
            validation=[],
            settings=TrainingSettings(
                *("overall_quality", "finetune"), epochs=1, device="cpu", processes=processes
            ),
            directory=Path(directory) / "model",
            on_progress=found.append,
        )
    (last, *_) = [one for one in reversed(found) if one.tokens_per_second]
    assert last.tokens_per_second is not None
    return last.tokens_per_second


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--items", type=int, default=24)
    parser.add_argument("--pieces", type=int, default=300)
    options = parser.parse_args()
    print("processes  " + "  ".join(f"batch {size:>2}" for size in (4, 8, 16)))
    for processes in (2, 4, 8):
        gains = "  ".join(f"{bound(size, processes):>7.2f}x" for size in (4, 8, 16))
        print(f"{processes:>9}  {gains}")

    import torch

    torch.set_num_threads(1)
    os.environ["OMP_NUM_THREADS"] = "1"
    items = quadruplets(options.items, options.pieces)
    rates = {processes: rate(items, processes) for processes in (1, 2, 1, 2)}
    for processes, value in rates.items():
        print(f"{processes} on a CPU: {value:,.0f} tokens/s, {value / rates[1]:.2f}x")


if __name__ == "__main__":
    main()
