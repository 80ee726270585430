"""`manage.py import_claims`: claim sets from a file into a campaign, the whole file or nothing."""

from io import BufferedReader
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.db import transaction

from annotator.campaigns.services import create_campaign
from annotator.formats.claim_files import PREFERENCES, READERS
from annotator.imports.checks import check_claims
from annotator.imports.claims.services import CLOSED
from annotator.imports.documents import KINDS, Choices, is_document
from annotator.imports.read_sets import DocumentRecords, read_records
from annotator.imports.services import ADDED, import_file
from annotator.management.base import ReadingProgress, WorkbenchCommand
from annotator.models import Campaign
from core.errors import OutOfDate, Refused
from patclaimeval.documents.reading import AUTO
from patclaimeval.documents.records import TrackedChanges
from patclaimeval.text_io.streams import FormatError


class Command(WorkbenchCommand):
    help = "Import claim sets; the campaign is created when it is missing."

    def add_own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path)
        parser.add_argument("--campaign", metavar="SLUG", required=True)
        parser.add_argument(
            "--format", choices=[*(AUTO, *READERS, PREFERENCES, *KINDS)], default=AUTO
        )
        parser.add_argument("--reference-id", metavar="ID", default="", help="of a document")
        parser.add_argument(
            "--candidate-id", metavar="ID", default="", help="the document is this candidate"
        )
        parser.add_argument(
            "--tracked-changes", choices=[*TrackedChanges], default=TrackedChanges.ACCEPTED
        )
        parser.add_argument("--language", metavar="CODE", default="", help="of the claims: en, de")
        parser.add_argument(
            "--claims-from", metavar="N", type=int, help="first paragraph or line of the claims"
        )
        parser.add_argument("--claims-to", metavar="N", type=int, help="the last one")
        parser.add_argument("--may-train", choices=["yes", "no"], default="no")
        parser.add_argument(
            "--dry-run",
            action="store_true",
            help="store nothing; look for texts that are nearly equal, too",
        )

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any]:
        path: Path = options["path"]
        try:
            with path.open("rb") as file:
                document = self._carry_out(file, options)
        except OSError as error:
            raise Refused(f"Cannot read {path}: {error.strerror}.") from error
        except FormatError as error:
            self._print_lines(*(str(bad) for bad in error.bad_records))
            raise Refused(error.sentence) from error
        if not any(document.get(name) for name in ADDED):
            self.log("Nothing new: the campaign holds all of this already.")
        return document

    def _carry_out(self, file: BufferedReader, options: dict[str, Any]) -> dict[str, Any]:
        """Check the file to its end, report what is odd about it, and then store it."""
        slug, is_dry = options["campaign"], options["dry_run"]
        campaign = _open_campaign(slug)
        read = _read_documents(file, campaign, options)
        if read is not None:
            self._print_lines(*read.report)
        checking = self._progress("Checking", file, options["path"])
        check = check_claims(
            campaign=campaign,
            file=file,
            format=read.kind if read else options["format"],
            records=read.records if read else None,
            looks_for_similar=is_dry,
            progress=checking,
        )
        checking.finish()
        self._print_lines(*check.notes, *(pair["words"] + "." for pair in check.near_duplicates))
        storing: dict[str, Any] = {
            "slug": slug,
            "file": file,
            "file_name": options["path"].name,
            "format": check.format,
            "may_train": options["may_train"] == "yes",
            "read": read,
            "choices": Choices.given(options),
        }
        if is_dry:
            return {
                "campaign": slug,
                "campaign_created": campaign is None,
                **(_tried(storing) if check.format == PREFERENCES else check.counts),
                "dry_run": True,
                "format": check.format,
                "report": read.report if read else [],
                "notes": check.notes,
                "near_duplicates": check.near_duplicates,
            }
        progress = self._progress("Storing", file, options["path"])
        row, is_new = import_file(**storing, progress=progress)
        progress.finish()
        return {
            "campaign": slug,
            "campaign_created": is_new,
            **row.result["stored"],
            "dry_run": False,
            "format": check.format,
            "import": str(row.pk),
        }

    def _progress(self, verb: str, file: BufferedReader, path: Path) -> ReadingProgress:
        is_terminal = self.stderr.isatty()
        size = path.stat().st_size
        return ReadingProgress(verb, file, size, self.log, is_terminal=is_terminal)

    def _print_lines(self, *sentences: str) -> None:
        """Write lines that stay, also where progress was shown over one and the same line."""
        if sentences and self.stderr.isatty():
            self.log("")
        for sentence in sentences:
            self.stderr.write(sentence)


def _read_documents(
    file: BufferedReader, campaign: Campaign | None, options: dict[str, Any]
) -> DocumentRecords | None:
    """Return the records of a document or an archive of them; None for a file of claim sets."""
    kind = options["format"]
    if kind not in KINDS and not (kind == AUTO and is_document(file)):
        return None
    return read_records(file=file, kind=kind, choices=Choices.given(options), campaign=campaign)


def _open_campaign(slug: str) -> Campaign | None:
    """Return the campaign, None where it can be created; refuse before a long file is read."""
    campaign = Campaign.objects.filter(slug=slug).first()
    if campaign is None:
        try:
            with transaction.atomic():
                create_campaign(slug=slug)
                transaction.set_rollback(True)
        except OutOfDate:
            # Another command has created it since the question.
            return _open_campaign(slug)
    elif not campaign.is_open:
        raise OutOfDate(CLOSED)
    return campaign


def _tried(storing: dict[str, Any]) -> dict[str, int]:
    """Store an export of preferences and undo it: only then is it known what is new."""
    with transaction.atomic():
        row, _ = import_file(**storing)
        transaction.set_rollback(True)
    return dict(row.result["stored"])
