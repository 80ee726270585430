"""Figures of error tags: shares by group, loss in score, and tags that stand together.

A rating carries a tag or it does not; how many places it marks does not count.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np

from patclaimeval.statistics.resampling import Figure, divide, estimate
from patclaimeval.statistics.tables import Estimate, undefined

NO_CONTRAST: Final = "No reference has ratings with this tag and others without it."


@dataclass(frozen=True, slots=True)
class TaggedRating:
    """One rating: whose, of what, its scores in points by criterion, and the codes of its tags."""

    reference: str
    system: str
    annotator: str
    scores: dict[str, float]
    tags: frozenset[str]


@dataclass(frozen=True, slots=True)
class TagFigure:
    """A tag: the ratings that carry it, and the loss in points by criterion."""

    code: str
    ratings: int
    references: int
    losses: dict[str, Estimate]


@dataclass(frozen=True, slots=True)
class TagPair:
    """Two tags that `both` ratings carry; `overlap` is their share of those with either, 0 to 1."""

    first: str
    second: str
    both: int
    overlap: float

    @property
    def per_cent(self) -> int:
        return round(100 * self.overlap)


def tag_figures(ratings: Sequence[TaggedRating]) -> tuple[TagFigure, ...]:
    """Return each tag that a rating carries, the most frequent first.

    Input: n ratings with scores of the same criteria. The loss of a tag on a criterion is the mean,
    over the ratings that carry it, of how far they lie below the mean of the ratings of the same
    reference without it, in points; references on which all or none carry it say nothing. Its 95 %
    interval is clustered by reference. It goes along with the tag; whether the error caused it is
    not said. Output: figures, undefined with a reason where no reference has both.
    """
    counts = Counter(tag for row in ratings for tag in row.tags)
    by_reference: dict[str, list[TaggedRating]] = {}
    for row in ratings:
        by_reference.setdefault(row.reference, []).append(row)
    names = tuple(ratings[0].scores) if ratings else ()
    return tuple(
        TagFigure(
            code,
            count,
            sum(any(code in row.tags for row in rows) for rows in by_reference.values()),
            {name: _loss(by_reference, code, name) for name in names},
        )
        for code, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    )


def _loss(by_reference: dict[str, list[TaggedRating]], code: str, name: str) -> Estimate:
    sums = []
    for reference in sorted(by_reference):
        rows = by_reference[reference]
        with_tag = [row.scores[name] for row in rows if code in row.tags]
        without = [row.scores[name] for row in rows if code not in row.tags]
        if with_tag and without:
            expected = len(with_tag) * sum(without) / len(without)
            sums.append((expected - sum(with_tag), len(with_tag)))
    if not sums:
        return undefined(NO_CONTRAST)
    table = np.asarray(sums, dtype=np.float64)
    figure = Figure(lambda of: divide(of[:, 0], of[:, 1]), NO_CONTRAST, highest=np.inf)
    return estimate(table, figure, int(table[:, 1].sum()))


def tag_shares(
    ratings: Iterable[TaggedRating], group: Callable[[TaggedRating], str]
) -> dict[str, tuple[int, Counter[str]]]:
    """Return by group how many ratings it has, and how many of them carry each tag."""
    sizes: Counter[str] = Counter()
    tagged: dict[str, Counter[str]] = {}
    for row in ratings:
        name = group(row)
        sizes[name] += 1
        tagged.setdefault(name, Counter()).update(row.tags)
    return {name: (sizes[name], tagged[name]) for name in sorted(sizes)}


def tag_pairs(ratings: Iterable[TaggedRating], most: int) -> tuple[TagPair, ...]:
    """Return the pairs of tags that stand together most often, `most` of them at most."""
    single: Counter[str] = Counter()
    both: Counter[tuple[str, str]] = Counter()
    for row in ratings:
        single.update(row.tags)
        both.update(combinations(sorted(row.tags), 2))
    found = (
        TagPair(first, second, count, count / (single[first] + single[second] - count))
        for (first, second), count in both.items()
    )
    return tuple(sorted(found, key=lambda one: (-one.both, one.first, one.second)))[:most]
