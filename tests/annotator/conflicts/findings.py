"""Ratings and the conflicts that they show, for tests of rules."""

from collections.abc import Sequence

from annotator.conflicts.rules import (
    ConflictRules,
    Finding,
    Pair,
    find_flips,
    find_gaps,
    widest_flips,
)
from annotator.rating_values import RatedScores
from patclaimeval.rubric import CRITERIA, OVERALL, overall_numerator


def rated(annotator: str, candidate: str, *values: int) -> RatedScores:
    scores = dict(zip(CRITERIA, values or (5, 5, 5, 5), strict=True))
    return RatedScores(annotator, candidate, scores | {OVERALL: overall_numerator(scores)})


def find_conflicts(ratings: Sequence[RatedScores], rules: ConflictRules) -> list[Finding]:
    widest = widest_flips(find_flips(ratings, rules))
    return sorted([*find_gaps(ratings, rules), *as_findings(widest)])


def as_findings(flips: dict[Pair, int]) -> list[Finding]:
    return [Finding("order_flip", *pair, "", gap) for pair, gap in flips.items()]
