"""What the adjudication page shows: the ratings of one conflict without who gave them and when.

No user, no time, no system and no candidate_id is put into these rows, so that no template can
show them by mistake.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any
from uuid import UUID

from annotator.claims.reading import Reading
from annotator.models import (
    Adjudication,
    Candidate,
    Conflict,
    ConflictStatus,
    Rating,
    ReadingPreference,
    Reference,
    Ruling,
    User,
)
from annotator.queries.conflict_cases import (
    candidate_names,
    conflicts_for,
    conflicts_to_rule,
    finding_words,
    live_turns,
    shuffled,
)
from annotator.queries.locks import locked_candidates
from annotator.queries.readings import reading_of, reading_preference
from annotator.queries.rounds import SeenRound, earlier_points, points_of, rounds_on
from annotator.queries.signatures import sealed_sha256s, seen_sha256, signature_holds
from annotator.rubric import OVERALL

# The points that each rating had in the rounds before its last.
Earlier = Mapping[UUID, tuple[dict[str, Fraction], ...]]


@dataclass(frozen=True, slots=True)
class SeenRating:
    """A rating as an adjudicator sees it: points of all five criteria, and its words.

    `earlier` holds the points that it had at the end of each round before its last.
    """

    number: int
    rating_id: UUID
    points: dict[str, Fraction]
    earlier: tuple[dict[str, Fraction], ...]
    round: int
    comment: str
    note: str
    tags: tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A candidate of the conflict with its ratings, and its ruling when it has one.

    `is_other` says that it is the second one of an order flip, whose new scores go apart.
    """

    name: str
    is_other: bool
    claims: str
    reading: Reading
    ratings: tuple[SeenRating, ...]
    ruled: dict[str, Fraction] | None
    disputed: frozenset[str]

    def mean(self, criterion: str) -> Fraction:
        """Return the mean of the ratings (at least one), exactly."""
        values = [rating.points[criterion] for rating in self.ratings]
        return sum(values, Fraction(0)) / len(values)


@dataclass(frozen=True, slots=True)
class Annotator:
    """An annotator without a name; `takes` is what names them in a ruling, None where one of the
    candidates that are not ruled has no rating of theirs."""

    number: int
    takes: UUID | None


@dataclass(frozen=True, slots=True)
class Signature:
    """A signed decision, valid or void, and whether its record is what was signed."""

    row: Adjudication
    holds: bool


@dataclass(frozen=True, slots=True)
class AdjudicationPage:
    """Everything that the adjudication page shows."""

    conflict_id: UUID
    campaign: str
    reference: Reference
    status: str
    findings: tuple[str, ...]
    parts: tuple[Part, ...]
    annotators: tuple[Annotator, ...]
    signatures: tuple[Signature, ...]
    rounds: tuple[tuple[str, SeenRound], ...]
    held_until: datetime | None
    is_taken: bool
    is_shown: bool
    may_rule: bool
    seen: str
    preference: ReadingPreference

    @property
    def is_open(self) -> bool:
        return self.status == ConflictStatus.OPEN

    @property
    def is_asked(self) -> bool:
        return self.status == ConflictStatus.WAITING or any(r.is_running for _, r in self.rounds)

    @property
    def name(self) -> str:
        return " and ".join(part.name for part in self.parts)


