"""How long a ruling takes: measured from an adjudicator's turn to their signature."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import fmean, median
from typing import Final
from uuid import UUID

from annotator.models import Adjudication, AuditEvent, Campaign, Rating

# The latest rulings tell best how long one takes now.
MOST_READ: Final = 500
FEWEST: Final = 5
# As long as a turn lasts: who signs later was away in between.
LONGEST: Final = timedelta(minutes=60)
# Deciding between ratings takes longer than giving one: both are read, and a reason is written.
TIMES_A_RATING: Final = 2


@dataclass(frozen=True, slots=True)
class RulingTime:
    """Seconds for one ruling, and upon how many rulings or ratings that rests."""

    seconds: float
    n: int
    is_measured: bool

    @property
    def minutes(self) -> float:
        return self.seconds / 60

    def hours(self, rulings: int) -> float:
        """Return the hours that so many rulings take."""
        return rulings * self.seconds / 3600


def ruling_time(campaign: Campaign, candidates: Collection[str]) -> RulingTime | None:
    """Return the mean time of the latest rulings, each counted as an hour at most.

    With fewer than five measured: twice the median active time of the ratings of `candidates`
    (32 hexadecimal digits each). None where no time was measured at all.
    """
    taken = _measured(campaign)
    if len(taken) >= FEWEST:
        return RulingTime(fmean(taken), len(taken), is_measured=True)
    rated = Rating.objects.filter(candidate__campaign=campaign, active_seconds__gt=0)
    rows = rated.values_list("candidate_id", "active_seconds")
    active = [seconds for candidate, seconds in rows if candidate.hex in candidates]
    if not active:
        return None
    return RulingTime(TIMES_A_RATING * median(active), len(active), is_measured=False)


def _measured(campaign: Campaign) -> list[float]:
    """Return the seconds from a turn to its ruling; a ruling without a turn is left out."""
    rulings = list(
        Adjudication.objects.filter(conflict__campaign=campaign)
        .order_by("-made_at")
        .values_list("conflict_id", "adjudicator_id", "made_at")[:MOST_READ]
    )
    taken: dict[tuple[str, UUID | None], list[datetime]] = {}
    turns = AuditEvent.objects.filter(
        object_type="conflict",
        object_id__in={str(conflict) for conflict, *_ in rulings},
        action="turn.taken",
    )
    for object_id, actor, at in turns.values_list("object_id", "actor_id", "at"):
        taken.setdefault((object_id, actor), []).append(at)
    found = []
    for conflict, adjudicator, made_at in rulings:
        before = [at for at in taken.get((str(conflict), adjudicator), []) if at <= made_at]
        if before:
            found.append(min(made_at - max(before), LONGEST).total_seconds())
    return found
