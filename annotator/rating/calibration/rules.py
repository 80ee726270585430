"""How far scores are from agreed ones."""

from collections.abc import Iterable, Mapping
from fractions import Fraction

from annotator.rating_values import mean
from patclaimeval.rubric import ALL_CRITERIA, OVERALL, TOTAL_WEIGHT, overall_numerator

Scores = Mapping[str, int]


def points_with_overall(scores: Scores) -> dict[str, Fraction]:
    """Return the four scores (0 to 10 each) and the overall, numerator / 11, in rating points."""
    overall = Fraction(overall_numerator(scores), TOTAL_WEIGHT)
    return {criterion: Fraction(value) for criterion, value in scores.items()} | {OVERALL: overall}


def deviations(given: Scores, agreed: Scores) -> dict[str, Fraction]:
    """Return given minus agreed per criterion and overall, in rating points (-10 to 10)."""
    own, theirs = points_with_overall(given), points_with_overall(agreed)
    return {criterion: own[criterion] - theirs[criterion] for criterion in ALL_CRITERIA}


def mean_absolute_deviations(
    pairs: Iterable[tuple[Scores, Scores]],
) -> dict[str, Fraction | None]:
    """Return the mean absolute deviation per criterion and overall, in rating points (0 to 10).

    Input: the given and the agreed scores of each item. Output: by criterion, the sum over the
    items of |given - agreed| / their number, exactly; None of no items.
    """
    found = [deviations(given, agreed) for given, agreed in pairs]
    return {criterion: mean([abs(one[criterion]) for one in found]) for criterion in ALL_CRITERIA}
