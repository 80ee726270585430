"""What the adjudication pages show: the list, one case without names, rulings, their signatures.

No user, no time, no system and no candidate_id is put into these rows, so that no template can
show them by mistake.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from statistics import fmean, median
from typing import Any, Final
from uuid import UUID

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from annotator.adjudication.cases import (
    candidate_names,
    conflicts_for,
    conflicts_to_rule,
    describe_finding,
    live_turns,
    open_conflicts,
    shuffled_people,
)
from annotator.adjudication.rounds import SeenRound, earlier_points, rounds_on
from annotator.conflicts.queries import count_cases, locked_candidates
from annotator.models import (
    Adjudication,
    AuditEvent,
    Campaign,
    Candidate,
    Conflict,
    ConflictStatus,
    PreparedRuling,
    Rating,
    ReadingPreference,
    Reference,
    Ruling,
    Turn,
    User,
)
from annotator.rating_values import Points, mean, points_of, remarks_of, ruled_points, texts_of
from annotator.reading import reading_of, reading_preference
from patclaimeval.claims.reading import Reading
from patclaimeval.rubric import OVERALL

RULED: Final = "conflict.ruled"
SEALED: Final = ("object_id", "details")
MEANING: Final = "I have read the claims and the ratings, and I decide this conflict as stated."


def ratings_seen(ratings: Sequence[Rating]) -> list[dict[str, Any]]:
    """Return what a decision was made upon: each rating with its version, sorted by id."""
    return [
        {"rating": str(rating.pk), "version": rating.version}
        for rating in sorted(ratings, key=lambda rating: str(rating.pk))
    ]


def seen_sha256(ratings: Sequence[Rating]) -> str:
    """Return the digest by which a form shows which ratings its reader had before them."""
    return _sha256(ratings_seen(ratings))


def record_sha256(row: Adjudication, rulings: Sequence[Ruling]) -> str:
    """Return the digest of everything that is signed, as canonical JSON."""
    given = [
        {
            "candidate": str(ruling.candidate_id),
            "rating": str(ruling.rating_id) if ruling.rating_id else None,
            "scores": ruling.scores,
        }
        for ruling in sorted(rulings, key=lambda ruling: str(ruling.candidate_id))
    ]
    return _sha256(
        {
            "adjudication": str(row.pk),
            "conflict": str(row.conflict_id),
            "adjudicator": str(row.adjudicator_id),
            "signed_as": row.signed_as,
            "meaning": row.meaning,
            "decision": row.decision,
            "reason_code": row.reason_code,
            "reason": row.reason,
            "has_guideline_gap": row.has_guideline_gap,
            "ratings": row.ratings_seen,
            "rulings": given,
            "made_at": row.made_at.isoformat(),
        }
    )


def sealed_sha256s(rows: Iterable[Adjudication]) -> dict[str, str]:
    """Return the digests that the audit trail has of rulings, by their ids."""
    events = AuditEvent.objects.filter(
        action=RULED, object_type="adjudication", object_id__in=[str(row.pk) for row in rows]
    )
    return {pk: str(details["record_sha256"]) for pk, details in events.values_list(*SEALED)}


def signature_holds(row: Adjudication, sealed: Mapping[str, str] | None = None) -> bool:
    """Return whether the stored rows are still what was signed, and the signature is not voided.

    Whoever changes a ruling in the database can compute its digest anew, so the trail, whose
    entries are chained, must have the same one. `sealed` is what it has of several rulings.
    """
    known = sealed_sha256s([row]) if sealed is None else sealed
    digest = record_sha256(row, list(row.rulings.all()))
    return row.is_valid and digest == row.record_sha256 == known.get(str(row.pk))


def _sha256(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Signature:
    """A signed decision, valid or void, and whether its record is what was signed."""

    row: Adjudication
    holds: bool


def signatures(rows: QuerySet[Adjudication]) -> tuple[Signature, ...]:
    """Return the signatures of decisions, in their order."""
    found = list(rows.select_related("voided_by").prefetch_related("rulings"))
    sealed = sealed_sha256s(found)
    return tuple(Signature(row, signature_holds(row, sealed)) for row in found)


def rulings_of(campaign: Campaign) -> QuerySet[Adjudication]:
    """Return the rulings of a campaign, void ones included."""
    return Adjudication.objects.filter(conflict__campaign=campaign)


def listed_rulings(campaign: Campaign) -> QuerySet[Adjudication]:
    """Return the rulings, the latest first; no claim text and no rating is read with them."""
    rows = rulings_of(campaign).select_related("conflict__candidate__reference")
    rows = rows.defer("conflict__candidate__claims", "conflict__candidate__reference__claims")
    return rows.order_by("-made_at", "pk")


_REFERENCE = "candidate__reference"
_ORDER = ("campaign__name", f"{_REFERENCE}__position", f"{_REFERENCE}_id")


def references_to_rule(user: User) -> list[UUID]:
    """Return the references with an open conflict for the user, in the order of the list."""
    rows = open_conflicts(user).order_by(*_ORDER).values_list(*_ORDER).distinct()
    return [reference for *_, reference in rows]


def case_count(user: User) -> int:
    """Return how many cases are open for the user to rule on."""
    return count_cases(open_conflicts(user))


def free_cases(user: User) -> list[UUID]:
    """Return the conflicts that nobody else has open, in the order of the list.

    Without those on which the user has prepared a ruling.
    """
    taken = Turn.objects.filter(
        Q(candidate=OuterRef("candidate")) | Q(candidate=OuterRef("other_candidate")),
        expires_at__gt=Now(),
    ).exclude(adjudicator=user)
    alone_first = F("other_candidate").asc(nulls_first=True)
    free = open_conflicts(user).filter(~Exists(taken)).order_by(*_ORDER, alone_first, "-gap", "pk")
    prepared = PreparedRuling.objects.filter(adjudicator=user)
    pairs = set(prepared.values_list("conflict__candidate", "conflict__other_candidate"))
    rows = free.values_list("pk", "candidate", "other_candidate")
    return [pk for pk, *pair in rows if tuple(pair) not in pairs]


def next_case(before: Sequence[UUID], done: UUID, now: Sequence[UUID]) -> UUID | None:
    """Return what to open after a case: of those behind it, else from the start, the first.

    `before` and `now` are the free ones, in order, before and after it was done.
    """
    place = before.index(done) + 1 if done in before else 0
    left = set(now) - {done}
    return next((pk for pk in (*before[place:], *before[:place]) if pk in left), None)


# The latest rulings show best how long one takes now.
MOST_READ: Final = 500
FEWEST: Final = 5
# As long as a turn lasts: who signs later was away in between.
LONGEST: Final = timedelta(minutes=60)
# Deciding between ratings takes longer than giving one: both are read, and a reason is written.
TIMES_A_RATING: Final = 2


@dataclass(frozen=True, slots=True)
class RulingTime:
    """Seconds for one ruling, and upon how many rulings or ratings that rests."""

    seconds: float
    n: int
    is_measured: bool

    @property
    def minutes(self) -> float:
        return self.seconds / 60

    def hours(self, rulings: int) -> float:
        """Return the hours that so many rulings take."""
        return rulings * self.seconds / 3600


def ruling_time(campaign: Campaign, candidates: Collection[str]) -> RulingTime | None:
    """Return the mean time of the latest rulings, each counted as an hour at most.

    With fewer than five measured: twice the median active time of the ratings of `candidates`
    (32 hexadecimal digits each). None where no time was measured at all.
    """
    taken = _measured(campaign)
    if len(taken) >= FEWEST:
        return RulingTime(fmean(taken), len(taken), is_measured=True)
    rated = Rating.objects.filter(candidate__campaign=campaign, active_seconds__gt=0)
    rows = rated.values_list("candidate_id", "active_seconds")
    active = [seconds for candidate, seconds in rows if candidate.hex in candidates]
    if not active:
        return None
    return RulingTime(TIMES_A_RATING * median(active), len(active), is_measured=False)


def _measured(campaign: Campaign) -> list[float]:
    """Return the seconds from a turn to its ruling; a ruling without a turn is left out."""
    rulings = list(
        Adjudication.objects.filter(conflict__campaign=campaign)
        .order_by("-made_at")
        .values_list("conflict_id", "adjudicator_id", "made_at")[:MOST_READ]
    )
    taken: dict[tuple[str, UUID | None], list[datetime]] = {}
    turns = AuditEvent.objects.filter(
        object_type="conflict",
        object_id__in={str(conflict) for conflict, *_ in rulings},
        action="turn.taken",
    )
    for object_id, actor, at in turns.values_list("object_id", "actor_id", "at"):
        taken.setdefault((object_id, actor), []).append(at)
    found = []
    for conflict, adjudicator, made_at in rulings:
        before = [at for at in taken.get((str(conflict), adjudicator), []) if at <= made_at]
        if before:
            found.append(min(made_at - max(before), LONGEST).total_seconds())
    return found


# The points that each rating had in the rounds before its last.
Earlier = Mapping[UUID, tuple[Points, ...]]


@dataclass(frozen=True, slots=True)
class SeenRating:
    """A rating as an adjudicator sees it: points of all five criteria, and its texts.

    `earlier` holds the points that it had at the end of each round before its last.
    """

    number: int
    rating_id: UUID
    points: Points
    earlier: tuple[Points, ...]
    round: int
    texts: dict[str, str]
    tags: tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A candidate of the conflict with its ratings, and its ruling when it has one.

    `is_other`: it is the second one of an order flip, whose new scores go apart.
    """

    name: str
    is_other: bool
    claims: str
    reading: Reading
    ratings: tuple[SeenRating, ...]
    ruled: Points | None
    disputed: frozenset[str]

    def mean(self, criterion: str) -> Fraction:
        """Return the mean of the ratings (at least one), exactly."""
        found = mean([rating.points[criterion] for rating in self.ratings])
        assert found is not None, "a conflict has ratings"
        return found


