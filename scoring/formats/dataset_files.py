"""Which format a file of quadruplets has, and its reader."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from annotator.formats.json_streams import BOM, refuse_foreign
from annotator.formats.records import ByteSource, FormatError, ReadNotes
from scoring.formats import patent_ce_json, patent_ce_jsonl
from scoring.formats.joining import join
from scoring.formats.rows import DatasetRow
from scoring.splits import TEST, TRAIN, VALIDATION

FORMATS: Final[dict[str, Callable[[ByteSource, ReadNotes | None], Iterator[DatasetRow]]]] = {
    "patent-ce-jsonl": patent_ce_jsonl.read,
    "patent-ce-json": patent_ce_json.read,
}
HEAD_BYTES: Final = 4096
_SPLIT_WORDS: Final = {
    **dict.fromkeys(("train", "training"), TRAIN),
    **dict.fromkeys(("validation", "valid", "val", "dev"), VALIDATION),
    "test": TEST,
}


def detect_format(head: bytes) -> str:
    """Return the key in FORMATS that a file's first bytes show; raise FormatError for none."""
    refuse_foreign(head)
    body = head.removeprefix(BOM).lstrip(b" \t\r\n")
    if not body:
        raise FormatError("The file holds 0 records.")
    if body.startswith(b"["):
        return "patent-ce-json"
    if body.startswith(b"{"):
        return "patent-ce-jsonl"
    raise FormatError("The file is neither patent-ce-jsonl nor a published Patent-CE file.")


def read_files(paths: Sequence[Path], name: str, notes: ReadNotes) -> list[DatasetRow]:
    """Read files of quadruplets and join them on (A, B, C), labels merged.

    Input: paths; a key of FORMATS or "auto", which looks at each file's first bytes. A row that
    names no split takes the one its file's name speaks of ("quality_test.json"). Raises
    FormatError for a bad file or contradicting labels, OSError for one that cannot be opened.
    """
    read = []
    for path in paths:
        with path.open("rb") as file:
            kind = detect_format(file.read(HEAD_BYTES)) if name == "auto" else name
            file.seek(0)
            stated = split_of_file_name(path.name)
            rows = [
                row if row.split else replace(row, split=stated)
                for row in _named(path.name, FORMATS[kind](file, notes))
            ]
            read.append((path.name, rows))
    return join(read, notes)


def split_of_file_name(name: str) -> str:
    """Return the one split that a file's name speaks of as a word of its own, or ""."""
    words = "".join(c if c.isalnum() else " " for c in name.lower()).split()
    found = {_SPLIT_WORDS[word] for word in words if word in _SPLIT_WORDS}
    return found.pop() if len(found) == 1 else ""


def _named(name: str, rows: Iterator[DatasetRow]) -> Iterator[DatasetRow]:
    """Pass rows on; a refusal then says which of several files it speaks of."""
    try:
        yield from rows
    except FormatError as error:
        bad = [replace(record, file=name) for record in error.bad_records]
        raise FormatError(f"{name}: {error.sentence}", bad) from error
