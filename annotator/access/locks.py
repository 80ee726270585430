"""The lock of a campaign, where those who change what it holds or gives out wait."""

from typing import Final
from uuid import UUID

from annotator.models import Campaign
from core.errors import OutOfDate

NOT_GIVEN: Final = "The campaign is closed; nothing can be assigned or withdrawn."


def lock_open_campaign(pk: UUID, closed: str = NOT_GIVEN) -> Campaign:
    """Return a campaign as it is now, locked until the transaction ends.

    Raises OutOfDate with the sentence `closed` where it is not open.
    """
    # Not its key: people who rate meanwhile write rows that name the campaign.
    row = Campaign.objects.select_for_update(no_key=True).get(pk=pk)
    if not row.is_open:
        raise OutOfDate(closed)
    return row
