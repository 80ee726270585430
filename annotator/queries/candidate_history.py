"""What has been done about one candidate: ratings, rounds, conflicts, rulings; no claim text."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Count, Q

from annotator.conflicts.settled import points_text
from annotator.models import Adjudication, Conflict, Rating, RatingRevision, Round, Ruling
from annotator.queries.annotator_names import Names
from annotator.queries.conflict_cases import finding_words
from annotator.queries.settled_values import rating_points, ruling_points
from annotator.queries.signatures import sealed_sha256s, signature_holds
from annotator.rubric import ALL_CRITERIA


@dataclass(frozen=True, slots=True)
class GivenScores:
    """A rating or a revision of one: points as text in the rubric's order."""

    annotator: str
    number: int
    points: tuple[str, ...]
    round: int
    is_blind: bool
    made_at: datetime


@dataclass(frozen=True, slots=True)
class GivenRating:
    """A rating as it stands, and every revision of it, the first submit included."""

    now: GivenScores
    revisions: tuple[GivenScores, ...]


@dataclass(frozen=True, slots=True)
class AskedRound:
    """A time that annotators were asked once more."""

    number: int
    kind: str
    question: str
    asked: int
    answered: int
    made_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class FoundConflict:
    """A conflict in words, with the rules version under which it was found last."""

    words: str
    other: str
    status: str
    rules_version: int
    opened_at: datetime


@dataclass(frozen=True, slots=True)
class GivenRuling:
    """A ruling on the candidate, void or valid, and whether its record is what was signed."""

    row: Adjudication
    points: tuple[str, ...]
    taken_from: str
    is_valid: bool
    holds: bool


def given_ratings(pk: UUID, names: Names) -> tuple[GivenRating, ...]:
    """Return the ratings of a candidate by annotator; `names` calls each by user id."""
    rows = Rating.objects.filter(candidate=pk).prefetch_related("revisions")
    found = []
    for row in rows:
        name = names.get(str(row.annotator_id), "an annotator")
        revisions = tuple(
            _scores(name, one, one.number, one.made_at) for one in row.revisions.all()
        )
        found.append(GivenRating(_scores(name, row, row.version, row.revised_at), revisions))
    # "Annotator 10" stands after "Annotator 9".
    return tuple(sorted(found, key=lambda one: (len(one.now.annotator), one.now.annotator)))


def _scores(
    annotator: str, row: Rating | RatingRevision, number: int, made_at: datetime
) -> GivenScores:
    points = rating_points(row.scores | {"overall_numerator": row.overall_numerator})
    texts = tuple(points_text(points[criterion]) for criterion in ALL_CRITERIA)
    return GivenScores(annotator, number, texts, row.round, row.is_blind, made_at)


def rounds_on(pk: UUID) -> tuple[AskedRound, ...]:
    """Return the times that annotators were asked once more."""
    rows = Round.objects.filter(candidate=pk).annotate(
        asked=Count("second_looks"),
        answered=Count("second_looks", filter=Q(second_looks__answered_at__isnull=False)),
    )
    return tuple(
        AskedRound(
            row.number,
            row.get_kind_display(),
            row.question,
            row.asked,
            row.answered,
            row.made_at,
            row.finished_at,
        )
        for row in rows.order_by("number")
    )


def conflicts_on(pk: UUID, names: Mapping[UUID, str]) -> tuple[FoundConflict, ...]:
    """Return the conflicts of a candidate; `names` calls the other one of an order flip."""
    rows = Conflict.objects.filter(Q(candidate=pk) | Q(other_candidate=pk))
    found = []
    for row in rows.order_by("opened_at", "kind", "criterion"):
        pair = [row.candidate_id, row.other_candidate_id]
        found.append(
            FoundConflict(
                finding_words(row.kind, row.criterion, row.gap),
                "".join(names.get(one, "") for one in pair if one and one != pk),
                row.get_status_display().lower(),
                row.rules_version,
                row.opened_at,
            )
        )
    return tuple(found)


def rulings_on(pk: UUID, names: Names) -> tuple[GivenRuling, ...]:
    """Return the rulings on a candidate, void ones included, the oldest first."""
    rows = Ruling.objects.filter(candidate=pk).select_related("adjudication", "rating")
    found = []
    rows = rows.prefetch_related("adjudication__rulings").order_by("adjudication__made_at")
    sealed = sealed_sha256s(row.adjudication for row in rows)
    for row in rows:
        points = ruling_points(row.scores)
        texts = tuple(points_text(points[key]) if key in points else "" for key in ALL_CRITERIA)
        taken = names.get(str(row.rating.annotator_id), "one annotator") if row.rating else ""
        holds = signature_holds(row.adjudication, sealed)
        found.append(GivenRuling(row.adjudication, texts, taken, row.is_valid, holds))
    return tuple(found)
