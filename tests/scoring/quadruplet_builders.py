"""Builders of rated references, and the label of a row as seen from one candidate."""

from fractions import Fraction

from annotator.rubric import CRITERIA, OVERALL
from scoring.quadruplets import Quadruplet, RatedCandidate, RatedReference, RatedValues

COMPLETENESS = "feature_completeness"


def rated(annotator: str, rating_id: str, *scores: int) -> RatedValues:
    """Four scores with the overall that follows: (4a + 2b + 2c + 3d) / 11."""
    a, b, c, d = scores
    overall = Fraction(4 * a + 2 * b + 2 * c + 3 * d, 11)
    return RatedValues(
        annotator, rating_id, {**dict(zip(CRITERIA, scores, strict=True)), OVERALL: overall}
    )


def candidate(name: str, *ratings: RatedValues) -> RatedCandidate:
    return RatedCandidate(name, f"1. A cup called {name}.", ratings)


def reference(*candidates: RatedCandidate) -> RatedReference:
    return RatedReference("r1", "1. A cup.", candidates, {"office": "EPO"})


def one_label(rows: list[Quadruplet], better: str, criterion: str = COMPLETENESS) -> int:
    """The label of the only row as seen from `better`, wherever the draw put it."""
    (row,) = rows
    return row.y[criterion] if row.b_id == better else -row.y[criterion]
