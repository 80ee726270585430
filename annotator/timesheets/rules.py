"""Which sums of active time a timesheet holds: rounded, of periods that are over and busy enough.

A line must not reveal how long somebody took over one candidate: docs/adr/0032.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Final

LEAST_CANDIDATES: Final = 5
"""So many candidates were begun in the time of a line, at least."""
QUARTER_SECONDS: Final = 900


@dataclass(frozen=True, slots=True)
class WorkedDay:
    """One person's day: active seconds, and how many candidates were opened for the first time."""

    person: str
    day: date
    seconds: float
    begun: int


@dataclass(frozen=True, slots=True)
class Line:
    """One person's time from the first day to the last, both included, in quarter hours."""

    person: str
    first: date
    last: date
    quarters: int

    @property
    def hours(self) -> str:
        """Return the hours with two decimals."""
        return f"{self.quarters // 4}.{self.quarters % 4 * 25:02d}"


@dataclass(frozen=True, slots=True)
class _Stretch:
    first: date
    last: date
    seconds: float
    begun: int

    def __add__(self, later: "_Stretch") -> "_Stretch":
        return _Stretch(
            self.first, later.last, self.seconds + later.seconds, self.begun + later.begun
        )


def lines_by_month(days: Iterable[WorkedDay], today: date) -> list[Line]:
    """Return the lines of a campaign that is open: by person and calendar month.

    Input: the days in any order; today, by the same calendar. A month that is not over is left
    out. One in which fewer than LEAST_CANDIDATES were begun goes into the person's next, and is
    left out as long as there is none; so a line that is there stays as it is. Seconds are rounded
    to the nearest quarter hour, halves up.
    """
    over = [one for one in days if (one.day.year, one.day.month) < (today.year, today.month)]
    return _lines(over, lambda day: (day.year, day.month), is_final=False)


def lines_by_day(days: Iterable[WorkedDay]) -> list[Line]:
    """Return the lines of a campaign that is closed: by person and day.

    As by month, but that what is left at the end goes into the person's last line. Who has begun
    fewer than LEAST_CANDIDATES in all has no line.
    """
    return _lines(days, lambda day: (day.year, day.month, day.day), is_final=True)


def _lines(
    days: Iterable[WorkedDay], period: Callable[[date], tuple[int, ...]], *, is_final: bool
) -> list[Line]:
    found = []
    ordered = sorted(days, key=lambda one: (one.person, one.day))
    for person, own in groupby(ordered, key=lambda one: one.person):
        stretches: list[_Stretch] = []
        open_one: _Stretch | None = None
        for _, group in groupby(own, key=lambda one: period(one.day)):
            for one in group:
                day = _Stretch(one.day, one.day, one.seconds, one.begun)
                open_one = open_one + day if open_one else day
            if open_one and open_one.begun >= LEAST_CANDIDATES:
                stretches.append(open_one)
                open_one = None
        if open_one and is_final and stretches:
            stretches[-1] += open_one
        found += [
            Line(person, one.first, one.last, math.floor(one.seconds / QUARTER_SECONDS + 0.5))
            for one in stretches
        ]
    return found
