"""Whose comparisons, which of them are open, and what comes next."""

from django.db.models import QuerySet

from annotator.models import (
    Assignment,
    AssignmentStatus,
    CampaignStatus,
    Comparison,
    Role,
    User,
)

CLOSED_SENTENCE = "The campaign is closed; preferences are no longer taken."
RECUSED_SENTENCE = "You recused yourself from this reference: nothing is to be compared."


def comparisons_for(user: User) -> QuerySet[Comparison]:
    """Return the user's own comparisons in campaigns where they still are annotator."""
    return Comparison.objects.filter(
        annotator=user,
        campaign__memberships__user=user,
        campaign__memberships__role=Role.ANNOTATOR,
    ).select_related("campaign", "left__reference", "preference")


def open_comparisons(user: User) -> QuerySet[Comparison]:
    """Return what the user may compare now, in order, without references they recused from."""
    # Read once, whatever the planner thinks of the tables: as a correlated question it was asked
    # of every row of a table that PostgreSQL took for empty, and took 38 s.
    recused = Assignment.objects.filter(annotator=user, status=AssignmentStatus.RECUSED)
    rows = comparisons_for(user).filter(
        preference__isnull=True, campaign__status=CampaignStatus.OPEN
    )
    rows = rows.exclude(left__reference__in=recused.values("candidate__reference"))
    # A list needs no claim text, and a queue may be long.
    texts = ("left__claims", "left__reference__claims", "left__reference__draft_claims")
    return rows.defer(*texts).order_by("campaign__created_at", "position")


def next_comparison(user: User, after: Comparison) -> Comparison | None:
    """Return what to compare after a comparison: the same reference first, then its campaign."""
    rows = open_comparisons(user).exclude(pk=after.pk)
    here = rows.filter(campaign=after.campaign_id)
    same = here.filter(left__reference=after.left.reference_id)
    return same.first() or here.first() or rows.first()


def closed_because(comparison: Comparison) -> str:
    """Return why a comparison takes no preference any more, "" while it does."""
    if not comparison.campaign.is_open:
        return CLOSED_SENTENCE
    recused = Assignment.objects.filter(
        annotator=comparison.annotator_id,
        status=AssignmentStatus.RECUSED,
        candidate__reference=comparison.left.reference_id,
    )
    return RECUSED_SENTENCE if recused.exists() else ""
