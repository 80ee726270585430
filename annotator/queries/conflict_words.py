"""What an adjudicator's program is told of the open conflicts: blind, as the pages are."""

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from annotator.models import (
    Candidate,
    Conflict,
    ConflictStatus,
    Rating,
    Reference,
    User,
)
from annotator.queries.conflict_cases import (
    candidate_names,
    conflicts_to_rule,
    finding_words,
    live_turns,
    shuffled,
)
from annotator.queries.locks import locked_candidates
from annotator.rubric import overall_text


def open_conflicts(user: User) -> QuerySet[Conflict]:
    """Return the open conflicts that the user may rule on, by campaign and reference."""
    return (
        conflicts_to_rule(user)
        .filter(status=ConflictStatus.OPEN)
        .select_related("campaign")
        .order_by("campaign__slug", "candidate__reference__position", "candidate", "-gap", "pk")
    )


def conflict_words(user: User, rows: Sequence[Conflict]) -> list[dict[str, Any]]:
    """Return conflicts that the user may rule on as JSON values.

    Ratings are named by id only, in an order drawn per candidate; what they say is told once they
    are locked and no other adjudicator has them open.
    """
    pks = {pk for row in rows for pk in _pair(row)}
    texts = dict(Candidate.objects.filter(pk__in=pks).values_list("pk", "claims"))
    references = {
        row.pk: row for row in Reference.objects.filter(candidates__in=pks).distinct().iterator()
    }
    of = dict(Candidate.objects.filter(pk__in=pks).values_list("pk", "reference_id"))
    names = candidate_names(references, user)
    ratings = _ratings(pks)
    shown = _readable(rows, user)
    return [
        {
            "id": str(row.pk),
            "campaign": row.campaign.slug,
            "kind": row.kind,
            "criterion": row.criterion or None,
            "gap": _gap(row),
            "words": finding_words(row.kind, row.criterion, row.gap),
            "reference": _reference(references[of[row.candidate_id]]),
            "candidates": [
                {
                    "label": names[pk],
                    "claims": texts[pk],
                    "scores_as": "other_scores" if place else "scores",
                    "ratings": [_said(r, pk in shown) for r in _drawn(row, ratings.get(pk, ()))],
                }
                for place, pk in enumerate(_pair(row))
            ],
        }
        for row in rows
    ]


def _pair(row: Conflict) -> tuple[UUID, ...]:
    return tuple(pk for pk in (row.candidate_id, row.other_candidate_id) if pk)


def _gap(row: Conflict) -> float:
    """Return the gap in points, to two decimals where it is one of the overall."""
    return float(row.gap if row.criterion else overall_text(row.gap))


def _ratings(candidates: Iterable[UUID]) -> dict[UUID, list[Rating]]:
    found: dict[UUID, list[Rating]] = {}
    for rating in Rating.objects.filter(candidate__in=candidates):
        found.setdefault(rating.candidate_id, []).append(rating)
    return found


def _readable(rows: Sequence[Conflict], user: User) -> set[UUID]:
    """Return the candidates whose ratings the user may read now."""
    locked: set[UUID] = set()
    for campaign in {row.campaign_id: row.campaign for row in rows}.values():
        locked |= set(locked_candidates(campaign).values_list("pk", flat=True))
    turns = live_turns(pk for row in rows for pk in _pair(row))
    return locked - {pk for pk, turn in turns.items() if turn.adjudicator_id != user.pk}


def _drawn(row: Conflict, ratings: Sequence[Rating]) -> list[Rating]:
    item = "".join(sorted(str(pk) for pk in _pair(row)))
    return sorted(ratings, key=lambda rating: shuffled(item, rating.annotator_id))


def _reference(reference: Reference) -> dict[str, Any]:
    names = ("reference_id", "title", "office", "ipc", "language", "claims")
    return {name: getattr(reference, name) for name in names}


def _said(rating: Rating, is_readable: bool) -> dict[str, Any]:
    if not is_readable:
        return {"id": str(rating.pk), "scores": None}
    return {
        "id": str(rating.pk),
        "scores": rating.scores,
        "overall_quality": {
            "numerator": rating.overall_numerator,
            "value": float(overall_text(rating.overall_numerator)),
        },
        "comment": rating.comment,
        "note": rating.note,
        "error_tags": rating.error_tags,
    }
