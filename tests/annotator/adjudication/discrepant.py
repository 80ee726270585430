"""Builders of conflicts that wait: candidates on which alice and bob are far apart."""

from collections.abc import Sequence
from typing import Any

from django.utils import timezone

from annotator.models import Assignment, Candidate, Conflict, Membership, Rating, User
from annotator.rating.services import revise_rating
from patclaimeval.rubric import CRITERIA
from tests.conftest import Cast, grant, make_user

LOW, HIGH = (1, 1, 1, 1), (9, 9, 9, 9)
WORDS = {"alice": "the spout is gone", "bob": "all features are there"}
NOTES = {"alice": "see claim 1", "bob": "compare claim 2"}


def member(cast: Cast, name: str, *roles: str) -> User:
    """Return a new person with these roles in the campaign, annotator unless said."""
    return grant(make_user(name), cast.campaign, *(roles or ("annotator",)))


def rate_all(
    cast: Cast, person: User, reference: Any, values: Sequence[Sequence[int]], **more: Any
) -> list[Rating]:
    """Have a person rate all candidates of a reference by name; values in candidate_id order."""
    rows = {row.candidate_id: row for row in cast.assign(person, reference)}
    candidates = reference.candidates.order_by("candidate_id")
    return [
        cast.submit(rows[one.pk], scores, **more)
        for one, scores in zip(candidates, values, strict=True)
    ]


def disagree(cast: Cast, reference_id: str = "r1") -> Candidate:
    """Return a candidate that alice and bob have rated by name, far apart."""
    reference = cast.reference(reference_id, 1)
    rate_all(cast, cast.alice, reference, [LOW])
    rate_all(cast, cast.bob, reference, [HIGH])
    return Candidate.objects.get(reference=reference)


def give_ladder(cast: Cast, **more: Any) -> None:
    """Have the campaign ask a further annotator before an adjudicator."""
    type(cast.campaign).objects.filter(pk=cast.campaign.pk).update(has_ladder=True, **more)
    cast.campaign.refresh_from_db()


def statuses(candidate: Candidate) -> set[str]:
    rows = Conflict.objects.filter(candidate=candidate) | Conflict.objects.filter(
        other_candidate=candidate
    )
    return set(rows.values_list("status", flat=True))


def of(candidate: Candidate, kind: str = "overall_gap") -> Conflict:
    return Conflict.objects.get(candidate=candidate, kind=kind)


def share(person: User, candidate: Candidate) -> Assignment:
    return Assignment.objects.get(annotator=person, candidate=candidate)


def revise(person: User, candidate: Candidate, scores: Sequence[int] | None = None) -> Rating:
    """Have a person revise their rating, to the same scores when none are given."""
    rating = Rating.objects.get(annotator=person, candidate=candidate)
    values = dict(zip(CRITERIA, scores, strict=True)) if scores else rating.scores
    return revise_rating(
        rating_id=rating.pk, annotator=person, version=rating.version, scores=values
    )


def leave_campaign(person: User, cast: Cast) -> None:
    Membership.objects.filter(user=person, campaign=cast.campaign).delete()


def open_conflict(candidate: Candidate, kind: str = "overall_gap", **more: Any) -> Conflict:
    """Store a conflict of a candidate that no rating has led to."""
    return Conflict.objects.create(
        campaign=candidate.campaign,
        candidate=candidate,
        kind=kind,
        **({"gap": 22, "opened_at": timezone.now()} | more),
    )
