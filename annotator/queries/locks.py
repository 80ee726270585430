"""When a rating is locked, and what may be frozen."""

from datetime import datetime, timedelta

from django.db.models import Count, Max, Q, QuerySet
from django.utils import timezone

from annotator.models import Assignment, Campaign, Candidate, Rating

LOCKED_SENTENCE = (
    "This rating can no longer be changed. Ask the campaign's admin to reopen it if it is wrong."
)


def locked_candidates(campaign: Campaign, now: datetime | None = None) -> QuerySet[Candidate]:
    """Return the candidates whose ratings are final.

    Locked: the campaign is closed, or the overlap is complete and the revision window has passed
    since the last submit or revision.
    """
    rated = Candidate.objects.filter(reference__campaign=campaign, ratings__isnull=False).distinct()
    if not campaign.is_open:
        return rated
    before = (now or timezone.now()) - timedelta(hours=campaign.revision_hours)
    return rated.annotate(
        rating_count=Count("ratings", distinct=True), last=Max("ratings__revised_at")
    ).filter(Q(rating_count__gte=campaign.overlap), last__lt=before)


def is_locked(assignment: Assignment) -> bool:
    """Say whether the rating of this assignment is locked."""
    if not assignment.campaign.is_open:
        return True
    has_rating = Rating.objects.filter(assignment=assignment).exists()
    return has_rating and (
        locked_candidates(assignment.campaign).filter(pk=assignment.candidate_id).exists()
    )
