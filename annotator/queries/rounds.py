"""Rounds as an adjudicator meets them: what was asked, what came of it, what is still asked.

Nothing here tells who was asked, nor when they answered.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from uuid import UUID

from django.db.models import Exists, OuterRef

from annotator.models import Rating, RatingRevision, Round, RoundKind, SecondLook
from annotator.rubric import CRITERIA, OVERALL, TOTAL_WEIGHT

KIND_WORDS = {
    RoundKind.LADDER: "one more annotator, by the campaign's rules",
    RoundKind.ANOTHER: "one more annotator",
    RoundKind.AGAIN: "the same annotators look again",
}


@dataclass(frozen=True, slots=True)
class SeenRound:
    """A round on one candidate; `state` says in words how far it is."""

    candidate_id: UUID
    number: int
    words: str
    question: str
    made_at: datetime
    is_running: bool
    state: str


def rounds_on(candidates: Iterable[UUID]) -> list[SeenRound]:
    """Return the rounds on candidates in their order."""
    looks = SecondLook.objects.filter(round=OuterRef("pk"))
    further = Rating.objects.filter(candidate=OuterRef("candidate"), round=OuterRef("number"))
    rows = Round.objects.filter(candidate__in=set(candidates)).annotate(
        is_missing=Exists(looks.filter(answered_at=None)), is_rated=Exists(further)
    )
    return [
        SeenRound(
            row.candidate_id,
            row.number,
            KIND_WORDS[RoundKind(row.kind)],
            row.question,
            row.made_at,
            row.finished_at is None,
            _state(row, row.is_missing if row.kind == RoundKind.AGAIN else not row.is_rated),
        )
        for row in rows.order_by("number", "candidate")
    ]


def earlier_points(ratings: Sequence[Rating]) -> Mapping[UUID, tuple[dict[str, Fraction], ...]]:
    """Return the points with which each rating left the rounds before its last one, in order."""
    again = [rating for rating in ratings if rating.round > 1 and rating.version > 1]
    last: dict[UUID, dict[int, RatingRevision]] = {}
    for row in RatingRevision.objects.filter(rating__in=again) if again else ():
        # The last one of a round stands for it.
        last.setdefault(row.rating_id, {})[row.round] = row
    return {
        rating.pk: tuple(
            points_of(row)
            for number, row in sorted(last[rating.pk].items())
            if number < rating.round
        )
        for rating in again
    }


def points_of(row: Rating | RatingRevision) -> dict[str, Fraction]:
    """Return the points of all five criteria."""
    points = {key: Fraction(getattr(row, key)) for key in CRITERIA}
    return points | {OVERALL: Fraction(row.overall_numerator, TOTAL_WEIGHT)}


def _state(row: Round, is_unanswered: bool) -> str:
    if row.finished_at is None:
        return "being asked"
    return "called back" if is_unanswered else "answered"
