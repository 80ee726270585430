"""Who was shown what annotators must not see."""

from typing import Final

from django.db.models import QuerySet

from annotator.models import Campaign, Shown, Unblinding, User

MOST_LISTED: Final = 500


def is_unblinded(campaign: Campaign, user: User, shown: Shown) -> bool:
    """Say whether the person was shown it since the campaign was closed; never while it is open."""
    if campaign.is_open or campaign.closed_at is None:
        return False
    rows = Unblinding.objects.filter(campaign=campaign, user=user, shown=shown)
    return rows.filter(at__gte=campaign.closed_at).exists()


def unblindings_of(campaign: Campaign) -> QuerySet[Unblinding]:
    """Return the latest unblindings of a campaign, with whom they showed it to."""
    rows = Unblinding.objects.filter(campaign=campaign).select_related("user")
    return rows.order_by("-at", "-pk")[:MOST_LISTED]
