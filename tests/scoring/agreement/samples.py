"""Samples made of arrays, for tests of what is measured on them."""

import numpy as np

from core.statistics.resampling import bootstrap_weights
from scoring.agreement.figures import Sample


def sample_of(y: np.ndarray, clusters: np.ndarray, resamples: int = 200, seed: int = 0) -> Sample:
    """A sample of n labels and n reference numbers 0..R-1, of which each occurs."""
    count = int(clusters.max()) + 1
    weights = bootstrap_weights(count, resamples, seed)
    return Sample(y.astype(np.int64), clusters.astype(np.int64), count, weights)
