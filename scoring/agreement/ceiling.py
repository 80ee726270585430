"""The human ceiling: how well one annotator agrees with the others, judged as a scorer is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from scoring.agreement import resampling
from scoring.agreement.figures import LABEL_FIGURES, Sample
from scoring.agreement.items import Floats, Integers
from scoring.agreement.left_out_annotator import Judged, Overlap, judge_everybody
from scoring.agreement.resampled import (
    Resampled,
    figure_of,
    no_figure,
    part_of,
    resample_tables,
    resample_tau_b,
)
from scoring.agreement.tables import cluster_confusions, divide

TAU_B: Final = "tau_b"
_LABEL_NAMES: Final = ("tau_b_labels", "tau_paper", "accuracy", "f1_weighted")

# Below it, anybody who knows one annotator's figures knows the other's.
LEAST_TOLD_APART: Final = 3
NO_OVERLAP: Final = (
    "Ceiling unknown: no annotator rated two candidates that others rated too, so there is "
    "nothing to compare people with."
)
UNDEFINED: Final = "Ceiling unknown: people's comparisons do not vary enough to be ranked."
METHOD: Final = (
    "Each annotator is judged as if a scorer: the difference of their own two ratings against the "
    "label that follows from the mean of the other annotators' ratings, on all items that both "
    "rated; the mean over annotators, weighted by their items. Others' means rest on fewer ratings "
    "than the labels do, so this ceiling is rather too low than too high."
)


@dataclass(frozen=True, slots=True)
class _Person:
    """One annotator: each statistic, and the number of items, over all references of the ceiling.

    `n` has the shape of a Resampled: all items, those of each resample, those without a reference.
    """

    n: Resampled
    references: int
    statistics: dict[str, Resampled]


def human_ceiling(overlap: Overlap, resamples: int, seed: int) -> dict[str, Any]:
    """Judge each annotator by the mean of the others, and average over annotators.

    Input: ratings and items; resamples >= 1 of the bootstrap, a whole seed >= 0.
    Output: JSON-ready: value, low, high (tau-b); n (items on which somebody could be compared),
    comparisons (the sum over annotators), annotators, references; tau_b_labels, tau_paper,
    accuracy, f1_weighted, each value, low, high; per_annotator (annotator, n, references, value
    and the others), in an order drawn from the seed, and none below 3 annotators; method. Without
    overlap every value is None, with the reason.
    Formula: sum of n_a x statistic_a / sum of n_a over the annotators a where it is defined.
    Source: a scorer's place taken by a left-out annotator, as the lower bound of a noise ceiling:
    Nili et al., 2014.
    """
    judged = [one for one in judge_everybody(overlap) if len(one.items)]
    if not judged:
        nothing = {name: no_figure(NO_OVERLAP) for name in (TAU_B, *_LABEL_NAMES)}
        return _document(nothing, _counts([], 0), [])
    items: Integers = np.unique(np.concatenate([one.items for one in judged]))
    numbers: Integers = np.unique(overlap.cluster[items])
    weights = resampling.bootstrap_weights(len(numbers), resamples, seed)
    people = []
    for one in judged:
        clusters = np.searchsorted(numbers, overlap.cluster[one.items])
        people.append(_person(one, Sample(one.y, clusters, len(numbers), weights)))
    names = (TAU_B, *_LABEL_NAMES)
    figures = {name: figure_of(_mean(people, name), UNDEFINED, _lowest(name)) for name in names}
    return _document(
        figures, _counts(judged, len(numbers)) | {"n": len(items)}, _one_by_one(people, seed)
    )


def _person(judged: Judged, sample: Sample) -> _Person:
    part, references = part_of(sample, np.arange(len(judged.items)))
    tables = cluster_confusions(judged.own, part.y, part.clusters, part.cluster_count)
    counts = tables.sum(axis=(1, 2)).astype(np.float64)
    n = Resampled(float(len(judged.items)), part.weights @ counts, counts.sum() - counts)
    statistics = {TAU_B: resample_tau_b(part, judged.differences)} | {
        name: resample_tables(part, tables, LABEL_FIGURES[name].of_tables) for name in _LABEL_NAMES
    }
    return _Person(
        _over_all(n, references, sample.cluster_count),
        part.cluster_count,
        {
            name: _over_all(found, references, sample.cluster_count)
            for name, found in statistics.items()
        },
    )


def _over_all(found: Resampled, references: Integers, count: int) -> Resampled:
    """Without a reference of which the annotator rated nothing, a statistic stays as it is."""
    without = np.full(count, found.value)
    without[references] = found.without_reference
    return Resampled(found.value, found.bootstrap, without)


def _mean(people: Sequence[_Person], name: str) -> Resampled:
    """The mean over annotators, weighted by items; those for whom it is undefined stand aside."""
    rows = [_row(person.statistics[name]) for person in people]
    values, n = np.stack(rows), np.stack([_row(person.n) for person in people])
    n = np.where(np.isnan(values), 0.0, n)
    mean = divide((n * np.nan_to_num(values)).sum(axis=0), n.sum(axis=0))
    resamples = len(people[0].n.bootstrap)
    return Resampled(float(mean[0]), mean[1 : 1 + resamples], mean[1 + resamples :])


def _row(found: Resampled) -> Floats:
    return np.concatenate([[found.value], found.bootstrap, found.without_reference])


def _one_by_one(people: Sequence[_Person], seed: int) -> list[dict[str, Any]]:
    if len(people) < LEAST_TOLD_APART:
        return []
    told = []
    for place, index in enumerate(np.random.default_rng(seed).permutation(len(people)).tolist()):
        person = people[index]
        figures = {
            name: None if np.isnan(found.value) else found.value
            for name, found in person.statistics.items()
        }
        counts = {"n": int(person.n.value), "references": person.references}
        told.append(
            {
                "annotator": f"Annotator {place + 1}",
                **counts,
                "value": figures.pop(TAU_B),
                **figures,
            }
        )
    return told


def _counts(judged: Sequence[Judged], references: int) -> dict[str, int]:
    comparisons = sum(len(one.items) for one in judged)
    return {"n": 0, "comparisons": comparisons, "annotators": len(judged), "references": references}


def _document(
    figures: dict[str, dict[str, Any]], counts: dict[str, int], told: list[dict[str, Any]]
) -> dict[str, Any]:
    first = figures.pop(TAU_B)
    return {**first, **counts, **figures, "per_annotator": told, "method": METHOD}


def _lowest(name: str) -> float:
    return -1.0 if name == TAU_B else LABEL_FIGURES[name].lowest
