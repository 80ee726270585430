"""Which format a file of quadruplets has, and its reader."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from annotator.formats.json_streams import BOM, refuse_foreign
from annotator.formats.records import ByteSource, FormatError, ReadNotes
from scoring.formats import patent_ce_json, patent_ce_jsonl
from scoring.formats.rows import DatasetRow

FORMATS: Final[dict[str, Callable[[ByteSource, ReadNotes | None], Iterator[DatasetRow]]]] = {
    "patent-ce-jsonl": patent_ce_jsonl.read,
    "patent-ce-json": patent_ce_json.read,
}
HEAD_BYTES: Final = 4096


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

    Input: paths; a key of FORMATS or "auto", which looks at each file's first bytes. Raises
    FormatError for a bad file or contradicting labels, OSError for one that cannot be opened.
    """
    read = []
    for path in paths:
        with path.open("rb") as file:
            kind = detect_format(file.read(HEAD_BYTES)) if name == "auto" else name
            file.seek(0)
            read.append((path.name, list(FORMATS[kind](file, notes))))
    return patent_ce_json.join(read, notes)
