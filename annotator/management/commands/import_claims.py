"""`manage.py import_claims`: claim sets from a file into a campaign, the whole file or nothing."""

from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from django.core.management.base import CommandParser
from django.db import transaction

from annotator.formats import label_studio
from annotator.formats.claim_files import HEAD_BYTES, PREFERENCES, READERS, detect_format
from annotator.formats.records import ByteSource, FormatError, ReadNotes
from annotator.management.house_command import HouseCommand
from annotator.models import Campaign
from annotator.refusals import Refused
from annotator.services.campaigns import create_campaign
from annotator.services.claim_import import import_claims
from annotator.services.preference_import import import_preferences

T = TypeVar("T")
ADDED = ("references", "candidates", "preferences", "revised_preferences", "annotators")
Store = Callable[[Campaign], dict[str, Any]]


class Command(HouseCommand):
    help = "Import claim sets; the campaign is created when it is missing."

    def add_own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path)
        parser.add_argument("--campaign", metavar="SLUG", required=True)
        parser.add_argument("--format", choices=["auto", *READERS, PREFERENCES], default="auto")
        parser.add_argument("--may-train", choices=["yes", "no"], default="no")
        parser.add_argument("--dry-run", action="store_true")

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any]:
        store = self._read(options["path"], options["format"], options["may_train"] == "yes")
        with transaction.atomic():
            campaign = Campaign.objects.filter(slug=options["campaign"]).first()
            is_new = campaign is None
            counts = store(campaign or create_campaign(slug=options["campaign"]))
            if options["dry_run"]:
                transaction.set_rollback(True)
        if not any(counts.get(name) for name in ADDED):
            self.say("Nothing new: the campaign holds all of this already.")
        return {
            "campaign": options["campaign"],
            "campaign_created": is_new,
            **counts,
            "dry_run": options["dry_run"],
        }

    def _read(self, path: Path, name: str, may_train: bool) -> Store:
        """Return what stores the file, which has been read and checked to its end."""
        try:
            with path.open("rb") as file:
                if name == "auto":
                    name = detect_format(file.read(HEAD_BYTES))
                    file.seek(0)
                if name == PREFERENCES:
                    return self._preferences(file, may_train)
                return self._claims(file, name, may_train)
        except OSError as error:
            raise Refused(f"Cannot read {path}: {error.strerror}.") from error
        except FormatError as error:
            for bad in error.bad_records:
                self.say(str(bad))
            raise Refused(error.sentence) from error

    def _claims(self, file: ByteSource, name: str, may_train: bool) -> Store:
        records = self._all_of(READERS[name], file)
        return lambda campaign: asdict(
            import_claims(campaign=campaign, records=records, may_train=may_train)
        )

    def _preferences(self, file: ByteSource, may_train: bool) -> Store:
        records = self._all_of(label_studio.read, file)

        def store(campaign: Campaign) -> dict[str, Any]:
            claims, preferences = import_preferences(
                campaign=campaign, records=records, may_train=may_train
            )
            return asdict(claims) | asdict(preferences)

        return store

    def _all_of(
        self, read: Callable[[ByteSource, ReadNotes | None], Iterator[T]], file: ByteSource
    ) -> list[T]:
        notes = ReadNotes()
        records = list(read(file, notes))
        for sentence in notes.sentences():
            self.say(sentence)
        return records
