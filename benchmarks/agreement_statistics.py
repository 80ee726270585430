"""Measures the agreement statistics of one scorer: time, memory, growth, and whether they are true.

    PYTHONPATH=. .venv/bin/python benchmarks/agreement_statistics.py
        [--items 10000 100000 1000000] [--resamples 1000] [--simulations 400]
        [--references 5 10 20 40 50 80 100 200]

Every size runs in a process of its own, on arrays (labels, reference numbers, differences) of 100
items a reference, with all figures of `measure` and both kinds of interval; peak is the resident
memory of the whole process, numpy included. The peer is scipy's kendalltau on the same items: one
call a value of tau-b, so that its time for the resamples is that of three, times their number, and
is marked as extrapolated. `items` starts from Item objects instead, pairs of 15 candidates of 60
words a reference, and adds what a report counts about them. Coverage is the share of simulated
samples whose 95 % interval holds the true value: 10 items from 5 candidates of each reference, or,
where references differ, 1 to 28 of 2 to 8, and the scorer follows people in some of them better.
"""

import argparse
import itertools
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from scoring.agreement.classification import predicted_labels
from scoring.agreement.figures import FIGURE_NAMES, make_sample, make_sample_from_arrays, measure

ROOT = Path(__file__).resolve().parent.parent
ITEMS_A_REFERENCE = 100
CANDIDATES = 15
TIE_THRESHOLD = 0.3
PEER_RESAMPLES = 3
POPULATION = 30_000
MOST_CANDIDATES = 8
# How strongly a scorer follows people, how much that differs among references, and their sizes.
SCENARIOS = {
    "random": (0.0, 0.0, False),
    "correlated": (0.5, 0.0, False),
    "correlated, references differ": (0.5, 0.5, True),
}
Arrays = tuple[Any, Any, Any]


