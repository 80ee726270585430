"""What a freeze may use: the ratings of a campaign's candidates, and what is left out and why."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from uuid import UUID

from django.db.models import Prefetch

from annotator.models import (
    GENUINE,
    UNSETTLED,
    Campaign,
    Candidate,
    Conflict,
    Rating,
    Reference,
    Ruling,
)
from annotator.queries.locks import locked_candidates
from annotator.rubric import CRITERIA

# References that are read together with all that hangs on them.
BATCH = 200
_OF_RATING = ("candidate", "annotator", *CRITERIA, "overall_numerator", "submitted_at")


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
    disputed = _disputed(campaign)
    for reference in _references(campaign):
        kept = []
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
                kept.append((candidate, ratings))
        if kept:
            rulings = {one.pk: row for one, _ in kept for row in one.rulings.all()}
            yield FreezableReference(reference, tuple(kept), rulings)


def _references(campaign: Campaign) -> Iterator[Reference]:
    """Yield the references in their order, a batch at a time, without what no freeze looks at."""
    ratings = Rating.objects.only(*_OF_RATING)
    valid = Ruling.objects.filter(is_valid=True).select_related("adjudication")
    own = ("reference", "candidate_id", "claims")
    candidates = Candidate.objects.filter(purpose__in=GENUINE).only(*own)
    return (
        Reference.objects.filter(campaign=campaign)
        .defer("draft_claims", "title")
        .prefetch_related(
            Prefetch("candidates", candidates),
            Prefetch("candidates__ratings", ratings),
            Prefetch(
                "candidates__rulings",
                valid.only("candidate", "scores", "adjudication__adjudicator"),
            ),
        )
        .order_by("position", "reference_id")
        .iterator(chunk_size=BATCH)
    )


def _disputed(campaign: Campaign) -> set[object]:
    """Return the candidates of unsettled conflicts; an order flip disputes both of its own."""
    rows = Conflict.objects.filter(campaign=campaign, status__in=UNSETTLED)
    return {
        pk
        for pair in rows.values_list("candidate_id", "other_candidate_id")
        for pk in pair
        if pk is not None
    }
