"""How many candidates a day meet the due dates of a queue."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime


@dataclass(frozen=True, slots=True)
class DailyTarget:
    """So many candidates on each of so many days, the last of which is `day`."""

    count: int
    day: date
    days: int


def daily_target(due: Iterable[datetime | None], now: datetime) -> DailyTarget | None:
    """Return how many candidates a day finish everything by its due date.

    Inputs: the due date of each open candidate, None where it has none; the time now. Output: the
    largest of ceil(n / days) over the due dates that have not passed, n being how many are due by
    then, those that are overdue included, and days the days until then, today and the last one
    included; of equal ones the latest. None where nothing is due any more. Days are those of the
    zone in which the times are given.
    """
    dates = sorted(at for at in due if at is not None)
    found: DailyTarget | None = None
    for number, at in enumerate(dates, start=1):
        days = (at.date() - now.date()).days + 1
        if at < now:
            continue
        count = -(-number // days)
        if found is None or count >= found.count:
            found = DailyTarget(count, at.date(), days)
    return found
