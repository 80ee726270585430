"""Measures what choosing the order of references saves against a random order, and what it costs.

Usage: python benchmarks/choosing.py [FILE] [--criterion CRITERION] [--sets 120] [--share 30]
Without FILE: the rated references of the demo campaign. FILE is patent-ce-jsonl or the published
JSON layout (docs/files.md). Three references at a time are left out and scored by models that were
trained on the first of the others in some order. Nothing is chosen on what is measured.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import numpy as np

from annotator.planning.choosing.rules import control_count, mixed
from annotator.rubric import CRITERIA
from benchmarks.unseen_references.rows import demo_rows, read_rows
from scoring.agreement.correlation import tau_b
from scoring.agreement.figures import make_sample, tau_b_figure
from scoring.choosing.rules import lesson_of, teaching_order
from scoring.patclaimeval.config import STRENGTH
from scoring.patclaimeval.data import Quadruplet
from scoring.patclaimeval.features import GROUPS
from scoring.patclaimeval.prior import load_prior, prior_of, prior_scales
from scoring.patclaimeval.ridge import fit, group_scores
from scoring.patclaimeval.ridge_training import compare, differences
from scoring.patclaimeval.validation import as_items

LEFT_OUT: Final = 3
DRAWN: Final = 5
"""Random orders, and random controls, of each set of references that is left out."""
BUDGETS: Final = (12, 20, 28, 36, 48, 60, 80)
ENOUGH: Final = 0.95
RESAMPLES: Final = 1000
Order = Callable[[Sequence[str]], list[str]]
Vector = np.ndarray[Any, Any]


class Sample:
    """The comparisons of one criterion, by reference, and what each rule knows of a reference."""

    def __init__(self, items: list[Quadruplet], criterion: str) -> None:
        self.items, self.criterion = items, criterion
        self.data = compare(items, lambda done, of: None)
        self.groups = np.array(self.data.groups)
        self.names = sorted(set(self.data.groups))
        self.pairs = {name: self._pairs(name) for name in self.names}

    def _pairs(self, name: str) -> Vector:
        is_own = self.groups == name
        return np.unique(np.concatenate([self.data.b[is_own], self.data.c[is_own]]))

    def places(self, names: Sequence[str]) -> list[int]:
        return np.flatnonzero(np.isin(self.groups, list(names))).tolist()

    def rules(self) -> dict[str, Order]:
        """Return the orders that are compared; each takes the references that wait."""
        scales = prior_scales()
        groups = group_scores(self.data.features, scales, list(GROUPS))
        lessons = {name: lesson_of(groups[rows]) for name, rows in self.pairs.items()}
        scores = {
            name: load_prior(name).model.scores(self.data.features)
            for name in {self.criterion, *CRITERIA}
        }
        even = np.stack([(v - v.mean()) / v.std() for n, v in scores.items() if n in CRITERIA])

        def teaching(waiting: Sequence[str]) -> list[str]:
            places = teaching_order([lessons[name] for name in waiting], [], STRENGTH)
            return [waiting[place] for place in places]

        def gap(name: str) -> float:
            own = scores[self.criterion][self.pairs[name]]
            return float(np.mean([abs(one - two) for one, two in combinations(own, 2)]))

        def spread(name: str) -> float:
            return float(even[:, self.pairs[name]].std(axis=0).mean())

        return {
            "what the model is unsure of": teaching,
            "closest scores": partial(sorted, key=gap),
            "widest scores": partial(sorted, key=lambda name: -gap(name)),
            "criteria differ": partial(sorted, key=lambda name: -spread(name)),
            "most candidates": partial(sorted, key=lambda name: -len(self.pairs[name])),
        }

    def curve(self, order: Sequence[str], unseen: Sequence[str]) -> Vector:
        """Return tau-b on unseen references after each budget of candidates, nan before any."""
        test = self.data.part(self.places(unseen))
        found, rated = np.full(len(BUDGETS), np.nan), 0
        for count, name in enumerate(order, start=1):
            rated += len(self.pairs[name])
            train = self.data.part(self.places(order[:count]))
            model = fit(train, prior_of(self.criterion), STRENGTH)
            tau = tau_b(differences(model, test), test.labels).value or 0.0
            found[[rated <= budget for budget in BUDGETS]] = tau
        return found


def left_out(names: Sequence[str], sets: int) -> list[tuple[str, ...]]:
    """Return sets of references to leave out: all there are, or so many drawn."""
    every = list(combinations(names, LEFT_OUT))
    return every if len(every) <= sets else random.Random(0).sample(every, sets)


def mean_curve(sample: Sample, orders: Sequence[Sequence[str]], unseen: Sequence[str]) -> Vector:
    return np.nanmean([sample.curve(order, unseen) for order in orders], axis=0)


def reached(curve: Vector, enough: float) -> str:
    """Say at which budget a mean curve is near its end for good."""
    below = np.flatnonzero(~(curve >= enough))
    place = int(below[-1]) + 1 if len(below) else 0
    return str(BUDGETS[place]) if place < len(BUDGETS) else f"over {BUDGETS[-1]}"


def print_learning(sample: Sample, options: Any) -> None:
    """Print tau-b by how many candidates are rated, and the gain over a random order."""
    chance = random.Random(0)
    found: dict[str, list[Vector]] = {}
    rules = sample.rules()
    for unseen in left_out(sample.names, options.sets):
        waiting = [name for name in sample.names if name not in unseen]

        def drawn(waiting: list[str] = waiting) -> list[str]:
            return chance.sample(waiting, len(waiting))

        orders = [drawn() for _ in range(DRAWN)]
        found.setdefault("random", []).append(mean_curve(sample, orders, unseen))
        for name, rule in rules.items():
            chosen = rule(waiting)
            found.setdefault(name, []).append(sample.curve(chosen, unseen))
            mixes = []
            for _ in range(DRAWN):
                control = drawn()[: control_count(options.share, len(waiting))]
                rest = [one for one in chosen if one not in control]
                mixes.append(mixed(control, rest, options.share, chance))
            with_control = f"{name}, {options.share} % control"
            found.setdefault(with_control, []).append(mean_curve(sample, mixes, unseen))
    base = np.array(found["random"])
    end = ENOUGH * float(np.nanmean(base[:, -1]))
    print(f"  candidates rated: {', '.join(map(str, BUDGETS))}; near the end from {end:.3f}")
    for name, curves in found.items():
        mean = np.nanmean(curves, axis=0)
        gains = np.nanmean((np.array(curves) - base)[:, :5], axis=1)
        low, high = np.nanquantile(gains, [0.025, 0.975])
        figures = " ".join(f"{value:.3f}" for value in mean)
        lead = f"gain up to {BUDGETS[4]}: {np.nanmean(gains):+.3f} [{low:+.3f}, {high:+.3f}]"
        print(f"  {name}: {figures}; near the end at {reached(mean, end)}; {lead}")


def print_intervals(sample: Sample, options: Any) -> None:
    """Print how wide the interval of PatClaimEval-0's tau-b is, and what a chosen half shows."""
    score = load_prior(sample.criterion).model.scores(sample.data.features)
    gap = score[sample.data.b] - score[sample.data.c]

    def figure(names: Sequence[str]) -> dict[str, Any]:
        at = sample.places(names)
        items = as_items([sample.items[place] for place in at])
        return tau_b_figure(make_sample(items, RESAMPLES, 0), gap[at])

    chance, total = random.Random(0), len(sample.names)
    print(f"  PatClaimEval-0 on all {total} references: {figure(sample.names)['value']:.3f}")
    for count in sorted({control_count(options.share, total), total // 2, total}):
        drawn = [figure(chance.sample(sample.names, count)) for _ in range(options.sets)]
        wide = [one["high"] - one["low"] for one in drawn if one["low"] is not None]
        values = [one["value"] for one in drawn if one["value"] is not None]
        spread = f"{np.mean(values):.3f} (sd {np.std(values):.3f})"
        width = f"{np.median(wide):.3f}" if wide else "none"
        print(f"  {count} drawn references: mean {spread}, median width of the interval {width}")
    for name, rule in sample.rules().items():
        value = figure(rule(sample.names)[: total // 2])["value"]
        print(f"  the first {total // 2} by {name}: {value:.3f}")


def main() -> None:
    """Print what was asked for, criterion by criterion."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument("--criterion", action="append")
    parser.add_argument("--sets", type=int, default=120, help="sets of references left out")
    parser.add_argument("--share", type=int, default=30, help="control, in per cent")
    options = parser.parse_args()
    for criterion, items in (read_rows(options.file) if options.file else demo_rows()).items():
        if not options.criterion or criterion in options.criterion:
            sample = Sample(items, criterion)
            print(f"{criterion}: {len(items)} items, {len(sample.names)} references")
            print_learning(sample, options)
            print_intervals(sample, options)


if __name__ == "__main__":
    main()
