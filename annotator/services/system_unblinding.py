"""Writes of the record that somebody was shown which system made which candidate."""

from django.db import transaction

from annotator.models import Campaign, Membership, Shown, User
from annotator.queries.unblindings import is_unblinded
from annotator.services.unblinding import record_unblinding


@transaction.atomic
def show_systems(*, campaign: Campaign, user: User) -> None:
    """Record the first time that a person is shown the systems after a closing.

    Does nothing while the campaign is open: nobody is shown any then.
    """
    row = Campaign.objects.get(pk=campaign.pk)
    if row.is_open or is_unblinded(row, user, Shown.SYSTEMS):
        return
    # Two views at once make one row: the second waits here, and looks again.
    list(Membership.objects.select_for_update(no_key=True).filter(campaign=row, user=user))
    if not is_unblinded(row, user, Shown.SYSTEMS):
        record_unblinding(campaign=row, user=user, shown=Shown.SYSTEMS)
