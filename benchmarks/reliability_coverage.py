"""Measures how often 95 % intervals of agreement among people hold the true value, by both methods.

    PYTHONPATH=. .venv/bin/python benchmarks/reliability_coverage.py
        [--references 50 100] [--simulations 1000] [--resamples 500]

Simulated campaigns: two to four candidates of each reference, whose quality lies around that of
their reference; three of four annotators rate each, with strictness of their own and noise that
differs among references, in whole points from 0 to 10. The true value is that of 4,000 references.
Both intervals rest on the same sums over references; one without bounds holds nothing.
"""

import argparse
from collections.abc import Callable, Iterator
from unittest.mock import patch

import numpy as np

from annotator.reliability.rules import order_agreement
from core.statistics import coefficients, resampling
from core.statistics.resampling import BOOTSTRAP, JACKKNIFE_T
from core.statistics.tables import Estimate, Table

POPULATION = 4_000
ANNOTATORS = 4
GIVEN = 3
METHODS = (BOOTSTRAP, JACKKNIFE_T)

FIGURES: dict[str, Callable[[Table, int, int], Estimate]] = {
    "alpha, interval": lambda table, draws, seed: coefficients.krippendorff_alpha(
        table, "interval", draws, seed
    ),
    "alpha, nominal": lambda table, draws, seed: coefficients.krippendorff_alpha(
        table, "nominal", draws, seed
    ),
    "ICC(2,1)": lambda table, draws, seed: (
        coefficients.intraclass_correlations(table, None, draws, seed).single
    ),
    "AC2": lambda table, draws, seed: coefficients.gwet_ac2(table, "quadratic", 10, draws, seed),
    "equal scores": lambda table, draws, seed: (
        coefficients.raw_agreement(table, 1, draws, seed).exact
    ),
    "order, tau": lambda table, draws, seed: order_agreement(table, draws, seed).tau,
}


def main() -> None:
    """Print the coverage of each figure by number of references."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--references", type=int, nargs="*", default=[50, 100])
    parser.add_argument("--simulations", type=int, default=1_000)
    parser.add_argument("--resamples", type=int, default=500)
    options = parser.parse_args()
    print(f"coverage in % over {options.simulations} simulations: bootstrap, jackknife t")
    for references in options.references:
        found = coverage(references, options.simulations, options.resamples)
        for name, held in found.items():
            shares = "  ".join(f"{100 * held[method]:5.1f}" for method in METHODS)
            print(f"  {references:4} references  {name:16} {shares}", flush=True)


def coverage(references: int, simulations: int, resamples: int) -> dict[str, dict[str, float]]:
    """Return how often intervals hold the true value, by figure and method."""
    rng = np.random.default_rng(7)
    population = simulated(POPULATION, rng)
    truth = {name: measure(population, 1, 0).value for name, measure in FIGURES.items()}
    held = {name: dict.fromkeys(METHODS, 0.0) for name in FIGURES}
    for seed in range(simulations):
        table = simulated(references, rng)
        for name, method, found in both_intervals(table, resamples, seed):
            low, high, true = found.low, found.high, truth[name]
            holds = low is not None and high is not None and low <= (true or 0.0) <= high
            held[name][method] += holds / simulations
    return held


def both_intervals(table: Table, resamples: int, seed: int) -> Iterator[tuple[str, str, Estimate]]:
    """Yield each figure with its interval by each method."""
    for method in METHODS:
        with patch.object(resampling, "interval_method", lambda count, method=method: method):
            for name, measure in FIGURES.items():
                yield name, method, measure(table, resamples, seed)


def simulated(references: int, rng: np.random.Generator) -> Table:
    """Draw the ratings of R references."""
    sizes = rng.integers(2, 5, references)
    cluster = np.repeat(np.arange(references), sizes)
    quality = rng.normal(6, 1, references)[cluster] + rng.normal(0, 1.5, len(cluster))
    strictness = np.linspace(-0.5, 0.5, ANNOTATORS)
    noise = rng.normal(
        0, rng.uniform(0.5, 2, references)[cluster][:, None], (len(cluster), ANNOTATORS)
    )
    values = np.clip(np.rint(quality[:, None] - strictness + noise), 0, 10)
    rank = rng.random(values.shape).argsort(axis=1).argsort(axis=1)
    values[rank >= GIVEN] = np.nan
    names = tuple(f"reference {number:05}" for number in cluster)
    items = tuple(f"item {number:06}" for number in range(len(cluster)))
    return Table(values, names, items, tuple(f"annotator {n}" for n in range(ANNOTATORS)))


if __name__ == "__main__":
    main()
