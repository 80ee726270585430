"""Where an export command writes: a file with its manifest beside it, or stdout."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from annotator.exports.services import FileExport, write_export
from annotator.management.base import refuse_unwritable
from core.errors import Refused

STDOUT: Final = "-"


def output_of(options: Mapping[str, Any]) -> Path | None:
    """Return the file that --output names, None for stdout; refuse one that cannot be."""
    if options["output"] == STDOUT:
        if options["json"]:
            raise Refused("--json and --output - would both write to stdout; name a file.")
        return None
    target = Path(options["output"])
    refuse_unwritable(target)
    return target


def write_output(export: FileExport, target: Path | None) -> dict[str, Any] | None:
    """Write an export to a file, and return its manifest, or to stdout."""
    if target is None:
        sys.stdout.buffer.writelines(export.pieces())
        sys.stdout.buffer.flush()
        return None
    try:
        return write_export(export, target)
    except OSError as error:
        raise Refused(f"Cannot write {target}: {error.strerror}.") from error
