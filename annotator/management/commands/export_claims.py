"""`manage.py export_claims`: the claim sets of a campaign, as an import reads them back."""

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotator.exports.services import request_claims_export, write_export
from annotator.management.base import WorkbenchCommand, find_campaign, refuse_unwritable
from core import plurals
from core.errors import Refused

STDOUT = "-"


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
        target = None if options["output"] == STDOUT else Path(options["output"])
        if target is None and options["json"]:
            raise Refused("--json and --output - would both write to stdout; name a file.")
        campaign = find_campaign(options["campaign"])
        if target is not None:
            refuse_unwritable(target)
        export = request_claims_export(campaign=campaign, has_context=options["with_context"])
        manifest = None
        if target is None:
            for piece in export.pieces():
                sys.stdout.buffer.write(piece)
            sys.stdout.buffer.flush()
        else:
            try:
                manifest = write_export(export, target)
            except OSError as error:
                raise Refused(f"Cannot write {target}: {error.strerror}.") from error
        counted = ", ".join(f"{count:,} {kind}" for kind, count in export.counts.items())
        self.log(f"Exported {counted or 'nothing'}.")
        for reason, count in export.left_out.items():
            self.log(f"Left out {plurals.counted(count, 'reference')} {reason}.")
        return manifest
