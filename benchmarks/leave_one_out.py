"""Measures the default model on unseen references, beside PatClaimEval-0 and n-gram metrics.

Usage: python benchmarks/leave_one_out.py [FILE] [--halves 200] [--criterion CRITERION]
Without FILE: the rated references of the demo campaign. FILE is patent-ce-jsonl or the published
JSON layout (docs/files.md). Each reference in turn is scored by a model that was trained on all
others; with --halves, half of the references drawn at random train, the others are scored, and it
is counted how often the model beats all six metrics there. Nothing is chosen on what is measured.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.shared.quadruplets import demo_rows, read_rows
from patclaimeval.agreement.comparisons import Compared, planned_pairs
from patclaimeval.agreement.correlation import tau_b
from patclaimeval.agreement.figures import Sample, make_sample, tau_b_figure
from patclaimeval.agreement.items import contains_reference
from patclaimeval.models.config import STRENGTH
from patclaimeval.models.data import Quadruplet
from patclaimeval.models.overlaps import overlap_differences
from patclaimeval.models.prior import load_prior, prior_of
from patclaimeval.models.ridge import Comparisons, fit
from patclaimeval.models.ridge_training import compare, differences, leave_one_out
from patclaimeval.models.validation import as_items

RESAMPLES = 1000
Vector = np.ndarray[Any, Any]


def of_prior(items: Sequence[Quadruplet], criterion: str) -> Vector:
    """Return score(B) - score(C) of PatClaimEval-0."""
    score = load_prior(criterion).score
    left, right = (np.array(score([item.pairs[side] for item in items])) for side in (0, 1))
    return left - right


def with_interval(figure: dict[str, Any]) -> str:
    """Write a figure with its 95 % interval, if it has one."""
    if figure["value"] is None:
        return "undefined"
    interval = "" if figure["low"] is None else f" [{figure['low']:.3f}, {figure['high']:.3f}]"
    return f"{figure['value']:.3f}{interval}"


def print_figures(
    title: str, items: Sequence[Quadruplet], ours: dict[str, Vector], others: dict[str, Vector]
) -> None:
    """Print tau-b of each scorer and each of ours against each other, with p after Holm."""
    sample: Sample = make_sample(as_items(items), RESAMPLES, 0)
    print(f"  {title}: {len(items)} items, {sample.cluster_count} references")
    for name, found in {**ours, **others}.items():
        print(f"    {name}: tau-b {with_interval(tau_b_figure(sample, found))}")
    for name, found in ours.items():
        rest = {other: theirs for other, theirs in (others | ours).items() if other != name}
        # A model is what planned tests compare with every other scorer.
        for pair in planned_pairs(Compared(sample, {f"model:{name}": found, **rest})):
            lead = with_interval(pair | {"value": pair["difference"]})
            print(f"    {name} over {pair['second']}: {lead}, p after Holm {pair['p_holm']}")


def drawn_halves(groups: Sequence[str], draws: int) -> Iterator[NDArray[np.bool_]]:
    """Yield which comparisons train: those of half of the references, drawn anew each time."""
    names = sorted(set(groups))
    rng = np.random.default_rng(0)
    for _ in range(draws):
        trained = rng.permutation(len(names))[: len(names) // 2]
        yield np.isin(groups, [names[i] for i in trained])


def random_halves(
    data: Comparisons, criterion: str, prior: Vector, others: dict[str, Vector], draws: int
) -> None:
    """Print how often the model and PatClaimEval-0 beat all others on the half not trained on."""
    won: dict[str, list[bool]] = {"model": [], "patclaimeval-0": []}
    taus: dict[str, list[float]] = {"model": [], "patclaimeval-0": []}
    for is_seen in drawn_halves(data.groups, draws):
        unseen = np.flatnonzero(~is_seen).tolist()
        model = fit(data.part(np.flatnonzero(is_seen).tolist()), prior_of(criterion), STRENGTH)
        best = max(tau_b(d[unseen], data.labels[unseen]).value or 0 for d in others.values())
        found = {"model": differences(model, data.part(unseen)), "patclaimeval-0": prior[unseen]}
        for name, own in found.items():
            value = tau_b(own, data.labels[unseen]).value or 0
            won[name].append(value > best)
            taus[name].append(value)
    for name, wins in won.items():
        print(
            f"  halves, {draws} draws: {name} beats all six in {np.mean(wins):.1%}, "
            f"mean tau-b {np.mean(taus[name]):.3f}"
        )


def measure(items: list[Quadruplet], criterion: str, options: Any) -> None:
    """Print the figures of one criterion."""
    print(criterion)
    data = compare(items, lambda done, of: None)
    ours = {
        "model": leave_one_out(data, prior_of(criterion), STRENGTH),
        "patclaimeval-0": of_prior(items, criterion),
    }
    others = overlap_differences(items)
    print_figures("each reference left out in turn", items, ours, others)
    kept = [i for i, item in enumerate(as_items(items)) if not contains_reference(item)]
    if len(kept) < len(items):
        print_figures(
            "without items that hold the reference",
            [items[i] for i in kept],
            {name: found[kept] for name, found in ours.items()},
            {name: found[kept] for name, found in others.items()},
        )
    if options.halves:
        random_halves(data, criterion, ours["patclaimeval-0"], others, options.halves)


def main() -> None:
    """Print what was asked for, criterion by criterion."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument("--halves", type=int, default=0, help="draws of random halves")
    parser.add_argument("--criterion", action="append")
    options = parser.parse_args()
    rows = read_rows(options.file) if options.file else demo_rows()
    for criterion, items in rows.items():
        if not options.criterion or criterion in options.criterion:
            measure(items, criterion, options)


if __name__ == "__main__":
    main()
