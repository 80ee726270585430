"""The process that reads one document: limits, then standard input, then its answer as JSON."""

import resource
import sys
import traceback
from collections.abc import Iterator
from typing import Final

from patclaimeval.documents.drawings import sheets_of_archive
from patclaimeval.documents.matters import read_matters
from patclaimeval.documents.reading import (
    ARCHIVE,
    AUTO,
    DRAWINGS,
    MOST_BYTES,
    kind_of,
    read_document,
)
from patclaimeval.documents.records import ReadOptions, TrackedChanges
from patclaimeval.documents.wire import Answer, encode_answer
from patclaimeval.text_io.streams import FormatError

# Claims and context of the longest file are a tenth of this, its drawings a third.
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


def answer(data: bytes, kind: str, options: ReadOptions) -> Answer:
    """Return what was read, why it is refused, or where the reader failed."""
    try:
        if kind == DRAWINGS:
            return Answer(sheets=tuple(sheets_of_archive(data)))
        if kind == ARCHIVE or (kind == AUTO and kind_of(data) == ARCHIVE):
            return Answer(matters=read_matters(data, options))
        return Answer(document=read_document(data, kind, options))
    except FormatError as error:
        return Answer(refused=error.sentence, bad=tuple(error.bad_records))
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - any fault of a reader is logged by who asked
        return Answer(failed_at=tuple(_places_of(error)))


def _places_of(error: Exception) -> Iterator[str]:
    """Yield the kind of an exception and the lines that it passed; its text may quote a claim."""
    yield f"{type(error).__module__}.{type(error).__qualname__}"
    for frame in traceback.extract_tb(error.__traceback__):
        yield f"  {frame.filename}:{frame.lineno} in {frame.name}"


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
        try:
            data = encode_answer(found)
        except FormatError as error:
            data = encode_answer(Answer(refused=error.sentence))
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except MemoryError:
        sys.exit(NO_MEMORY)
