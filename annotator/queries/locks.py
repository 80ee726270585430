"""When a rating is locked, and what may be frozen."""

from datetime import datetime, timedelta

from django.db.models import Count, Exists, F, Max, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from annotator.clock import database_now
from annotator.models import Assignment, Campaign, Candidate, Rating, Round, Ruling, Turn

LOCKED_SENTENCE = (
    "This rating can no longer be changed. Ask the campaign's admin to reopen it if it is wrong."
)


def locked_candidates(campaign: Campaign, now: datetime | None = None) -> QuerySet[Candidate]:
    """Return the candidates whose ratings are final.

    Locked: the campaign is closed, or all its places are rated and the revision window has passed
    since the last submit or revision, or an adjudicator has the candidate open or has ruled on it.
    Not while annotators are asked about it once more.
    """
    rated = Candidate.objects.filter(reference__campaign=campaign, ratings__isnull=False).distinct()
    if not campaign.is_open:
        return rated
    before = (now or database_now()) - timedelta(hours=campaign.revision_hours)
    turn = Turn.objects.filter(candidate=OuterRef("pk"), expires_at__gt=Now())
    ruling = Ruling.objects.filter(candidate=OuterRef("pk"), is_valid=True)
    asked = Round.objects.filter(candidate=OuterRef("pk"), finished_at=None)
    return (
        rated.annotate(
            rating_count=Count("ratings", distinct=True), last=Max("ratings__revised_at")
        )
        .filter(Q(rating_count__gte=F("places"), last__lt=before) | Exists(turn) | Exists(ruling))
        .exclude(Exists(asked))
    )


def is_locked(assignment: Assignment) -> bool:
    """Say whether the rating of this assignment is locked."""
    if not assignment.campaign.is_open:
        return True
    has_rating = Rating.objects.filter(assignment=assignment).exists()
    return has_rating and (
        locked_candidates(assignment.campaign).filter(pk=assignment.candidate_id).exists()
    )
