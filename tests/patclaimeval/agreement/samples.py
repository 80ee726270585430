"""Samples made of arrays, for tests of what is measured on them."""

from collections.abc import Callable

import numpy as np
from scipy import stats

from patclaimeval.agreement.classification import Statistic, confusion, statistic
from patclaimeval.agreement.figures import LABEL_FIGURES, Sample
from patclaimeval.agreement.items import Labels
from patclaimeval.statistics.resampling import bootstrap_weights


def sample_of(y: np.ndarray, clusters: np.ndarray, resamples: int = 200, seed: int = 0) -> Sample:
    """A sample of n labels and n reference numbers 0..R-1, of which each occurs."""
    count = int(clusters.max()) + 1
    weights = bootstrap_weights(count, resamples, seed)
    return Sample(y.astype(np.int64), clusters.astype(np.int64), count, weights)


def jackknife_half(without: np.ndarray) -> float:
    """Half of a 95 % interval, from the values without each of the references."""
    count = len(without)
    error = np.sqrt((count - 1) / count * ((without - without.mean()) ** 2).sum())
    return float(stats.t.ppf(0.975, count - 1) * error)


def item_arrays(rows: list[tuple[int, int, int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Differences in eighths, labels and reference numbers of rows of whole numbers."""
    x, y, clusters = (np.array(side, dtype=np.int64) for side in zip(*rows, strict=True))
    return x / 8.0, y, clusters


def of_labels(name: str) -> Callable[[Labels, Labels], Statistic]:
    """One of LABEL_FIGURES as a function of predicted and human labels."""
    figure = LABEL_FIGURES[name]

    def of_lists(predicted: Labels, y: Labels) -> Statistic:
        table = confusion(predicted, y)
        return statistic(float(figure.of_tables(table)), figure.reason(table))

    return of_lists
