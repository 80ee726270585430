"""The audit trail of a campaign as JSON Lines, as of one moment, with the head of the chain."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from annotator.formats.times import time_text
from annotator.models import AuditSeal, Campaign, User
from annotator.queries.audit_trail import Entry, campaign_trail
from annotator.queries.audit_verification import current_head
from annotator.queries.one_moment import one_moment

AT_ONCE: Final = 1_000
NOTICE: Final = "Confidential: who did what on unfiled claims. No claim text is in it."


@dataclass(frozen=True, slots=True)
class AuditExport:
    """The trail of a campaign as one of its admins may know it."""

    campaign: Campaign
    reader: User

    def pieces(self) -> Iterator[bytes]:
        """Yield the head of the whole chain, then each entry, the first first."""
        with one_moment():
            trail = campaign_trail(self.campaign, self.reader)
            yield _line(
                {
                    "kind": "audit trail",
                    "campaign": self.campaign.slug,
                    "head": str(current_head() or ""),
                    "entries": trail.seals.count(),
                    "raters": "named" if trail.is_named else "not named",
                    "limited": trail.is_limited,
                    "notice": NOTICE,
                }
            )
            for seal in trail.seals.order_by("sequence").iterator(AT_ONCE):
                yield _line(_told(seal, trail.entry(seal, {}, seal.sequence)))


def _told(seal: AuditSeal, entry: Entry) -> dict[str, Any]:
    return {
        "sequence": seal.sequence,
        "at": time_text(entry.at),
        "who": entry.who,
        "action": entry.action,
        "object_type": entry.object_type,
        "object_id": entry.object_id,
        "details": entry.details,
        "sha256": seal.sha256,
    }


def _line(record: dict[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False, allow_nan=False).encode() + b"\n"
