"""The human ceiling: how well one annotator agrees with the others, judged as a scorer is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

import numpy as np

from patclaimeval.agreement.classification import cluster_confusions
from patclaimeval.agreement.figures import (
    LABEL_FIGURES,
    Resampled,
    Sample,
    figure_of,
    no_figure,
    part_of,
    resample_labels,
    resample_tau_b,
)
from patclaimeval.agreement.items import Floats, Integers
from patclaimeval.statistics import resampling
from patclaimeval.statistics.resampling import divide


@dataclass(frozen=True, slots=True)
class Overlap:
    """Ratings of candidates, and the items (pairs of candidates) that they decide.

    m ratings: `candidate` and `annotator` number who rated what, from 0; `value` is a whole number
    (points, or numerators of the overall); each annotator rates a candidate once.
    n items: `b` and `c` number their candidates, `cluster` their references.
    `tie_band`, in units of value, >= 0: a difference of at most that is a tie.
    """

    candidate: Integers
    annotator: Integers
    value: Integers
    b: Integers
    c: Integers
    cluster: Integers
    tie_band: Fraction = Fraction(0)


@dataclass(frozen=True, slots=True)
class Judged:
    """The k items on which one annotator can be compared.

    `items` are their places; `differences` own rating of B less that of C; `own` the label that
    follows from it, `y` the one that follows from the others' means.
    """

    items: Integers
    differences: Floats
    own: Integers
    y: Integers


def judge_everybody(overlap: Overlap) -> Iterator[Judged]:
    """Compare each annotator's items with the mean of all other ratings of their candidates.

    Input: ratings and items. Output: one Judged an annotator, in the order of their numbers; it
    holds the items both of whose candidates the annotator and somebody else rated.
    """
    size = 1 + max(
        overlap.candidate.max(initial=-1), overlap.b.max(initial=-1), overlap.c.max(initial=-1)
    )
    counts: Integers = np.bincount(overlap.candidate, minlength=size)
    totals: Integers = np.zeros(size, dtype=np.int64)
    np.add.at(totals, overlap.candidate, overlap.value)
    for person in np.unique(overlap.annotator).tolist():
        mine = overlap.annotator == person
        own: Integers = np.zeros(size, dtype=np.int64)
        has_own = np.zeros(size, dtype=bool)
        own[overlap.candidate[mine]] = overlap.value[mine]
        has_own[overlap.candidate[mine]] = True
        is_shared = has_own & (counts > 1)
        items = np.flatnonzero(is_shared[overlap.b] & is_shared[overlap.c])
        b, c = overlap.b[items], overlap.c[items]
        of_b, of_c = counts[b] - 1, counts[c] - 1
        # Means are compared as whole numbers: sum times the other's count, on a common base.
        rest = (totals[b] - own[b]) * of_c - (totals[c] - own[c]) * of_b
        difference = own[b] - own[c]
        yield Judged(
            items,
            difference.astype(np.float64),
            _signs(difference, 1, overlap.tie_band),
            _signs(rest, of_b * of_c, overlap.tie_band),
        )


def _signs(numerator: Integers, denominator: Integers | int, tie_band: Fraction) -> Integers:
    """sign(numerator / denominator), 0 where its size is at most the band; no float decides."""
    is_tie = np.abs(numerator) * tie_band.denominator <= tie_band.numerator * denominator
    return np.where(is_tie, 0, np.sign(numerator))


Columns = Sequence[Sequence[str]]
"""One or two names of a group for each item: of both its candidates where they may differ."""

NO_RATINGS = "Ceiling unknown: no ratings of people are known behind these labels."


@dataclass(frozen=True, slots=True)
class Unavailable:
    """A scorer that was asked for and cannot score; the reason is what to put where."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a report may hold beyond agreement.

    groups: by breakdown, columns of n names, "" where one is not known, or the sentence on
    why there are none; points: what people gave a (reference, candidate) text, 0 to 10;
    overlap: the ratings behind the labels, or None and `no_overlap` is why; checks: JSON-ready,
    joined to the checks of the items; labels: what scorers are called.
    """

    groups: Mapping[str, Columns | str] = field(default_factory=dict)
    points: Mapping[tuple[str, str], float] = field(default_factory=dict)
    overlap: Overlap | None = None
    no_overlap: str = NO_RATINGS
    checks: Mapping[str, Any] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)


TAU_B: Final = "tau_b"
_LABEL_NAMES: Final = ("tau_b_labels", "tau_paper", "accuracy", "f1_weighted")

# Below it, anybody who knows one annotator's figures knows the other's.
LEAST_DISTINGUISHED: Final = 3
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
    lowest = {TAU_B: -1.0} | {name: LABEL_FIGURES[name].lowest for name in _LABEL_NAMES}
    figures = {name: figure_of(_mean(people, name), UNDEFINED, low) for name, low in lowest.items()}
    return _document(
        figures, _counts(judged, len(numbers)) | {"n": len(items)}, _one_by_one(people, seed)
    )


def _person(judged: Judged, sample: Sample) -> _Person:
    part, references = part_of(sample, np.arange(len(judged.items)))
    tables = cluster_confusions(judged.own, part.y, part.clusters, part.cluster_count)
    counts = tables.sum(axis=(1, 2)).astype(np.float64)
    n = Resampled(float(len(judged.items)), part.weights @ counts, counts.sum() - counts)
    statistics = {TAU_B: resample_tau_b(part, judged.differences)}
    statistics |= resample_labels(part, tables, _LABEL_NAMES)
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
    if len(people) < LEAST_DISTINGUISHED:
        return []
    per_annotator = []
    for place, index in enumerate(np.random.default_rng(seed).permutation(len(people)).tolist()):
        person = people[index]
        figures = {
            name: None if np.isnan(found.value) else found.value
            for name, found in person.statistics.items()
        }
        counts = {"n": int(person.n.value), "references": person.references}
        value = figures.pop(TAU_B)
        name = {"annotator": f"Annotator {place + 1}"}
        per_annotator.append({**name, **counts, "value": value, **figures})
    return per_annotator


def _counts(judged: Sequence[Judged], references: int) -> dict[str, int]:
    comparisons = sum(len(one.items) for one in judged)
    return {"n": 0, "comparisons": comparisons, "annotators": len(judged), "references": references}


def _document(
    figures: dict[str, dict[str, Any]], counts: dict[str, int], per_annotator: list[dict[str, Any]]
) -> dict[str, Any]:
    first = figures.pop(TAU_B)
    return {**first, **counts, **figures, "per_annotator": per_annotator, "method": METHOD}
