"""Builders of rated references, and the label of a row as seen from one candidate."""

from annotator.rating_values import RatedScores, scores_of
from scoring.quadruplets import DatasetRow, RatedCandidate, RatedReference

COMPLETENESS = "feature_completeness"


def rated(annotator: str, rating_id: str, *scores: int) -> RatedScores:
    """Four scores with the overall that follows: 4a + 2b + 2c + 3d, over 11."""
    a, b, c, d = scores
    return RatedScores(
        annotator, "", scores_of((*scores, 4 * a + 2 * b + 2 * c + 3 * d)), rating=rating_id
    )


def candidate(name: str, *ratings: RatedScores) -> RatedCandidate:
    return RatedCandidate(name, f"1. A cup called {name}.", ratings)


def reference(*candidates: RatedCandidate) -> RatedReference:
    return RatedReference("r1", "1. A cup.", candidates, {"office": "EPO"})


def judged(**scores: dict[str, tuple[int, ...]]) -> RatedReference:
    """A reference of these candidates, each with the scores that each annotator gave it."""
    return reference(
        *(
            candidate(name, *(rated(who, f"{who}{name[-1]}", *given) for who, given in of.items()))
            for name, of in scores.items()
        )
    )


def one_label(rows: list[DatasetRow], better: str, criterion: str = COMPLETENESS) -> int:
    """The label of the only row as seen from `better`, wherever the draw put it."""
    (row,) = rows
    return row.y[criterion] if row.b_id == better else -row.y[criterion]
