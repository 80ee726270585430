"""Which exports of its ratings a campaign has seen: who took what, when and why."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from annotator.models import AuditEvent, Campaign

EXPORTED: Final = "ratings.exported"
MOST_LISTED: Final = 200


@dataclass(frozen=True, slots=True)
class PastExport:
    """One export; `who` is "" for one by command."""

    at: datetime
    who: str
    format: str
    is_identified: bool
    reason: str


def exports_of(campaign: Campaign) -> Iterator[PastExport]:
    """Yield the latest exports of a campaign, the last first."""
    rows = AuditEvent.objects.filter(
        object_type="campaign", object_id=str(campaign.pk), action=EXPORTED
    )
    for row in rows.select_related("actor").order_by("-pk")[:MOST_LISTED]:
        yield PastExport(
            row.at,
            row.actor.username if row.actor else "",
            row.details["format"],
            row.details["is_identified"],
            row.details["reason"],
        )