@dataclass(frozen=True, slots=True)
class Annotator:
    """An annotator without a name; `takes` is what names them in a ruling, None where one of the
    candidates that are not ruled has no rating of theirs."""

    number: int
    takes: UUID | None


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
    def is_askable(self) -> bool:
        """Whether the reader may send it back to the annotators."""
        return self.is_open and self.may_rule and not self.is_taken

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
    people = shuffled_people(conflict.pair, {rating.annotator_id for rating in ratings})
    numbers = {pk: number for number, pk in enumerate(people, start=1)}
    # The conflicts of exactly these candidates, as the ratings showed them last.
    rows = Conflict.objects.filter(candidate__in=pair).exclude(status=ConflictStatus.LAPSED)
    others = Q(other_candidate__in=pair) if len(pair) > 1 else Q(other_candidate=None)
    findings = list(rows.filter(others).order_by("-gap", "pk"))
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
    signed = Adjudication.objects.filter(rulings__candidate__in=pair).distinct()
    return AdjudicationPage(
        conflict_id=conflict.pk,
        campaign=conflict.campaign.name,
        reference=reference,
        status=conflict.status,
        findings=tuple(describe_finding(f.kind, f.criterion, f.gap) for f in findings),
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
        annotators=_annotators(numbers, len(undecided), open_ratings),
        signatures=signatures(signed),
        rounds=tuple((names[r.candidate_id], r) for r in rounds_on(one.pk for one in pair)),
        held_until=min(own) if is_held else None,
        is_taken=is_taken,
        is_shown=is_held or (not is_taken and locked.count() == len(pair)),
        may_rule=conflicts_to_rule(user).filter(pk=conflict.pk).exists(),
        seen=seen_sha256(open_ratings),
        preference=reading_preference(user),
    )


