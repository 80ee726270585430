"""What closing a campaign would do, as the page that asks says it."""

from django.shortcuts import resolve_url

from annotator.conflicts.queries import count_cases
from annotator.models import UNSETTLED, Assignment, AssignmentStatus, Campaign, Conflict, Rating
from core.confirmation import Confirmation
from patclaimeval.plurals import counted


def about_closing(campaign: Campaign) -> Confirmation:
    """Return what is asked before a campaign is closed."""
    rows = Assignment.objects.filter(campaign=campaign, status=AssignmentStatus.OPEN)
    count = rows.count()
    people = rows.order_by().values("annotator").distinct().count()
    ratings = Rating.objects.filter(candidate__campaign=campaign).count()
    disputes = count_cases(Conflict.objects.filter(campaign=campaign, status__in=UNSETTLED))
    whose = f" of {counted(people, 'annotator')}" if count else ""
    final = "is final" if ratings == 1 else "are final"
    return Confirmation(
        question=f"Close {campaign.name}?",
        count=counted(count, "open candidate"),
        effect=f"{whose} can no longer be rated, and nothing more is given out. "
        f"{counted(ratings, 'rating')} {final} at once; {counted(disputes, 'unsettled case')} "
        "can still be ruled. Drafts stay stored.",
        undo="You can reopen it at any time, with a reason; ratings whose time for changes is over "
        "by then stay as they are. The reasons stay in the trail.",
        act="Close the campaign",
        leave="Keep it open",
        back=resolve_url("annotator:campaign_rules", campaign.slug),
    )
