"""Until when a campaign's claim texts are to be kept, and whether that day is near or past."""

from dataclasses import dataclass
from datetime import date
from typing import Final

from annotator.models import Campaign

WARNED_DAYS: Final = 30


@dataclass(frozen=True, slots=True)
class Retention:
    """The last day of keeping; `days_left` is negative once it has passed."""

    until: date
    days_left: int

    @property
    def has_passed(self) -> bool:
        return self.days_left < 0

    @property
    def is_near(self) -> bool:
        """Whether the day is at most thirty days away, and not past."""
        return 0 <= self.days_left <= WARNED_DAYS

    @property
    def days_over(self) -> int:
        return max(0, -self.days_left)


def retention(campaign: Campaign, today: date) -> Retention | None:
    """Return until when texts are kept; none when nobody has decided."""
    until = campaign.retain_until
    return Retention(until, (until - today).days) if until else None
