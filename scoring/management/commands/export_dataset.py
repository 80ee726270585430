"""`manage.py export_dataset`: a dataset version as a file, the same bytes each time."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotator.management.house_command import HouseCommand
from annotator.refusals import Refused
from scoring import storage
from scoring.formats import patent_ce_json, patent_ce_jsonl
from scoring.management.versions import version_or_refuse
from scoring.queries.datasets import SPLITS, read_rows

WRITERS = {"patent-ce-jsonl": patent_ce_jsonl.write, "patent-ce-json": patent_ce_json.write}


class Command(HouseCommand):
    help = "Export a dataset version to a file or, with --output -, to stdout."

    def add_own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("dataset", metavar="NAME[@VERSION]")
        parser.add_argument("--format", choices=WRITERS, default="patent-ce-jsonl")
        parser.add_argument("--split", choices=SPLITS, default="all")
        parser.add_argument("--output", default="-", metavar="PATH|-")

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any] | None:
        version = version_or_refuse(options["dataset"])
        wanted = options["split"]
        rows = [row for row in read_rows(version) if wanted in ("all", row.split)]
        pieces = WRITERS[options["format"]](rows)
        if options["output"] == "-":
            if options["json"]:
                raise Refused("--json and --output - would both write to stdout; name a file.")
            _to_stdout(pieces)
            return None
        _to_file(pieces, Path(options["output"]))
        return {"dataset": version.dataset.name, "version": version.number, "items": len(rows)}


def _to_stdout(pieces: Iterator[bytes]) -> None:
    for piece in pieces:
        sys.stdout.buffer.write(piece)
    sys.stdout.buffer.flush()


def _to_file(pieces: Iterator[bytes], target: Path) -> None:
    try:
        storage.write_whole(target, pieces)
    except OSError as error:
        raise Refused(f"Cannot write {target}: {error.strerror}.") from error
