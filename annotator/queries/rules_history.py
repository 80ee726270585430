"""The conflict rules that a campaign has had, by number."""

from dataclasses import dataclass
from datetime import datetime

from annotator.conflicts.rules import gap_text
from annotator.models import Campaign, RulesVersion


@dataclass(frozen=True, slots=True)
class PastRules:
    """The rules of one number: gaps in rating points, as text for the overall kinds."""

    number: int
    criterion_gap: int
    overall_gap: str
    flip_gap: str
    has_ladder: bool
    made_at: datetime
    made_by: str
    is_current: bool


def rules_history(campaign: Campaign) -> tuple[PastRules, ...]:
    """Return every version of the rules, the newest first."""
    rows = RulesVersion.objects.filter(campaign=campaign).order_by("-number")
    return tuple(
        PastRules(
            row.number,
            row.criterion_gap,
            gap_text(row.overall_gap_numerator),
            gap_text(row.flip_gap_numerator),
            row.has_ladder,
            row.made_at,
            row.made_by.username if row.made_by else "",
            row.number == campaign.rules_version,
        )
        for row in rows.select_related("made_by")
    )
