"""The process that reads one document: limits, then standard input, then one line of JSON.

The pictures of what was read follow behind the line, one behind the other.
"""

import json
import resource
import sys
from typing import Any, Final

from annotator.formats.documents.drawings import sheets_of_archive
from annotator.formats.documents.matters import read_matters
from annotator.formats.documents.reading import (
    ARCHIVE,
    AUTO,
    DRAWINGS,
    MOST_BYTES,
    kind_of,
    read_document,
)
from annotator.formats.documents.records import ReadOptions, TrackedChanges
from annotator.formats.documents.wire import sheet_values, take_pictures, to_values
from core.text_io.streams import FormatError

# Claims and context of the longest file are a tenth of this, its drawings a quarter.
MOST_ANSWERED: Final = 256 * 1024 * 1024
# The exit status of a process that got no more memory.
NO_MEMORY: Final = 3


def limit(seconds: int, memory_bytes: int) -> None:
    """Take away from this process what reading a document does not need."""
    for kind, most in (
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_FSIZE, MOST_ANSWERED),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, 64),
    ):
        resource.setrlimit(kind, (most, most))


def answer(data: bytes, kind: str, options: ReadOptions) -> dict[str, Any]:
    """Return what was read under "document", "matters" or "sheets", or why it is refused."""
    try:
        if kind == DRAWINGS:
            return {"sheets": sheet_values(sheets_of_archive(data))}
        if kind == ARCHIVE or (kind == AUTO and kind_of(data) == ARCHIVE):
            return {"matters": to_values(read_matters(data, options))}
        return {"document": to_values(read_document(data, kind, options))}
    except FormatError as error:
        bad = [[item.line, item.field, item.reason, item.file] for item in error.bad_records]
        return {"refused": error.sentence, "bad": bad}


def main() -> None:
    """Read standard input as the arguments say: limits, kind, and what the person chose."""
    seconds, memory_bytes, kind, changes, language, first, last = sys.argv[1:]
    limit(int(seconds), int(memory_bytes))
    options = ReadOptions(
        TrackedChanges(changes),
        language,
        int(first) if first else None,
        int(last) if last else None,
    )
    try:
        found = answer(sys.stdin.buffer.read(MOST_BYTES + 1), kind, options)
        pictures = take_pictures(found)
        json.dump(found, sys.stdout)
        sys.stdout.write("\n")
        sys.stdout.flush()
        sys.stdout.buffer.writelines(pictures)
    except MemoryError:
        sys.exit(NO_MEMORY)
