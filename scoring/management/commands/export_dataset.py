"""`manage.py export_dataset`: a dataset version as a file, the same bytes each time."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotator.management.base import WorkbenchCommand
from core.errors import Refused
from scoring.access.scopes import SPLITS
from scoring.datasets.exports.services import export_to_file, export_version, write_release
from scoring.files import WrittenFile
from scoring.formats.export_formats import ALL, CANONICAL, EXPORT_FORMATS
from scoring.management.base import standard_output, version_or_refuse
from scoring.models import DatasetVersion

STDOUT = "-"
# Distinguished from what somebody asked for.
DEFAULTS = {"format": CANONICAL, "split": ALL, "output": STDOUT, "gzip": False}


class Command(WorkbenchCommand):
    help = (
        "Export a dataset version to a file with its card and SHA256SUMS beside it, to stdout "
        "(--output -), or as a release: a directory with a file per split, cards and SHA256SUMS."
    )

    def add_own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("dataset", metavar="NAME[@VERSION]")
        parser.add_argument("--format", choices=EXPORT_FORMATS, default=CANONICAL)
        parser.add_argument("--split", choices=SPLITS, default=ALL)
        parser.add_argument("--gzip", action="store_true", help="compress the file")
        parser.add_argument("--output", default=STDOUT, metavar="PATH|-")
        parser.add_argument("--release", metavar="DIRECTORY", help="a directory that is not there")

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any] | None:
        if options["release"] is not None and any(
            options[name] != usual for name, usual in DEFAULTS.items()
        ):
            raise CommandError(
                "--release writes every split as patent-ce-jsonl; it takes no --format, --split, "
                "--gzip or --output.",
                returncode=2,
            )
        version = version_or_refuse(options["dataset"])
        split = options["split"]
        if options["release"] is not None:
            return _release(version, Path(options["release"]))
        how = {
            "version": version,
            "file_format": options["format"],
            "split": split,
            "is_gzipped": options["gzip"],
        }
        if options["output"] == STDOUT:
            if options["json"]:
                raise Refused("--json and --output - would both write to stdout; name a file.")
            with standard_output("Whoever read the export went away before its end.") as output:
                output.writelines(export_version(**how).pieces)
            return None
        file = export_to_file(**how, target=Path(options["output"]))
        items = version.items if split == ALL else version.card["splits"].get(split, 0)
        return _document(version, items) | _file_json(file)


def _release(version: DatasetVersion, directory: Path) -> dict[str, Any]:
    files = write_release(version=version, directory=directory)
    found = {"directory": str(directory), "files": [_file_json(file) for file in files]}
    return _document(version, version.items) | found


def _document(version: DatasetVersion, items: int) -> dict[str, Any]:
    return {"dataset": version.dataset.name, "version": version.number, "items": items}


def _file_json(file: WrittenFile) -> dict[str, Any]:
    return {"name": file.name, "sha256": file.sha256, "bytes": file.bytes}
