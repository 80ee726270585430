"""Times the default training, five criteria cold and once more, and scoring of new pairs.

Usage: python benchmarks/default_training.py [FILE]
FILE is as for leave_one_out.py; without one the demo's quadruplets are taken. A criterion that the
file does not hold takes the labels of the first one: what is timed depends on texts and numbers of
items only.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

from benchmarks.shared.quadruplets import demo_rows, read_rows
from patclaimeval.models.config import TrainingSettings
from patclaimeval.models.data import distinct_pairs
from patclaimeval.models.features import feature_vector
from patclaimeval.models.prior import load_prior
from patclaimeval.models.training import train_model
from patclaimeval.rubric import ALL_CRITERIA


def main() -> None:
    """Print the seconds of each criterion and of all five, cold and from the cache."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("file", type=Path, nargs="?")
    options = parser.parse_args()
    rows = read_rows(options.file) if options.file else demo_rows()
    first = next(iter(rows.values()))
    print(f"{len(first)} items, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as place:
        for round_ in ("cold", "known"):
            seconds, used = [], time.process_time()
            for criterion in ALL_CRITERIA:
                start = time.perf_counter()
                train_model(
                    training=rows.get(criterion, first),
                    validation=[],
                    settings=TrainingSettings(criterion),
                    directory=Path(place) / round_ / criterion,
                    on_progress=lambda progress: None,
                )
                seconds.append(time.perf_counter() - start)
            each = ", ".join(f"{value:.1f}" for value in seconds)
            print(
                f"{round_}: {sum(seconds):.1f} s ({each}), "
                f"{time.process_time() - used:.1f} s of processor, load {os.getloadavg()[0]:.1f}",
                flush=True,
            )
    pairs = distinct_pairs(first)
    score = load_prior("overall_quality").score
    feature_vector.cache_clear()
    start = time.process_time()
    score(pairs)
    print(
        f"scoring: {len(pairs) / (time.process_time() - start):.0f} new pairs a second of one core"
    )


if __name__ == "__main__":
    main()
