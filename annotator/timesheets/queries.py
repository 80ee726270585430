"""The recorded days of a campaign, and what of them an admin may take away now."""

import csv
import io
from dataclasses import dataclass
from datetime import date
from typing import Final

from django.db.models import QuerySet

from annotator.models import Campaign, User, WorkDay
from annotator.timesheets.rules import Line, WorkedDay, lines_by_day, lines_by_month
from patclaimeval.text_io.text import MARK, is_formula

COLUMNS: Final = ("campaign", "annotator", "from", "to", "hours")
EXPORTED: Final = "timesheet.exported"


@dataclass(frozen=True, slots=True)
class Timesheet:
    """The lines of a campaign: by month while it is open, by day once it is closed."""

    campaign: Campaign
    lines: tuple[Line, ...]

    @property
    def content(self) -> bytes:
        """Return the file: CSV, names that begin like a formula behind an apostrophe."""
        text = io.StringIO(newline="")
        writer = csv.writer(text, lineterminator="\r\n")
        writer.writerow(COLUMNS)
        for line in self.lines:
            name = MARK + line.person if is_formula(line.person) else line.person
            dates = line.first.isoformat(), line.last.isoformat()
            writer.writerow([self.campaign.slug, name, *dates, line.hours])
        return text.getvalue().encode()


def timesheet_of(campaign: Campaign, today: date) -> Timesheet:
    """Return what may be taken away of a campaign's days; `today` by UTC, as they are."""
    rows = WorkDay.objects.filter(campaign=campaign)
    days = [
        WorkedDay(*row)
        for row in rows.values_list("annotator__username", "day", "seconds", "begun")
    ]
    lines = lines_by_month(days, today) if campaign.is_open else lines_by_day(days)
    return Timesheet(campaign, tuple(lines))


def own_days(user: User) -> QuerySet[WorkDay]:
    """Return the user's own recorded days, the latest first."""
    rows = WorkDay.objects.filter(annotator=user).select_related("campaign")
    return rows.order_by("campaign__created_at", "campaign", "-day")
