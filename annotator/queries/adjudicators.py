"""Who has ruled on a candidate: they have read its ratings, and rate it no more."""

from collections.abc import Collection
from uuid import UUID

from annotator.models import Ruling, User


def has_ruled_on(user: User, candidates: Collection[UUID]) -> bool:
    """Say whether the user has ever ruled on one of the candidates, void rulings included."""
    return Ruling.objects.filter(candidate__in=candidates, adjudication__adjudicator=user).exists()
