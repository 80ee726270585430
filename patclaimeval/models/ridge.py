"""The default model: ridge regression around a prior, over groups of named features.

z of a feature is (f - centre) / scale, held within +-CLIP: the centre is the mean over the pairs
seen, the scale the root mean square (RMS) of f_B - f_C over the comparisons. A group's score is the
mean of its members' z, divided by the RMS of its own difference. A pair's score is the sigmoid of
GAIN times the sum of w_g times the group scores. With D the group differences, shape [n, g], and y
the labels, w = (D'D + K I)^-1 (D'y + K c w0): the closed form of least squares held to c w0 with
strength K, where c is the slope of y on D w0. With few labels the prior w0 decides, with many they
do. Exact: the same comparisons give the same bits.

The groups are those of FEATURES, and what ``beside`` puts next to them: the score of another
scorer, of a fine-tuned encoder say, is one more column and a group of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from patclaimeval.models.config import STRENGTH
from patclaimeval.models.features import GROUPS, Matrix, Vector

CLIP: Final = 3.0
"""Features are held within so many scales, so that no outlier decides alone."""
GAIN: Final = 0.25
"""What a logit is multiplied with: over the range that claims reach the sigmoid is then straight,
and two poor candidates differ as two good ones do."""


Columns = Mapping[str, Sequence[str]]
"""The names of the columns of each group, in their order."""


@dataclass(frozen=True)
class Scales:
    """What turns features into group scores.

    ``centre`` and ``scale`` are of FEATURES, shape [size]; ``spread`` is the RMS of each group's
    difference, by name. What never differs has scale or spread 0 and counts nothing. ``columns``
    names those of each group.
    """

    centre: Vector
    scale: Vector
    spread: Mapping[str, float]
    columns: Columns = field(default_factory=lambda: GROUPS)


@dataclass(frozen=True)
class Linear:
    """A model: s = sigmoid(GAIN * sum of ``weight`` times clip((f - ``centre``) * ``factor``)).

    The vectors are of FEATURES, shape [size].
    """

    centre: Vector
    factor: Vector
    weight: Vector

    def contributions(self, features: Matrix) -> Matrix:
        """Return what each feature adds to the score of n pairs before GAIN; shapes [n, size]."""
        standard = np.clip((features - self.centre) * self.factor, -CLIP, CLIP)
        return np.asarray(standard * self.weight)

    def scores(self, features: Matrix) -> Vector:
        """Return the scores of n pairs in (0, 1), shape [n]; each by itself, to the same bits."""
        # A product of a matrix may round a row by the rows beside it; a sum along rows does not.
        return np.asarray(1 / (1 + np.exp(-GAIN * self.contributions(features).sum(axis=1))))


@dataclass(frozen=True)
class Comparisons:
    """Features of pairs, shape [pairs, size], and n comparisons of them.

    ``b`` and ``c``, shape [n], are row numbers; ``labels``, shape [n], are 1, 0 or -1; ``groups``
    names the reference of each comparison. ``columns`` names those of the features.
    """

    features: Matrix
    b: NDArray[np.int64]
    c: NDArray[np.int64]
    labels: Vector
    groups: Sequence[str]
    columns: Columns = field(default_factory=lambda: GROUPS)

    def part(self, items: Sequence[int]) -> Comparisons:
        """Return the comparisons at the given positions."""
        at = np.asarray(items, dtype=np.int64)
        groups = [self.groups[i] for i in items]
        return replace(self, b=self.b[at], c=self.c[at], labels=self.labels[at], groups=groups)


def measure_scales(data: Comparisons) -> Scales:
    """Return centre, scale and spread over the comparisons; labels have no part in it."""
    differences = data.features[data.b] - data.features[data.c]
    seen = data.features[np.unique(np.concatenate([data.b, data.c]))]
    centre, scale = seen.mean(axis=0), _rms(differences)
    scores = _group_means(data.features, centre, scale, data.columns)
    spread = {g: float(_rms(each[data.b] - each[data.c])) for g, each in scores.items()}
    return Scales(centre, scale, spread, data.columns)


def fit(data: Comparisons, prior: Mapping[str, float], strength: float = STRENGTH) -> Linear:
    """Fit a model; the formula stands above."""
    scales = measure_scales(data)
    return combine(scales, group_weights(data, scales, prior, strength))


def group_weights(
    data: Comparisons, scales: Scales, prior: Mapping[str, float], strength: float
) -> dict[str, float]:
    """Return w: the weight of each group that ``prior`` names."""
    names = list(prior)
    scores = group_scores(data.features, scales, names)
    differences = scores[data.b] - scores[data.c]
    before = np.array([prior[g] for g in names])
    said = differences @ before
    # A prior that the labels contradict as a whole is not turned round but left at nought.
    slope = max(0.0, float(data.labels @ said) / max(float(said @ said), 1e-12))
    # Least squares of the normal equations: with strength 0 they may have no one solution.
    weights = np.linalg.lstsq(
        differences.T @ differences + strength * np.eye(len(names)),
        differences.T @ data.labels + strength * slope * before,
    )[0]
    return dict(zip(names, weights.tolist(), strict=True))


def group_scores(features: Matrix, scales: Scales, names: Sequence[str]) -> Matrix:
    """Return the scores of n pairs in each group of ``names``; shapes [n, size], [n, names]."""
    means = _group_means(features, scales.centre, scales.scale, scales.columns)
    return np.stack([means[g] * _inverse(scales.spread[g]) for g in names], axis=1)


def combine(scales: Scales, weights: Mapping[str, float]) -> Linear:
    """Return the model that gives each group its weight."""
    weight = [
        weights.get(group, 0.0) * _inverse(scales.spread[group]) / len(names)
        for group, names in scales.columns.items()
        for _ in names
    ]
    factor = np.array([_inverse(value) for value in scales.scale.tolist()])
    return Linear(scales.centre, factor, np.array(weight))


def _group_means(
    features: Matrix, centre: Vector, scale: Vector, columns: Columns
) -> dict[str, Vector]:
    factor = np.array([_inverse(value) for value in scale.tolist()])
    standard = np.clip((features - centre) * factor, -CLIP, CLIP)
    means = {}
    place = 0
    for group, names in columns.items():
        means[group] = standard[:, place : place + len(names)].mean(axis=1)
        place += len(names)
    return means


def _rms(differences: Matrix) -> Vector:
    return np.asarray(np.sqrt((differences**2).mean(axis=0)))


def _inverse(value: float) -> float:
    return 1 / value if value > 1e-9 else 0.0
