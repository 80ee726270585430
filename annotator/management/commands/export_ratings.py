"""`manage.py export_ratings`: every rating and preference of a campaign, as of one moment."""

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotator.exports.queries import FORMATS, RatingExport
from annotator.exports.services import request_export, write_export
from annotator.management.base import WorkbenchCommand, find_campaign, refuse_unwritable
from core.errors import Refused

STDOUT = "-"


class Command(WorkbenchCommand):
    help = "Export the ratings of a campaign to a file or, with --output -, to stdout."

    def add_own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", metavar="CAMPAIGN")
        parser.add_argument("--format", choices=FORMATS, default="csv")
        parser.add_argument("--identified", action="store_true", help="user names; on record")
        parser.add_argument("--reason", default="", metavar="TEXT", help="why names are needed")
        parser.add_argument(
            "--pseudonym-key",
            default="",
            metavar="TEXT",
            help="the same key gives the same pseudonyms; without one they are new each time",
        )
        parser.add_argument("--output", default=STDOUT, metavar="PATH|-")

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any] | None:
        if options["output"] == STDOUT and options["json"]:
            raise Refused("--json and --output - would both write to stdout; name a file.")
        campaign = find_campaign(options["campaign"])
        if options["output"] != STDOUT:
            refuse_unwritable(Path(options["output"]))
        export = request_export(
            campaign=campaign,
            format=options["format"],
            is_identified=options["identified"],
            reason=options["reason"],
            key=options["pseudonym_key"],
        )
        manifest = None
        if options["output"] == STDOUT:
            _to_stdout(export)
        else:
            manifest = _to_file(export, Path(options["output"]))
        self.log(_describe(export))
        return manifest


def _to_stdout(export: RatingExport) -> None:
    for piece in export.pieces():
        sys.stdout.buffer.write(piece)
    sys.stdout.buffer.flush()


def _to_file(export: RatingExport, target: Path) -> dict[str, Any]:
    try:
        return write_export(export, target)
    except OSError as error:
        raise Refused(f"Cannot write {target}: {error.strerror}.") from error


def _describe(export: RatingExport) -> str:
    counted = ", ".join(f"{count:,} {kind}" for kind, count in sorted(export.counts.items()))
    if export.format.has_texts:
        return f"Exported {counted or 'nothing'}; this layout has no place for ratings."
    return f"Exported {counted or 'nothing'}."
