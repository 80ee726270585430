"""Owns the demo annotators: true scores plus seeded noise, and a few real discrepancies."""

import random
from collections.abc import Mapping, Sequence
from datetime import timedelta

from annotator.demo.records import (
    DemoCandidate,
    DemoRating,
    DemoReference,
    Discrepancy,
)
from annotator.rubric import CRITERIA

NOISE_SD = 0.7
# demo-2 is a little stricter than demo-1 on everything.
OFFSETS = {"demo-1": 0.0, "demo-2": -0.4}
DISCREPANCIES = 5
# Beyond the planned discrepancies the two annotators differ by less than the conflict gap of 3.
_LARGEST_QUIET_GAP = 2
_OLDEST = timedelta(days=24)
_BETWEEN_REFERENCES = timedelta(days=1, hours=13)
_BETWEEN_CANDIDATES = timedelta(minutes=9)
_SECOND_ANNOTATOR_LATER = timedelta(hours=3)

Rated = Sequence[tuple[DemoReference, Sequence[DemoCandidate]]]


def make_ratings(rated: Rated, seed: int) -> tuple[tuple[DemoRating, ...], tuple[Discrepancy, ...]]:
    """Return both annotators' ratings of the given candidates, and the planned discrepancies.

    A score is the true score plus the annotator's offset plus normal noise (sd NOISE_SD),
    rounded to a whole number from 0 to 10. DISCREPANCIES candidates, each on one criterion,
    get a gap of 3 or 4. At most 15 references keep every rating at least two days old.
    """
    rng = random.Random(f"{seed}:ratings")
    places = [(reference, item) for reference, candidates in rated for item in candidates]
    planned = {
        place: Discrepancy(
            places[place][0].source.reference_id, places[place][1].label, rng.choice(CRITERIA)
        )
        for place in sorted(rng.sample(range(len(places)), min(DISCREPANCIES, len(places))))
    }
    ratings: list[DemoRating] = []
    place = 0
    for row, (reference, candidates) in enumerate(rated):
        for column, item in enumerate(candidates):
            apart = planned[place].criterion if place in planned else None
            both = _rate_twice(item.truth, apart, rng)
            age = _OLDEST - row * _BETWEEN_REFERENCES - column * _BETWEEN_CANDIDATES
            for annotator, scores in zip(OFFSETS, both, strict=True):
                ratings.append(
                    DemoRating(reference.source.reference_id, item.label, annotator, scores, age)
                )
                age -= _SECOND_ANNOTATOR_LATER
            place += 1
    return tuple(ratings), tuple(planned.values())


def _rate_twice(
    truth: Mapping[str, float], apart: str | None, rng: random.Random
) -> tuple[dict[str, int], dict[str, int]]:
    """Return the scores of both annotators for one candidate; they differ much on `apart` only."""
    first: dict[str, int] = {}
    second: dict[str, int] = {}
    for criterion in CRITERIA:
        if criterion == apart:
            first[criterion] = _score(truth[criterion], OFFSETS["demo-1"], rng)
            second[criterion] = _far_from(first[criterion], rng)
        else:
            first[criterion], second[criterion] = _quiet_pair(truth[criterion], rng)
    return first, second


def _quiet_pair(true_score: float, rng: random.Random) -> tuple[int, int]:
    while True:
        first, second = (_score(true_score, offset, rng) for offset in OFFSETS.values())
        if abs(first - second) <= _LARGEST_QUIET_GAP:
            return first, second


def _score(true_score: float, offset: float, rng: random.Random) -> int:
    value = true_score + offset + rng.gauss(0.0, NOISE_SD)
    return min(10, max(0, int(value + 0.5)))


def _far_from(score: int, rng: random.Random) -> int:
    gap = rng.choice((3, 4))
    return score - gap if score >= 5 else score + gap
