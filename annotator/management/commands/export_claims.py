"""`manage.py export_claims`: the claim sets of a campaign, as an import reads them back."""

from typing import Any

from django.core.management.base import CommandParser

from annotator.exports.services import request_claims_export
from annotator.management.base import WorkbenchCommand, find_campaign
from annotator.management.outputs import STDOUT, output_of, write_output
from patclaimeval import plurals


class Command(WorkbenchCommand):
    help = "Export the claim sets of a campaign as claims-jsonl to a file or, with -, to stdout."

    def add_own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", metavar="CAMPAIGN")
        parser.add_argument(
            "--with-context",
            action="store_true",
            help="descriptions, abstracts and drawings of the references, too",
        )
        parser.add_argument("--output", default=STDOUT, metavar="PATH|-")

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any] | None:
        target = output_of(options)
        campaign = find_campaign(options["campaign"])
        export = request_claims_export(campaign=campaign, has_context=options["with_context"])
        manifest = write_output(export, target)
        counted = ", ".join(f"{count:,} {kind}" for kind, count in export.counts.items())
        self.log(f"Exported {counted or 'nothing'}.")
        for reason, count in export.left_out.items():
            self.log(f"Left out {plurals.counted(count, 'reference')} {reason}.")
        return manifest
