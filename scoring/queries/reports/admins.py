"""Ratings of admins of the campaign behind a version, which reports leave out unless asked."""

from uuid import UUID

from annotator.queries.rating_inputs import rating_admins
from scoring.models import DatasetVersion, UsedRating


def admins_behind(version: DatasetVersion) -> tuple[UUID, ...]:
    """Return the ids of the people who rate and administer the campaign of a version, today."""
    campaign = version.dataset.campaign
    return tuple(map(UUID, rating_admins(campaign))) if campaign is not None else ()


def ratings_by_admins(version: DatasetVersion) -> frozenset[str]:
    """Return the ids of the ratings of a version that admins gave; none for an imported one."""
    admins = admins_behind(version)
    if not admins:
        return frozenset()
    rows = UsedRating.objects.filter(version=version, rating__annotator__in=admins)
    return frozenset(map(str, rows.values_list("rating", flat=True)))
