"""Samples made of arrays, for tests of what is measured on them."""

import numpy as np
from scipy import stats

from core.statistics.resampling import bootstrap_weights
from scoring.agreement.figures import Sample


def sample_of(y: np.ndarray, clusters: np.ndarray, resamples: int = 200, seed: int = 0) -> Sample:
    """A sample of n labels and n reference numbers 0..R-1, of which each occurs."""
    count = int(clusters.max()) + 1
    weights = bootstrap_weights(count, resamples, seed)
    return Sample(y.astype(np.int64), clusters.astype(np.int64), count, weights)


def jackknife_error(without: np.ndarray) -> float:
    """Return the standard error of a figure out of its values without each reference."""
    share = (len(without) - 1) / len(without)
    return float(np.sqrt(share * ((without - without.mean()) ** 2).sum()))


def jackknife_half(without: np.ndarray) -> float:
    """Return half the length of the figure's interval: Student's t at 95 %."""
    return float(stats.t.ppf(0.975, len(without) - 1) * jackknife_error(without))
