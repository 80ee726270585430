"""Which format a file of quadruplets has, and its reader."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from annotator.formats import label_studio
from annotator.formats.json_streams import BOM, refuse_foreign
from annotator.formats.records import ByteSource, FormatError, ReadNotes
from scoring.formats import label_studio_rows, patent_ce_json, patent_ce_jsonl
from scoring.formats.rows import DatasetRow
from scoring.splits import TEST, TRAIN, VALIDATION

LABEL_STUDIO: Final = "label-studio"
FORMATS: Final[dict[str, Callable[[ByteSource, ReadNotes | None], Iterator[DatasetRow]]]] = {
    "patent-ce-jsonl": patent_ce_jsonl.read,
    "patent-ce-json": patent_ce_json.read,
    LABEL_STUDIO: label_studio_rows.read,
}
HEAD_BYTES: Final = 4096
_FIRST_FIELD: Final = re.compile(rb'\[\s*\{\s*"([a-z0-9_]+)"')
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
        first = _FIRST_FIELD.match(body)
        is_export = first is not None and first[1].decode() in label_studio.FIELDS
        return LABEL_STUDIO if is_export else "patent-ce-json"
    if body.startswith(b"{"):
        return "patent-ce-jsonl"
    raise FormatError(
        "The file is neither patent-ce-jsonl nor a published Patent-CE or PatentEval file."
    )


def format_of(path: Path, name: str) -> str:
    """Return a key of FORMATS: the name itself, or what the file's first bytes show for "auto".

    Raises FormatError where they show none, OSError for a file that cannot be opened.
    """
    if name != "auto":
        return name
    with path.open("rb") as file, _named(path):
        return detect_format(file.read(HEAD_BYTES))


def read_file(
    path: Path, kind: str, notes: ReadNotes, hear: Callable[[int], None] = lambda count: None
) -> Iterator[DatasetRow]:
    """Yield the rows of one file of quadruplets as it states them, without holding it.

    Input: a path; a key of FORMATS; what hears how many bytes were read. A row that names no split
    takes the one its file's name speaks of ("quality_test.json"). Raises FormatError for a bad
    file, OSError for one that cannot be opened.
    """
    stated = split_of_file_name(path.name)
    with path.open("rb") as file, _named(path):
        for row in FORMATS[kind](file, notes):
            yield replace(row, split=stated) if stated and not row.split else row
            hear(file.tell())


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Have a refusal say which of several files it speaks of."""
    try:
        yield
    except FormatError as error:
        bad = [replace(record, file=path.name) for record in error.bad_records]
        raise FormatError(f"{path.name}: {error.sentence}", bad) from error


def split_of_file_name(name: str) -> str:
    """Return the one split that a file's name speaks of as a word of its own, or ""."""
    words = "".join(c if c.isalnum() else " " for c in name.lower()).split()
    found = {_SPLIT_WORDS[word] for word in words if word in _SPLIT_WORDS}
    return found.pop() if len(found) == 1 else ""