def _part(
    candidate: Candidate,
    called: tuple[str, bool],
    rated: tuple[Reference, Sequence[Rating], dict[UUID, int], Earlier],
    ruling: Ruling | None,
    findings: Sequence[Conflict],
) -> Part:
    reference, ratings, numbers, earlier = rated
    seen = [
        SeenRating(
            *(numbers[one.annotator_id], one.pk, points_of(one.all_scores)),
            *(earlier.get(one.pk, ()), one.round),
            *(texts_of(remarks_of(one)), tuple(one.error_tags)),
        )
        for one in ratings
        if one.candidate_id == candidate.pk
    ]
    return Part(
        name=called[0],
        is_other=called[1],
        claims=candidate.claims,
        reading=reading_of(reference, candidate),
        ratings=tuple(sorted(seen, key=lambda one: one.number)),
        ruled=ruled_points(ruling.scores) if ruling else None,
        disputed=frozenset(finding.criterion or OVERALL for finding in findings),
    )


def _annotators(
    numbers: dict[UUID, int], undecided: int, ratings: Sequence[Rating]
) -> tuple[Annotator, ...]:
    found = []
    for annotator, number in numbers.items():
        own = [rating.pk for rating in ratings if rating.annotator_id == annotator]
        found.append(Annotator(number, own[0] if own and len(own) == undecided else None))
    return tuple(found)