def adjudication_page(user: User, conflict_id: UUID) -> AdjudicationPage | None:
    """Return the page of a conflict that the user may look at; None when there is none."""
    joined = ("campaign", "candidate__reference", "other_candidate")
    conflict = conflicts_for(user).select_related(*joined).filter(pk=conflict_id).first()
    if conflict is None:
        return None
    reference = conflict.candidate.reference
    names = candidate_names([reference.pk], user)
    pair = [one for one in (conflict.candidate, conflict.other_candidate) if one]
    candidates = sorted(pair, key=lambda one: names[one.pk])
    rulings = {r.candidate_id: r for r in Ruling.objects.filter(candidate__in=pair, is_valid=True)}
    ratings = list(Rating.objects.filter(candidate__in=pair))
    numbers = _numbers(pair, ratings)
    findings = _findings(candidates)
    earlier = earlier_points(ratings)
    turns = live_turns(one.pk for one in pair)
    own = [turn.expires_at for turn in turns.values() if turn.adjudicator_id == user.pk]
    is_taken = len(own) < len(turns)
    is_open = conflict.status == ConflictStatus.OPEN
    locked = locked_candidates(conflict.campaign).filter(pk__in=[one.pk for one in pair])
    undecided = [one for one in pair if one.pk not in rulings]
    # A turn on one candidate of a pair is none on the pair.
    is_held = is_open and len(own) >= len(undecided) and not is_taken
    open_ratings = [r for r in ratings if r.candidate_id not in rulings]
    return AdjudicationPage(
        conflict_id=conflict.pk,
        campaign=conflict.campaign.name,
        reference=reference,
        status=conflict.status,
        findings=tuple(finding_words(f.kind, f.criterion, f.gap) for f in findings),
        parts=tuple(
            _part(
                one,
                (names[one.pk], one.pk == conflict.other_candidate_id),
                (reference, ratings, numbers, earlier),
                rulings.get(one.pk),
                findings,
            )
            for one in candidates
        ),
        annotators=_annotators(numbers, undecided, open_ratings),
        signatures=_signatures(pair),
        rounds=tuple((names[r.candidate_id], r) for r in rounds_on(one.pk for one in pair)),
        held_until=min(own) if is_held else None,
        is_taken=is_taken,
        is_shown=is_held or (not is_taken and locked.count() == len(pair)),
        may_rule=conflicts_to_rule(user).filter(pk=conflict.pk).exists(),
        seen=seen_sha256(open_ratings),
        preference=reading_preference(user),
    )


def _numbers(pair: Sequence[Candidate], ratings: Sequence[Rating]) -> dict[UUID, int]:
    """Number the annotators in an order of its own for this candidate, or this pair."""
    item = "".join(sorted(str(one.pk) for one in pair))
    people = {rating.annotator_id for rating in ratings}
    drawn = sorted(people, key=lambda pk: shuffled(item, pk))
    return {pk: number for number, pk in enumerate(drawn, start=1)}


def _findings(candidates: Sequence[Candidate]) -> list[Conflict]:
    """Return the conflicts of exactly these candidates, as the ratings showed them last."""
    rows = Conflict.objects.exclude(status=ConflictStatus.LAPSED).order_by("-gap", "pk")
    if len(candidates) == 1:
        return list(rows.filter(candidate=candidates[0], other_candidate=None))
    return list(rows.filter(candidate__in=candidates, other_candidate__in=candidates))


def _part(
    candidate: Candidate,
    called: tuple[str, bool],
    rated: tuple[Reference, Sequence[Rating], dict[UUID, int], Earlier],
    ruling: Ruling | None,
    findings: Sequence[Conflict],
) -> Part:
    reference, ratings, numbers, earlier = rated
    own = sorted(
        (rating for rating in ratings if rating.candidate_id == candidate.pk),
        key=lambda rating: numbers[rating.annotator_id],
    )
    ruled = {key: Fraction(value) for key, value in ruling.scores.items()} if ruling else None
    return Part(
        name=called[0],
        is_other=called[1],
        claims=candidate.claims,
        reading=reading_of(reference.claims, candidate.claims),
        ratings=tuple(
            _seen(rating, numbers[rating.annotator_id], earlier.get(rating.pk, ()))
            for rating in own
        ),
        ruled=ruled,
        disputed=frozenset(finding.criterion or OVERALL for finding in findings),
    )


def _seen(rating: Rating, number: int, earlier: tuple[dict[str, Fraction], ...]) -> SeenRating:
    tags = tuple(rating.error_tags)
    said = (rating.comment, rating.note, tags)
    return SeenRating(number, rating.pk, points_of(rating), earlier, rating.round, *said)


def _annotators(
    numbers: dict[UUID, int], undecided: Sequence[Candidate], ratings: Sequence[Rating]
) -> tuple[Annotator, ...]:
    found = []
    for annotator, number in numbers.items():
        own = [rating.pk for rating in ratings if rating.annotator_id == annotator]
        is_whole = bool(own) and len(own) == len(undecided)
        found.append(Annotator(number, own[0] if is_whole else None))
    return tuple(found)


def _signatures(pair: Sequence[Candidate]) -> tuple[Signature, ...]:
    rows = (
        Adjudication.objects.filter(rulings__candidate__in=pair)
        .distinct()
        .select_related("voided_by")
        .prefetch_related("rulings")
    )
    sealed = sealed_sha256s(rows)
    return tuple(Signature(row, signature_holds(row, sealed)) for row in rows)
