"""Measures the default model on unseen references: k folds by reference, beside n-gram metrics.

Usage: python benchmarks/grouped_folds.py [FILE] [--folds 6] [--draws 1] [--cache DIR]
Without FILE: the rated references of the demo campaign. FILE is JSONL with rows
{"reference_id", "A", "B", "C", "y": {criterion: 1|0|-1}} or the published JSON layout. Each fold
trains a model through the same functions as the product and scores the held-out references;
nothing is chosen on them. The n-gram metric beside it is the best of six *on these items*, which
favours it. --random adds folds by single items, which leak: their figures mean nothing but that.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import numpy as np

from benchmarks.unseen_references.rows import damage_signs, demo_rows, read_rows
from core.statistics.resampling import jackknife_t_interval
from scoring.agreement.classification import predicted_labels
from scoring.agreement.correlation import count_pairs, leave_one_reference_out, tau_b
from scoring.agreement.figures import make_sample
from scoring.agreement.items import contains_reference
from scoring.metrics.base import Pair
from scoring.metrics.registry import get_metric
from scoring.patclaimeval.config import TrainingSettings
from scoring.patclaimeval.data import Quadruplet, grouped_folds
from scoring.patclaimeval.scorer import load_scorer
from scoring.patclaimeval.training import train_model
from scoring.patclaimeval.validation import as_items, macro_f1

N_GRAMS = ("bleu-1", "bleu-4", "rouge-1", "rouge-2", "rouge-l", "meteor")
Vector = np.ndarray[Any, Any]


def held_out(
    items: Sequence[Quadruplet],
    groups: Sequence[str],
    settings: TrainingSettings,
    folds: int,
    draw: int,
    cache: Path,
) -> tuple[Vector, Vector, list[dict[str, Any]]]:
    """Return score differences and tie-thresholded labels of held-out items, and the choices."""
    differences, labels = np.zeros(len(items)), np.zeros(len(items))
    chosen = []
    for test in grouped_folds(groups, folds, draw):
        training = [item for i, item in enumerate(items) if i not in set(test)]
        with tempfile.TemporaryDirectory() as place:
            result = train_model(
                training=training,
                validation=[],
                settings=settings,
                directory=Path(place) / "model",
                cache_directory=cache,
                on_progress=lambda progress: None,
            )
            scorer = load_scorer(Path(place) / "model", cache)
        chosen.append(result.chosen)
        for side, sign in ((0, 1), (1, -1)):
            scores = scorer.score([items[i].pairs[side] for i in test])
            differences[test] += sign * np.array(scores)
        labels[test] = predicted_labels(differences[test], scorer.tie_threshold)
    return differences, labels, chosen


def n_gram_differences(items: Sequence[Quadruplet]) -> dict[str, Vector]:
    """Return score(B) - score(C) of each n-gram metric."""
    found = {}
    for name in N_GRAMS:
        score = get_metric(name).score
        left, right = (
            np.array(score([Pair(*item.pairs[side]) for item in items])) for side in (0, 1)
        )
        found[name] = left - right
    return found


def mean_of_draws(items: Sequence[Quadruplet], draws: Sequence[Vector]) -> tuple[float, Vector]:
    """Return the mean tau-b over fold draws, and the same without each reference in turn."""
    sample = make_sample(as_items(items), 100, 0)
    without = [
        leave_one_reference_out(count_pairs(d, sample.y, sample.clusters, sample.cluster_count))
        for d in draws
    ]
    return float(np.mean([tau_b(d, sample.y).value for d in draws])), np.mean(without, axis=0)


def with_interval(value: float, without: Vector, widest: float) -> str:
    """Write a value with its 95 % interval: jackknife t over references."""
    found = jackknife_t_interval(value, without, -widest, widest)
    if found.low is None or found.high is None:
        return f"{value:.3f} (no interval: {found.reason})"
    return f"{value:.3f} [{found.low:.3f}, {found.high:.3f}]"


def compare(label: str, items: Sequence[Quadruplet], draws: Sequence[Vector]) -> None:
    """Print the model, the best n-gram metric and the paired lead, mean over the fold draws."""
    ours, ours_without = mean_of_draws(items, draws)
    taus = {name: mean_of_draws(items, [d]) for name, d in n_gram_differences(items).items()}
    best = max(taus, key=lambda name: taus[name][0])
    theirs, theirs_without = taus[best]
    print(
        f"  {label} ({len(items)} items, {len({i.reference_id for i in items})} references): "
        f"model {with_interval(ours, ours_without, 1)}, "
        f"best n-gram {best} {with_interval(theirs, theirs_without, 1)}, "
        f"lead {with_interval(ours - theirs, ours_without - theirs_without, 2)}",
        flush=True,
    )


def measure(items: list[Quadruplet], criterion: str, options: Any, cache: Path) -> None:
    """Print the figures of one criterion."""
    y = np.array([item.y for item in items], dtype=float)
    settings = TrainingSettings(criterion, weight_decay=options.weight_decay)
    by_reference = [item.reference_id for item in items]
    draws = []
    for draw in range(options.draws):
        start = time.perf_counter()
        d, p, chosen = held_out(items, by_reference, settings, options.folds, draw, cache)
        draws.append(d)
        picks = sorted({(c["weight_decay"], c["distance_scale"]) for c in chosen})
        print(
            f"{criterion} draw {draw}: tau-b {tau_b(d, y).value:.3f}, "
            f"of labels {tau_b(p, y).value or 0:.3f}, "
            f"accuracy {np.mean(p == y):.3f}, macro F1 {macro_f1(p, y):.3f}, "
            f"{time.perf_counter() - start:.1f} s, chosen by inner folds {picks}",
            flush=True,
        )
        if not options.file:
            tau = tau_b(d, damage_signs(items, criterion)).value
            print(f"  against the known damage: {tau:.3f}")
    compare("unseen references", items, draws)
    comparable = [i for i, item in enumerate(as_items(items)) if not contains_reference(item)]
    if len(comparable) < len(items):
        left = [items[i] for i in comparable]
        compare("without items that hold the reference", left, [d[comparable] for d in draws])
    if options.random:
        single = [str(i) for i in range(len(items))]
        leaking = [
            held_out(items, single, settings, options.folds, draw, cache)[0]
            for draw in range(options.draws)
        ]
        compare("LEAKS: folds by single items, the rest of each reference known", items, leaking)


def main() -> None:
    """Print what was asked for, criterion by criterion."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument("--folds", type=int, default=6)
    parser.add_argument("--draws", type=int, default=1)
    parser.add_argument("--criterion", action="append")
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--weight-decay", type=float)
    parser.add_argument("--random", action="store_true", help="add folds by item, which leak")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as own:
        rows = read_rows(options.file) if options.file else demo_rows()
        for criterion, items in rows.items():
            if not options.criterion or criterion in options.criterion:
                measure(items, criterion, options, options.cache or Path(own))


if __name__ == "__main__":
    main()
