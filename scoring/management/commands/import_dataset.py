"""`manage.py import_dataset`: quadruplets made elsewhere, as a dataset version."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotator.formats.records import FormatError, ReadNotes
from annotator.management.house_command import HouseCommand, find_campaign
from annotator.refusals import Refused
from scoring.formats.dataset_files import FORMATS, read_files
from scoring.formats.rows import DatasetRow
from scoring.management.versions import frozen_document
from scoring.services.datasets import SplitPlan, import_dataset


class Command(HouseCommand):
    help = "Import quadruplets; several published files are joined on (A, B, C)."

    def add_own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", nargs="+", type=Path)
        parser.add_argument("--name", required=True)
        parser.add_argument("--format", choices=["auto", *FORMATS], default="auto")
        parser.add_argument(
            "--split-by", choices=["reference", "item", "file"], default="reference"
        )
        parser.add_argument("--test-share", type=float, default=0.15)
        parser.add_argument("--validation-share", type=float, default=0.1)
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--campaign", metavar="SLUG")

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any]:
        campaign = find_campaign(options["campaign"]) if options["campaign"] else None
        plan = SplitPlan(
            by=options["split_by"],
            test_share=options["test_share"],
            validation_share=options["validation_share"],
            seed=options["seed"],
        )
        frozen = import_dataset(
            name=options["name"],
            rows=self._read(options["path"], options["format"]),
            plan=plan,
            files=[path.name for path in options["path"]],
            campaign=campaign,
        )
        return frozen_document(frozen)

    def _read(self, paths: list[Path], name: str) -> list[DatasetRow]:
        notes = ReadNotes()
        try:
            rows = read_files(paths, name, notes)
        except OSError as error:
            raise Refused(f"Cannot read {error.filename}: {error.strerror}.") from error
        except FormatError as error:
            for bad in error.bad_records:
                self.say(str(bad))
            raise Refused(error.sentence) from error
        for sentence in notes.sentences():
            self.say(sentence)
        return rows