def main() -> None:
    """Print what was asked for, table by table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--items", type=int, nargs="*", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--simulations", type=int, default=400)
    parser.add_argument(
        "--references", type=int, nargs="*", default=[5, 10, 20, 40, 50, 80, 100, 200]
    )
    parser.add_argument("--measure", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        kind, items, resamples = options.measure
        print(json.dumps(measured(MEASURED[kind](int(items), int(resamples)))))
        return
    for resamples in (0, options.resamples):
        print(f"{resamples} resamples: all figures of one scorer")
        report("own", options.items, resamples)
    print(f"peer, scipy kendalltau: tau-b alone, once and {options.resamples} times (extrapolated)")
    report("peer", options.items, options.resamples)
    print("items: from Item objects, all figures and what a report counts, no resamples")
    report("items", options.items, 0)
    if options.simulations:
        report_coverage(options.references, options.simulations, options.resamples)


def report(kind: str, sizes: list[int], resamples: int) -> None:
    """Measure each size in another process; print seconds, memory, growth of processor time."""
    before: float | None = None
    for items in sizes:
        own = ["-m", "benchmarks.agreement_statistics", "--measure", kind]
        own += [str(items), str(resamples)]
        done = subprocess.run(
            [sys.executable, *own], check=True, capture_output=True, text=True, cwd=ROOT
        )
        found = json.loads(done.stdout)
        growth = f"  x {found['cpu'] / before:.1f}" if before else ""
        more = "".join(f"  {name}: {value:,.2f}" for name, value in found["more"].items())
        print(
            f"  {items:9,} items {found['wall']:8.2f} s {found['cpu']:8.2f} s CPU "
            f"{found['peak']:6,.0f} MB peak{growth}{more}",
            flush=True,
        )
        before = found["cpu"]


def measured(do: Callable[[], dict[str, float]]) -> dict[str, Any]:
    """Carry it out; return wall and processor seconds, peak memory in MB, and what it returns."""
    wall, cpu = time.perf_counter(), time.process_time()
    more = do()
    return {
        "wall": time.perf_counter() - wall,
        "cpu": time.process_time() - cpu,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "more": more,
    }


def own(items: int, resamples: int) -> Callable[[], dict[str, float]]:
    """Return what computes every figure from arrays."""
    y, clusters, differences = many(items)
    warm()

    def do() -> dict[str, float]:
        sample = make_sample_from_arrays(y, clusters, resamples, 0)
        measure(sample, differences, predicted_labels(differences, TIE_THRESHOLD))
        return {}

    return do


def peer(items: int, resamples: int) -> Callable[[], dict[str, float]]:
    """Return what computes tau-b with scipy, once for all items and on a few resamples."""
    from scipy.stats import kendalltau

    y, clusters, differences = many(items)
    rng = np.random.default_rng(0)
    starts = np.argsort(clusters, kind="stable").reshape(-1, ITEMS_A_REFERENCE)

    def do() -> dict[str, float]:
        begin = time.process_time()
        kendalltau(differences.ravel(), y.ravel())
        once = time.process_time() - begin
        for _ in range(PEER_RESAMPLES):
            drawn = starts[rng.integers(0, len(starts), len(starts))].ravel()
            kendalltau(differences[drawn], y[drawn])
        each = (time.process_time() - begin - once) / PEER_RESAMPLES
        return {"s once": once, f"s for {resamples} resamples, extrapolated": each * resamples}

    return do


def of_items(items: int, resamples: int) -> Callable[[], dict[str, float]]:
    """Return what starts from Item objects and scores by text."""
    from scoring.agreement.items import (
        Item,
        ScorerScores,
        comparable_items,
        distinct_texts,
        item_checks,
        score_differences,
    )

    rng = np.random.default_rng(0)
    claims = "a cup comprising a wall and a handle joined to said wall; " * 5
    sides = list(itertools.combinations(range(CANDIDATES), 2))[:ITEMS_A_REFERENCE]
    made: list[Item] = []
    scores: dict[tuple[str, str], float] = {}
    for r, labels in enumerate(rng.integers(-1, 2, (items // len(sides), len(sides))).tolist()):
        reference, texts = f"{r} {claims}", [f"{r} {c} {claims}" for c in range(CANDIDATES)]
        given = rng.normal(size=CANDIDATES).tolist()
        scores |= {(reference, text): score for text, score in zip(texts, given, strict=True)}
        made += [
            Item(f"r{r}", reference, texts[b], texts[c], label)
            for (b, c), label in zip(sides, labels, strict=True)
        ]
    warm()

    def do() -> dict[str, float]:
        begin = time.process_time()
        distinct_texts(made)
        comparable = comparable_items(made, [ScorerScores("one", "1", scores)])
        left = score_differences(comparable.items, comparable.scorers[0])
        sample = make_sample(comparable.items, resamples, 0)
        measure(sample, left, predicted_labels(left, TIE_THRESHOLD))
        figures = time.process_time() - begin
        item_checks(comparable.items)
        return {"s CPU of it for the counts": time.process_time() - begin - figures}

    return do


def warm() -> None:
    """Measure a few items, so that what is imported on first use is not timed."""
    figures_of((np.array([1, 0, -1, 1]), np.array([0, 0, 1, 1]), np.arange(4.0)), 100, 0)


MEASURED = {"own": own, "peer": peer, "items": of_items}


def many(items: int) -> Arrays:
    """Draw labels, reference numbers and differences without ties of n items."""
    rng = np.random.default_rng(0)
    y = rng.integers(-1, 2, items)
    clusters = rng.permutation(np.arange(items) // ITEMS_A_REFERENCE)
    return y, clusters, rng.normal(size=items) + 0.5 * y


def simulated(scenario: str, references: int, rng: np.random.Generator) -> Arrays:
    """Draw all pairs of the candidates of R references: their labels, references, differences."""
    strength, spread, is_unequal = SCENARIOS[scenario]
    shape = (references, MOST_CANDIDATES)
    people = np.round(rng.normal(6.0, 1.5, shape))
    scorer = rng.normal(strength, spread, (references, 1)) * people + rng.normal(0, 1.5, shape)
    count = rng.integers(2, MOST_CANDIDATES + 1, references) if is_unequal else 5
    first, second = np.triu_indices(MOST_CANDIDATES, 1)
    is_drawn = np.broadcast_to(second < np.reshape(count, (-1, 1)), (references, len(second)))
    side = rng.choice((-1, 1), is_drawn.shape)
    y = np.sign(people[:, first] - people[:, second]) * side
    differences = (scorer[:, first] - scorer[:, second]) * side
    clusters = np.nonzero(is_drawn)[0]
    return y[is_drawn].astype(np.int64), clusters, differences[is_drawn]


def figures_of(arrays: Arrays, resamples: int, seed: int) -> dict[str, Any]:
    """Compute every figure of a simulated sample."""
    y, clusters, differences = arrays
    sample = make_sample_from_arrays(y, clusters, resamples, seed)
    return measure(sample, differences, predicted_labels(differences, TIE_THRESHOLD))


def coverage(
    scenario: str, references: int, simulations: int, resamples: int
) -> dict[str, dict[str, float]]:
    """Return how often intervals hold the true value, by figure and kind of interval.

    The true value is that of 30,000 references. `printed` is the interval that stands first; one
    without bounds holds nothing.
    """
    rng = np.random.default_rng(5)
    truth = figures_of(simulated(scenario, POPULATION, rng), 0, 0)
    kinds = ("printed", "bootstrap", "jackknife-t")
    held = {name: dict.fromkeys(kinds, 0.0) for name in FIGURE_NAMES}
    for seed in range(simulations):
        found = figures_of(simulated(scenario, references, rng), resamples, seed)
        for name in FIGURE_NAMES:
            if found[name]["value"] is None:
                continue
            for kind, interval in {"printed": found[name], **found[name]["intervals"]}.items():
                low, high = interval["low"], interval["high"]
                holds = low is not None and low <= truth[name]["value"] <= high
                held[name][kind] += holds / simulations
    return held


def report_coverage(sizes: list[int], simulations: int, resamples: int) -> None:
    """Print how often 95 % intervals hold the true value: of tau-b, then of all figures."""
    print(
        f"coverage in % over {simulations} simulations: tau-b by the printed interval and by "
        "either kind; then all figures, from the lowest to the highest, by either kind"
    )
    for scenario in SCENARIOS:
        for references in sizes:
            held = coverage(scenario, references, simulations, resamples)
            tau_b = {kind: f"{100 * share:5.1f}" for kind, share in held["tau_b"].items()}
            ranges = [
                f"{100 * min(shares):.1f} to {100 * max(shares):.1f}"
                for kind in ("bootstrap", "jackknife-t")
                for shares in ([held[name][kind] for name in FIGURE_NAMES],)
            ]
            print(
                f"  {scenario:30} {references:3} references  printed {tau_b['printed']}  "
                f"bootstrap {tau_b['bootstrap']}  jackknife t {tau_b['jackknife-t']}  "
                f"figures {ranges[0]}, {ranges[1]}",
                flush=True,
            )


if __name__ == "__main__":
    main()
