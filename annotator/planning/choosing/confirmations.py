"""What choosing the order would do to a campaign's figures, as the page that asks says it."""

from django.shortcuts import resolve_url

from annotator.models import Campaign
from annotator.planning.choosing.queries import choosing_of
from core.confirmation import Confirmation
from core.plurals import counted


def about_choosing(campaign: Campaign, percent: int) -> Confirmation | None:
    """Return what is asked before a campaign chooses; None where it does, or cannot as asked."""
    known = choosing_of(campaign)
    is_other_share = known.is_drawn and percent != known.percent
    if known.is_on or is_other_share or not campaign.is_open:
        return None
    before = (
        f", and from {counted(known.before, 'reference')} begun already" if known.before else ""
    )
    return Confirmation(
        question=f"Choose the order of {campaign.name}?",
        count=f"{percent} %",
        effect="of the references that nobody has begun are drawn by chance as control. Figures of "
        f"agreement come from them alone{before}: their intervals are wider.",
        undo="Until somebody begins a reference that was chosen, switching it off takes the draw "
        "back. After that the draw stays, and figures leave out what was chosen.",
        act="Choose the order",
        leave="Leave it as it is",
        back=resolve_url("annotator:plan", campaign.slug),
        sent=(("is_on", "on"), ("percent", str(percent))),
    )
