"""`manage.py export_dataset`: a dataset version as a file, the same bytes each time."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotator.management.base import WorkbenchCommand
from core.errors import Refused
from scoring.access.scopes import SPLITS
from scoring.datasets.exports.context import ContextFile
from scoring.datasets.exports.services import export_to_file, export_version, write_release
from scoring.files import WrittenFile
from scoring.formats.export_formats import ALL, CANONICAL, EXPORT_FORMATS
from scoring.management.base import progress_bar, standard_output, version_or_refuse
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
        parser.add_argument(
            "--with-context",
            action="store_true",
            help="one more file beside the rows: descriptions, abstracts and drawings",
        )
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
        context = ContextFile(version, split) if options["with_context"] else None
        if options["release"] is not None:
            return self._release(version, Path(options["release"]), context)
        how = {
            "version": version,
            "file_format": options["format"],
            "split": split,
            "is_gzipped": options["gzip"],
        }
        if options["output"] == STDOUT:
            if options["json"]:
                raise Refused("--json and --output - would both write to stdout; name a file.")
            if context:
                raise Refused(
                    "--with-context writes a second file beside the rows: name a file with "
                    "--output, or a directory with --release."
                )
            with standard_output("Whoever read the export went away before its end.") as output:
                output.writelines(export_version(**how).pieces)
            return None
        bar = progress_bar(self.log, "Exporting")
        target = Path(options["output"])
        file = export_to_file(**how, target=target, progress=bar, context=context)
        bar(1.0)
        items = version.items if split == ALL else version.card["splits"].get(split, 0)
        return _document(version, items) | _file_json(file) | self._describe(context)

    def _release(
        self, version: DatasetVersion, directory: Path, context: ContextFile | None
    ) -> dict[str, Any]:
        bar = progress_bar(self.log, "Writing")
        files = write_release(version=version, directory=directory, progress=bar, context=context)
        bar(1.0)
        found = {"directory": str(directory), "files": [_file_json(file) for file in files]}
        return _document(version, version.items) | found | self._describe(context)

    def _describe(self, context: ContextFile | None) -> dict[str, Any]:
        """Log what there is of context, and return what the document holds of it."""
        if context is None:
            return {}
        if context.file is None:
            self.log("No reference of these rows has context: there is no file of it.")
            return {"context": None}
        counted = ", ".join(f"{count:,} {kind}" for kind, count in context.counts.items())
        self.log(f"Context in {context.file.name}: {counted}.")
        return {"context": _file_json(context.file) | dict(context.counts)}


def _document(version: DatasetVersion, items: int) -> dict[str, Any]:
    return {"dataset": version.dataset.name, "version": version.number, "items": items}


def _file_json(file: WrittenFile) -> dict[str, Any]:
    return {"name": file.name, "sha256": file.sha256, "bytes": file.bytes}
