"""`manage.py export_ratings`: every rating and preference of a campaign, as of one moment."""

from typing import Any

from django.core.management.base import CommandParser

from annotator.exports.queries import FORMATS, RatingExport
from annotator.exports.services import request_export
from annotator.management.base import WorkbenchCommand, find_campaign
from annotator.management.outputs import STDOUT, output_of, write_output


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
        target = output_of(options)
        campaign = find_campaign(options["campaign"])
        export = request_export(
            campaign=campaign,
            format=options["format"],
            is_identified=options["identified"],
            reason=options["reason"],
            key=options["pseudonym_key"],
        )
        manifest = write_output(export, target)
        self.log(_describe(export))
        return manifest


def _describe(export: RatingExport) -> str:
    counted = ", ".join(f"{count:,} {kind}" for kind, count in sorted(export.counts.items()))
    if export.format.has_texts:
        return f"Exported {counted or 'nothing'}; this layout has no place for ratings."
    return f"Exported {counted or 'nothing'}."
