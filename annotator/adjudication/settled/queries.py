"""Settled values, derived from ratings and rulings and never stored, and what each follows from."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import Count, Prefetch, Q, QuerySet

from annotator.access.scopes import LEAST_DISTINGUISHED, Names, pseudonyms, user_names
from annotator.access.visibility import is_unblinded
from annotator.adjudication.cases import describe_finding
from annotator.adjudication.rulings.queries import sealed_sha256s, signature_holds
from annotator.conflicts.queries import locked_candidates
from annotator.models import (
    GENUINE,
    UNSETTLED,
    Adjudication,
    Assignment,
    AssignmentStatus,
    Campaign,
    Candidate,
    Conflict,
    ConflictStatus,
    Rating,
    RatingRevision,
    Reference,
    Round,
    Ruling,
    Shown,
    User,
)
from annotator.rating_values import (
    Points,
    SettledValue,
    mean_text,
    points_of,
    points_text,
    ruled_points,
    scores_of,
    settle,
)
from patclaimeval.rubric import ALL_CRITERIA, SCORE_COLUMNS

# What a candidate is in, by the statuses of its conflicts; the first that applies.
STATES: Final = (
    (ConflictStatus.OPEN, "open conflict"),
    (ConflictStatus.WAITING, "waiting for annotators"),
)


@dataclass(frozen=True, slots=True)
class SettledCandidate:
    """A candidate with what counts for it; `system` is "" where it is hidden."""

    pk: UUID
    name: str
    system: str
    ratings: int
    state: str
    is_settled: bool
    is_locked: bool
    values: tuple[SettledValue, ...]


@dataclass(frozen=True, slots=True)
class SettledReference:
    """A reference with its genuine candidates."""

    reference_id: str
    title: str
    candidates: tuple[SettledCandidate, ...]


def references_with_candidates(campaign: Campaign) -> QuerySet[Reference]:
    """Return the references of a campaign in their order, without texts."""
    rows = Reference.objects.filter(campaign=campaign).order_by("position", "reference_id", "pk")
    return rows.only("reference_id", "title")


def settled_references(
    campaign: Campaign, references: Sequence[Reference], *, shows_titles: bool = False
) -> tuple[SettledReference, ...]:
    """Return the candidates of some references with their settled values.

    The system is shown once the campaign is closed. `shows_titles` is for readers of claim texts:
    the title of an unfiled invention tells what it is.
    """
    rows = Candidate.objects.filter(reference__in=references, purpose__in=GENUINE)
    candidates = list(rows.order_by("candidate_id").only("candidate_id", "system", "reference_id"))
    own: defaultdict[UUID, list[SettledCandidate]] = defaultdict(list)
    for row, settled in zip(candidates, _settled(campaign, candidates), strict=True):
        own[row.reference_id].append(settled)
    return tuple(
        SettledReference(
            reference.reference_id,
            reference.title if shows_titles else "",
            tuple(own[reference.pk]),
        )
        for reference in references
    )


def state_of(statuses: Collection[str], *, ratings: int, is_ruled: bool) -> str:
    """Return as text where a candidate stands, by the statuses of its conflicts."""
    if not ratings:
        return "not rated"
    for status, label in STATES:
        if status in statuses:
            return label
    return "ruled" if is_ruled else "no conflict"


def _settled(campaign: Campaign, candidates: Sequence[Candidate]) -> Iterator[SettledCandidate]:
    pks = [row.pk for row in candidates]
    given: defaultdict[UUID, list[Points]] = defaultdict(list)
    rows = Rating.objects.filter(candidate__in=pks).order_by("pk")
    for pk, *scores in rows.values_list("candidate_id", *SCORE_COLUMNS):
        given[pk].append(points_of(scores_of(scores)))
    valid = Ruling.objects.filter(candidate__in=pks, is_valid=True)
    rulings = {pk: ruled_points(said) for pk, said in valid.values_list("candidate_id", "scores")}
    unsettled = _unsettled(pks)
    locked = set(locked_candidates(campaign).filter(pk__in=pks).values_list("pk", flat=True))
    for row in candidates:
        ratings, ruling, statuses = given[row.pk], rulings.get(row.pk), unsettled[row.pk]
        yield SettledCandidate(
            row.pk,
            row.candidate_id,
            "" if campaign.is_open else row.system,
            len(ratings),
            state_of(statuses, ratings=len(ratings), is_ruled=ruling is not None),
            is_settled=bool(ratings) and not statuses,
            is_locked=row.pk in locked,
            values=settle(ratings, ruling),
        )


def _unsettled(pks: Sequence[UUID]) -> defaultdict[UUID, set[str]]:
    """Return the statuses of unsettled conflicts; an order flip disputes both its candidates."""
    rows = Conflict.objects.filter(
        Q(candidate__in=pks) | Q(other_candidate__in=pks), status__in=UNSETTLED
    )
    found: defaultdict[UUID, set[str]] = defaultdict(set)
    for *pair, status in rows.values_list("candidate_id", "other_candidate_id", "status"):
        for pk in pair:
            found[pk].add(status)
    return found


def settled_candidates(campaign: Campaign) -> set[UUID]:
    """Return the genuine candidates with a rating that are locked and in no open conflict."""
    locked = locked_candidates(campaign).filter(purpose__in=GENUINE)
    unsettled = Conflict.objects.filter(campaign=campaign, status__in=UNSETTLED)
    disputed = {pk for row in unsettled for pk in row.pair}
    return set(locked.values_list("pk", flat=True)) - disputed


# References that are read together with all that hangs on them.
BATCH = 200
_OF_RATING = ("candidate", "annotator", *SCORE_COLUMNS, "submitted_at")


@dataclass(frozen=True, slots=True)
class FreezableReference:
    """A reference with the ratings of each of its candidates that may be frozen.

    `rulings` holds the valid ruling of each candidate that has one: it counts instead of the mean.
    """

    reference: Reference
    ratings: tuple[tuple[Candidate, tuple[Rating, ...]], ...]
    rulings: Mapping[UUID, Ruling] = field(default_factory=dict)


def freezable_references(
    campaign: Campaign, *, include_unlocked: bool, left_out: Counter[str]
) -> Iterator[FreezableReference]:
    """Yield the references with at least one candidate that may be frozen, in their order.

    One batch of references is held at a time. Left out, and counted in `left_out` by reason:
    candidates not locked (unless asked for), with an open conflict, without a rating, or of a
    reference whose owner did not allow training.
    """
    locked = set(locked_candidates(campaign).values_list("pk", flat=True))
    # An order flip disputes both of its own.
    unsettled = Conflict.objects.filter(campaign=campaign, status__in=UNSETTLED)
    disputed = {pk for row in unsettled for pk in row.pair}
    for reference in _references(campaign):
        usable = []
        for candidate in reference.candidates.all():
            ratings = tuple(sorted(candidate.ratings.all(), key=lambda r: str(r.pk)))
            if not ratings:
                left_out["not rated"] += 1
            elif not reference.may_train:
                left_out["training not allowed"] += 1
            elif candidate.pk in disputed:
                left_out["open conflict"] += 1
            elif candidate.pk not in locked and not include_unlocked:
                left_out["not locked"] += 1
            else:
                usable.append((candidate, ratings))
        if usable:
            rulings = {one.pk: row for one, _ in usable for row in one.rulings.all()}
            yield FreezableReference(reference, tuple(usable), rulings)


def _references(campaign: Campaign) -> Iterator[Reference]:
    """Yield the references in their order, a batch at a time, without what no freeze looks at."""
    ratings = Rating.objects.only(*_OF_RATING)
    valid = Ruling.objects.filter(is_valid=True).select_related("adjudication")
    valid = valid.only("candidate", "scores", "adjudication__adjudicator")
    own = ("reference", "candidate_id", "claims")
    candidates = Candidate.objects.filter(purpose__in=GENUINE).only(*own)
    return (
        Reference.objects.filter(campaign=campaign)
        .defer("draft_claims", "title")
        .prefetch_related(
            Prefetch("candidates", candidates),
            Prefetch("candidates__ratings", ratings),
            Prefetch("candidates__rulings", valid),
        )
        .order_by("position", "reference_id")
        .iterator(chunk_size=BATCH)
    )


@dataclass(frozen=True, slots=True)
class GivenRating:
    """A rating as it stands, with every revision of it, the first submit included; or one of them.

    Points are text in the rubric's order.
    """

    annotator: str
    number: int
    points: tuple[str, ...]
    round: int
    is_blind: bool
    made_at: datetime
    revisions: tuple["GivenRating", ...] = ()


@dataclass(frozen=True, slots=True)
class FoundConflict:
    """A conflict with its description; `other` is the other candidate of an order flip."""

    row: Conflict
    words: str
    other: str


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

    def texts(row: Rating | RatingRevision) -> tuple[str, ...]:
        points = points_of(row.all_scores)
        return tuple(points_text(criterion, points[criterion]) for criterion in ALL_CRITERIA)

    for row in rows:
        name = names.get(str(row.annotator_id), "an annotator")
        revisions = tuple(
            GivenRating(name, one.number, texts(one), one.round, one.is_blind, one.made_at)
            for one in row.revisions.all()
        )
        last = (row.version, texts(row), row.round, row.is_blind, row.revised_at)
        found.append(GivenRating(name, *last, revisions))
    # "Annotator 10" stands after "Annotator 9".
    return tuple(sorted(found, key=lambda one: (len(one.annotator), one.annotator)))


def rounds_on(pk: UUID) -> QuerySet[Any]:
    """Return the times that annotators were asked once more, how many were and have answered."""
    answered = Q(second_looks__answered_at__isnull=False)
    rows = Round.objects.filter(candidate=pk).annotate(
        asked=Count("second_looks"), answered=Count("second_looks", filter=answered)
    )
    return rows.order_by("number")


def conflicts_on(pk: UUID, names: Mapping[UUID, str]) -> tuple[FoundConflict, ...]:
    """Return the conflicts of a candidate; `names` calls the other one of an order flip."""
    rows = Conflict.objects.filter(Q(candidate=pk) | Q(other_candidate=pk))
    found = []
    for row in rows.order_by("opened_at", "kind", "criterion"):
        words = describe_finding(row.kind, row.criterion, row.gap)
        other = "".join(names.get(one, "") for one in row.pair if one != pk)
        found.append(FoundConflict(row, words, other))
    return tuple(found)


def rulings_on(pk: UUID, names: Names) -> tuple[GivenRuling, ...]:
    """Return the rulings on a candidate, void ones included, the oldest first."""
    rows = Ruling.objects.filter(candidate=pk).select_related("adjudication", "rating")
    found = []
    rows = rows.prefetch_related("adjudication__rulings").order_by("adjudication__made_at")
    sealed = sealed_sha256s(row.adjudication for row in rows)
    for row in rows:
        points = ruled_points(row.scores)
        texts = tuple(
            points_text(key, points[key]) if key in points else "" for key in ALL_CRITERIA
        )
        taken = names.get(str(row.rating.annotator_id), "one annotator") if row.rating else ""
        holds = signature_holds(row.adjudication, sealed)
        found.append(GivenRuling(row.adjudication, texts, taken, row.is_valid, holds))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Derivation:
    """How one criterion's values follow: the settled one, and the majority's."""

    value: SettledValue
    settled: str
    majority: str


@dataclass(frozen=True, slots=True)
class CandidateTrace:
    """Everything that the page of one candidate shows."""

    reference_id: str
    title: str
    candidate: SettledCandidate
    ratings: tuple[GivenRating, ...]
    rounds: QuerySet[Any]
    conflicts: tuple[FoundConflict, ...]
    rulings: tuple[GivenRuling, ...]
    derivations: tuple[Derivation, ...]


def candidate_trace(
    campaign: Campaign, pk: UUID, names: Names, *, shows_titles: bool = False
) -> CandidateTrace:
    """Return the page of a genuine candidate; raises Candidate.DoesNotExist for any other.

    `names` calls annotators by user id; without any, no single rating is shown.
    """
    genuine = Candidate.objects.filter(campaign=campaign, purpose__in=GENUINE)
    row = genuine.select_related("reference").defer("claims", "reference__claims").get(pk=pk)
    (reference,) = settled_references(campaign, [row.reference], shows_titles=shows_titles)
    candidate = next(one for one in reference.candidates if one.pk == pk)
    siblings = genuine.filter(reference=row.reference_id)
    rulings = rulings_on(pk, names)
    return CandidateTrace(
        reference.reference_id,
        reference.title,
        candidate,
        ratings=given_ratings(pk, names) if names else (),
        rounds=rounds_on(pk),
        conflicts=conflicts_on(pk, dict(siblings.values_list("pk", "candidate_id"))),
        rulings=rulings,
        derivations=tuple(
            Derivation(value, _settled_by(value, rulings, bool(names)), _majority_of(value))
            for value in candidate.values
        ),
    )


def raters_of(campaign: Campaign) -> list[str]:
    """Return the ids of everybody who has rated in a campaign."""
    rows = Assignment.objects.filter(campaign=campaign, status=AssignmentStatus.SUBMITTED)
    return [str(pk) for pk in rows.order_by().values_list("annotator_id", flat=True).distinct()]


def names_for(user: User, campaign: Campaign, key: object, *, is_admin: bool) -> Names:
    """Return how annotators are called, by user id.

    Admins: the pseudonyms of the campaign's pages, or user names once they were shown. Others:
    pseudonyms of this one place, and none where there are too few.
    """
    ids = raters_of(campaign)
    if not is_admin:
        return pseudonyms(ids, key) if len(ids) >= LEAST_DISTINGUISHED else {}
    if is_unblinded(campaign, user, Shown.NAMES):
        return user_names(ids)
    return pseudonyms(ids, campaign.pk)


def _settled_by(value: SettledValue, rulings: Sequence[GivenRuling], shows_each: bool) -> str:
    """Return how the settled value follows: from the ruling, or as the mean of what was given."""
    if value.settled is None:
        return "nobody has rated it"
    exact = str(value.settled)
    if value.settled.denominator > 1:
        exact += f", shown as {mean_text(value.settled)}"
    valid = next((one for one in rulings if one.is_valid), None)
    if valid is None:
        given = " + ".join(map(str, value.given)) if shows_each else "what was given"
        return f"the mean: ({given}) / {len(value.given)} = {exact}"
    if valid.taken_from:
        return f"ruled, taken from {valid.taken_from}: {exact}"
    return f"ruled, {valid.row.get_decision_display()}: {exact}"


def _majority_of(value: SettledValue) -> str:
    if value.majority is None:
        return "no majority"
    times = value.given.count(value.majority)
    return f"{value.majority_text}, given by {times} of {len(value.given)}"
