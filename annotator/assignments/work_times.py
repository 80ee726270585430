"""The active time that an annotator has spent, by campaign and by day: shown to them alone."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from django.db.models import Count, Sum
from django.db.models.functions import TruncDate

from annotator.assignments.queries import ratings_by
from annotator.models import User


@dataclass(frozen=True, slots=True)
class Spent:
    """Ratings and their active seconds on one day."""

    day: date
    ratings: int
    seconds: int

    @property
    def time(self) -> str:
        return time_text(self.seconds)


@dataclass(frozen=True, slots=True)
class CampaignTime:
    """What was spent in one campaign, the latest day first."""

    name: str
    days: tuple[Spent, ...]

    @property
    def ratings(self) -> int:
        return sum(day.ratings for day in self.days)

    @property
    def time(self) -> str:
        return time_text(sum(day.seconds for day in self.days))


def times_of(user: User) -> tuple[CampaignTime, ...]:
    """Return the user's own active time of each campaign; one query.

    A rating counts on the day, in the time zone of the request, on which it was first submitted.
    """
    rows = (
        ratings_by(user)
        .annotate(day=TruncDate("submitted_at"))
        .values_list("assignment__campaign", "assignment__campaign__name", "day")
        .annotate(Count("pk"), Sum("active_seconds"))
        .order_by("assignment__campaign__created_at", "assignment__campaign", "-day")
    )
    return tuple(_by_campaign(rows))


def _by_campaign(rows: Iterable[tuple[object, str, date, int, int]]) -> list[CampaignTime]:
    names: dict[object, str] = {}
    days: dict[object, list[Spent]] = {}
    for campaign, name, day, ratings, seconds in rows:
        names[campaign] = name
        days.setdefault(campaign, []).append(Spent(day, ratings, seconds))
    return [CampaignTime(names[key], tuple(spent)) for key, spent in days.items()]


def time_text(seconds: int) -> str:
    """Return a duration in hours and whole minutes, as "1 h 05 min"; "under 1 min" of less."""
    hours, minutes = divmod(seconds // 60, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min" if minutes or not seconds else "under 1 min"
