"""`manage.py export_timesheet`: the active hours of a campaign's annotators."""

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotator.management.base import WorkbenchCommand, find_campaign, refuse_unwritable
from annotator.management.commands.export_ratings import STDOUT
from annotator.timesheets.services import request_timesheet
from core.errors import Refused
from core.files import atomic_write


class Command(WorkbenchCommand):
    help = "Write the timesheet of a campaign, by month or once it is closed by day, as CSV."

    def add_own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", metavar="CAMPAIGN")
        parser.add_argument(
            "--reason", default="", metavar="TEXT", help="why, once the campaign is closed"
        )
        parser.add_argument("--output", default=STDOUT, metavar="PATH|-")

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any] | None:
        if options["output"] == STDOUT and options["json"]:
            raise Refused("--json and --output - would both write to stdout; name a file.")
        campaign = find_campaign(options["campaign"])
        if options["output"] != STDOUT:
            refuse_unwritable(Path(options["output"]))
        sheet = request_timesheet(campaign=campaign, by=None, reason=options["reason"])
        self.log(f"Timesheet of {campaign.slug}: {len(sheet.lines):,} lines.")
        if options["output"] == STDOUT:
            sys.stdout.buffer.write(sheet.content)
            sys.stdout.buffer.flush()
            return None
        try:
            atomic_write(Path(options["output"]), [sheet.content])
        except OSError as error:
            why = f"Cannot write {options['output']}: {error.strerror}."
            raise Refused(why) from error
        return {"campaign": campaign.slug, "file": options["output"], "lines": len(sheet.lines)}
