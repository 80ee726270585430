"""`manage.py import_dataset`: quadruplets made elsewhere, as a dataset version."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotator.management.base import WorkbenchCommand, find_campaign
from core.errors import Refused
from patclaimeval.text_io.streams import FormatError, ReadNotes
from scoring.datasets.freezing.imports import import_files
from scoring.datasets.versions.queries import prepare_pages
from scoring.formats.dataset_files import FORMATS
from scoring.management.base import frozen_document, progress_bar
from scoring.quadruplets import SplitPlan


class Command(WorkbenchCommand):
    help = "Import quadruplets; several published files are joined on (A, B, C)."

    def add_own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", nargs="+", type=Path)
        parser.add_argument("--name", required=True)
        parser.add_argument("--format", choices=["auto", *FORMATS], default="auto")
        parser.add_argument(
            "--language",
            metavar="CODE",
            default="",
            help="of rows that name none: en, de; without it their words tell",
        )
        parser.add_argument(
            "--split-by", choices=["reference", "item", "file"], default="reference"
        )
        parser.add_argument("--test-share", type=float, default=0.15)
        parser.add_argument("--validation-share", type=float, default=0.1)
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--campaign", metavar="SLUG")

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any]:
        campaign = find_campaign(options["campaign"]) if options["campaign"] else None
        notes = ReadNotes()
        bar = progress_bar(self.log, "Importing")
        try:
            frozen = import_files(
                name=options["name"],
                paths=options["path"],
                file_format=options["format"],
                language=options["language"],
                plan=SplitPlan(
                    by=options["split_by"],
                    test_share=options["test_share"],
                    validation_share=options["validation_share"],
                    seed=options["seed"],
                ),
                campaign=campaign,
                progress=bar,
                notes=notes,
            )
        except FormatError as error:
            for bad in error.bad_records:
                self.log(str(bad))
            raise Refused(error.sentence) from error
        for sentence in notes.sentences():
            self.log(sentence)
        prepare_pages(frozen.version)
        return frozen_document(frozen)
