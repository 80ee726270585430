"""`manage.py import_claims`: claim sets from a file into a campaign, the whole file or nothing."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.db import transaction

from annotator.formats.claim_files import HEAD_BYTES, READERS, detect_format
from annotator.formats.records import FormatError, ReadNotes
from annotator.formats.reference_records import ReferenceRecord
from annotator.management.house_command import HouseCommand
from annotator.models import Campaign
from annotator.refusals import Refused
from annotator.services.campaigns import create_campaign
from annotator.services.claim_import import import_claims


class Command(HouseCommand):
    help = "Import claim sets; the campaign is created when it is missing."

    def add_own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path)
        parser.add_argument("--campaign", metavar="SLUG", required=True)
        parser.add_argument("--format", choices=["auto", *READERS], default="auto")
        parser.add_argument("--may-train", choices=["yes", "no"], default="no")
        parser.add_argument("--dry-run", action="store_true")

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any]:
        records, notes = self._read(options["path"], options["format"])
        for sentence in notes.sentences():
            self.say(sentence)
        with transaction.atomic():
            campaign = Campaign.objects.filter(slug=options["campaign"]).first()
            is_new = campaign is None
            campaign = campaign or create_campaign(slug=options["campaign"])
            counts = import_claims(
                campaign=campaign, records=records, may_train=options["may_train"] == "yes"
            )
            if options["dry_run"]:
                transaction.set_rollback(True)
        return {
            "campaign": options["campaign"],
            "campaign_created": is_new,
            "references": counts.references,
            "candidates": counts.candidates,
            "known_references": counts.known_references,
            "known_candidates": counts.known_candidates,
            "dry_run": options["dry_run"],
        }

    def _read(self, path: Path, name: str) -> tuple[list[ReferenceRecord], ReadNotes]:
        notes = ReadNotes()
        try:
            with path.open("rb") as file:
                if name == "auto":
                    name = detect_format(file.read(HEAD_BYTES))
                    file.seek(0)
                return list(READERS[name](file, notes)), notes
        except OSError as error:
            raise Refused(f"Cannot read {path}: {error.strerror}.") from error
        except FormatError as error:
            for bad in error.bad_records:
                self.say(str(bad))
            raise Refused(error.sentence) from error
