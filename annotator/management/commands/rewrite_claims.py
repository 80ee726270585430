"""`manage.py rewrite_claims`: candidates with graded damage of references, as a file to import."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotator.claims.graded_damage import KIND_NAMES
from annotator.formats.claim_files import PREFERENCES, format_of, read_claims
from annotator.formats.references import ReferenceRecord
from annotator.management.base import WorkbenchCommand, find_campaign, refuse_unwritable
from annotator.planning.rewritten import (
    NOTHING,
    RECORD,
    Made,
    Rewriting,
    records_of,
    rewrite_records,
    write_rewritten,
)
from core.errors import Refused
from core.text_io.streams import FormatError


class Command(WorkbenchCommand):
    help = "Write candidates with graded damage, made from references, as claims-jsonl."

    def add_own_arguments(self, parser: CommandParser) -> None:
        source = parser.add_mutually_exclusive_group(required=True)
        source.add_argument("--campaign", metavar="SLUG", help="the references of a campaign")
        source.add_argument("--file", type=Path, metavar="PATH", help="those of a claim file")
        parser.add_argument("--output", type=Path, metavar="PATH")
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--grades", type=int, default=4, help="candidates a reference")
        parser.add_argument("--faults", type=int, default=2, help="kinds that each grade adds")
        parser.add_argument(
            "--kind", action="append", choices=KIND_NAMES, help="only these; may be repeated"
        )
        parser.add_argument("--system", default="rewritten", help="its grade is put behind it")
        parser.add_argument("--dry-run", action="store_true", help="make all, write nothing")

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any]:
        how = Rewriting(
            options["seed"],
            options["grades"],
            options["faults"],
            tuple(options["kind"] or KIND_NAMES),
            options["system"],
        )
        target: Path | None = options["output"]
        if target is None and not options["dry_run"]:
            raise Refused("Name the file to write with --output, or try it with --dry-run.")
        if target is not None:
            refuse_unwritable(target)
        if options["campaign"]:
            campaign = find_campaign(options["campaign"])
            made = _made(records_of(campaign), how, options, campaign=campaign)
        else:
            made = self._of_file(options["file"], how, options)
        for name, why in made.left_out.items():
            self.stderr.write(f"{name} is left out. {why}")
        written = {} if options["dry_run"] else {"file": str(target), "record": f"{target}{RECORD}"}
        return {
            "references": made.references,
            "candidates": made.candidates,
            "left_out": len(made.left_out),
            "kinds": dict(sorted(made.kinds.items())),
            "seed": how.seed,
            "dry_run": options["dry_run"],
            **written,
        }

    def _of_file(self, path: Path, how: Rewriting, options: dict[str, Any]) -> Made:
        try:
            with path.open("rb") as file:
                name = format_of(file)
                if name == PREFERENCES:
                    raise Refused("A file of preferences holds no references to rewrite.")
                return _made(read_claims(file, name), how, options)
        except FormatError as error:
            for bad in error.bad_records:
                self.stderr.write(str(bad))
            raise Refused(error.sentence) from error
        except OSError as error:
            raise Refused(f"{error.filename or path}: {error.strerror}.") from error


def _made(
    records: Iterable[ReferenceRecord], how: Rewriting, options: dict[str, Any], **more: Any
) -> Made:
    if not options["dry_run"]:
        return write_rewritten(records=records, how=how, target=options["output"], **more)
    made = Made()
    for _ in rewrite_records(records, how, made):
        pass
    if not made.references:
        raise Refused(NOTHING)
    return made
