"""The ratings of a campaign as each annotator first gave them, and what is left out and why."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from uuid import UUID

from annotator.models import Campaign, Purpose, Rating, RatingRevision
from annotator.queries.rating_inputs import State, rating_admins
from annotator.rubric import ALL_CRITERIA, CRITERIA

NOT_BLIND: Final = "not given blind"
LATER_ROUND: Final = "first given in a later round"
BY_ADMIN: Final = "given by an admin of the campaign"

Scores = dict[str, int]


@dataclass(frozen=True, slots=True)
class GivenRating:
    """One rating in its first round: five scores, the overall as its numerator over 11.

    `position` counts the annotator's own ratings in the campaign from 1, in the order of giving.
    """

    candidate: UUID
    reference: str
    purpose: str
    annotator: str
    scores: Scores
    position: int


@dataclass(frozen=True, slots=True)
class GivenRatings:
    """What was read, by one statement, so that it belongs together; and its state as a whole."""

    rows: tuple[GivenRating, ...]
    state: State
    left_out: Counter[str] = field(default_factory=Counter)


def given_ratings(campaign: Campaign) -> GivenRatings:
    """Read every rating of a campaign; no claim text is read.

    A rating that was changed in a later round counts as it stood before; one that was given in a
    later round, not blind, or by an admin of the campaign is left out and counted.
    """
    found = list(_read(campaign))
    earlier = _first_rounds(campaign)
    places = _positions(found)
    admins = set(rating_admins(campaign))
    left_out: Counter[str] = Counter()
    rows = []
    for row in found:
        values = row.values if row.values.round == 1 else earlier.get(row.pk)
        if row.annotator in admins:
            left_out[BY_ADMIN] += 1
        elif values is None:
            left_out[LATER_ROUND] += 1
        elif not values.is_blind:
            left_out[NOT_BLIND] += 1
        else:
            rows.append(
                GivenRating(
                    *(row.candidate, row.reference, row.purpose, row.annotator),
                    dict(zip(ALL_CRITERIA, values.scores, strict=True)),
                    places[row.pk],
                )
            )
    state = State.of_rows((row.version, row.revised_at) for row in found)
    return GivenRatings(tuple(rows), state, left_out)


def is_genuine(row: GivenRating) -> bool:
    """Say whether the rating is one that the campaign is about."""
    return row.purpose not in (Purpose.REPEAT, Purpose.SENTINEL)


@dataclass(frozen=True, slots=True)
class _Values:
    scores: tuple[int, ...]
    is_blind: bool
    round: int


@dataclass(frozen=True, slots=True)
class _Row:
    pk: UUID
    candidate: UUID
    reference: str
    purpose: str
    annotator: str
    version: int
    submitted_at: datetime
    revised_at: datetime
    values: _Values


def _read(campaign: Campaign) -> Iterator[_Row]:
    rows = Rating.objects.filter(assignment__campaign=campaign).values_list(
        *("pk", "candidate_id", "candidate__reference_id", "candidate__purpose", "annotator_id"),
        *("version", "submitted_at", "revised_at", "is_blind", "round"),
        *(*CRITERIA, "overall_numerator"),
    )
    for pk, candidate, reference, purpose, annotator, *rest in rows.iterator(5_000):
        version, submitted_at, revised_at, is_blind, number, *scores = rest
        values = _Values(tuple(scores), is_blind, number)
        names = (pk, candidate, str(reference), purpose, str(annotator))
        yield _Row(*names, version, submitted_at, revised_at, values)


def _first_rounds(campaign: Campaign) -> dict[UUID, _Values]:
    """Return how the ratings that a later round changed stood at the end of the first one."""
    rows = RatingRevision.objects.filter(
        rating__assignment__campaign=campaign, rating__round__gt=1, round=1
    ).order_by("number")
    # The last one of each rating stays.
    return {
        pk: _Values(tuple(scores), is_blind, 1)
        for pk, is_blind, *scores in rows.values_list(
            "rating_id", "is_blind", *CRITERIA, "overall_numerator"
        )
    }


def _positions(rows: Iterable[_Row]) -> dict[UUID, int]:
    by_annotator: dict[str, list[_Row]] = defaultdict(list)
    for row in rows:
        by_annotator[row.annotator].append(row)
    places = {}
    for own in by_annotator.values():
        own.sort(key=lambda row: (row.submitted_at, row.pk))
        places.update({row.pk: place for place, row in enumerate(own, start=1)})
    return places
