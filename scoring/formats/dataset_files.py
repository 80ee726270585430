"""Files of quadruplets by format, PatentEval among them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from annotator.formats import label_studio
from annotator.formats.label_studio import (
    HEAD_BYTES,
    PreferenceRecord,
    beginning_of,
    json_format,
)
from patclaimeval.rubric import OVERALL
from patclaimeval.text_io.streams import ByteSource, FormatError, ReadNotes
from scoring.formats import patent_ce_json, patent_ce_jsonl
from scoring.formats.rows import row_of_texts
from scoring.quadruplets import TEST, TRAIN, VALIDATION, DatasetRow


def read(file: ByteSource, notes: ReadNotes | None = None) -> Iterator[DatasetRow]:
    """Yield a row an annotation, in file order: (claims so far, left output, right output).

    Input: a file open for bytes at its beginning. Output: y is 1 where left is better, -1 where
    right is, 0 where no comparison is stated; `annotator` is the number that the file gives, behind
    "label-studio-". Raises FormatError with up to 100 bad items.
    """
    return map(_row, label_studio.read(file, notes))


def _row(said: PreferenceRecord) -> DatasetRow:
    return row_of_texts(
        said.reference_claims,
        said.left,
        said.right,
        {OVERALL: said.judgement},
        said.annotator,
        provenance={"annotators": 1},
        extras={"annotator": said.annotator} | ({"ipc": said.ipc} if said.ipc else {}),
    )


LABEL_STUDIO: Final = "label-studio"
FORMATS: Final[dict[str, Callable[[ByteSource, ReadNotes | None], Iterator[DatasetRow]]]] = {
    "patent-ce-jsonl": patent_ce_jsonl.read,
    "patent-ce-json": patent_ce_json.read,
    LABEL_STUDIO: read,
}
_SPLIT_NAMES: Final = {
    **dict.fromkeys(("train", "training"), TRAIN),
    **dict.fromkeys(("validation", "valid", "val", "dev"), VALIDATION),
    "test": TEST,
}


def detect_format(head: bytes) -> str:
    """Return the key in FORMATS that a file's first bytes show; raise FormatError for none."""
    body = beginning_of(head)
    found = json_format(body, LABEL_STUDIO, array="patent-ce-json", lines="patent-ce-jsonl")
    if not found:
        raise FormatError(
            "The file is neither patent-ce-jsonl nor a published Patent-CE or PatentEval file."
        )
    return found


def format_of(path: Path, name: str) -> str:
    """Return a key of FORMATS: the name itself, or what the file's first bytes show for "auto".

    Raises FormatError where they show none, OSError for a file that cannot be opened.
    """
    if name != "auto":
        return name
    with path.open("rb") as file, _named(path):
        return detect_format(file.read(HEAD_BYTES))


def read_file(
    path: Path, kind: str, notes: ReadNotes, on_step: Callable[[int], None] = lambda count: None
) -> Iterator[DatasetRow]:
    """Yield the rows of one file of quadruplets as it states them, without holding it.

    Input: a path; a key of FORMATS; a callback for the bytes read. A row that names no split
    takes the one its file's name speaks of ("quality_test.json"). Raises FormatError for a bad
    file, OSError for one that cannot be opened.
    """
    stated = split_of_file_name(path.name)
    with path.open("rb") as file, _named(path):
        for row in FORMATS[kind](file, notes):
            yield replace(row, split=stated) if stated and not row.split else row
            on_step(file.tell())


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Have a refusal name which of several files it is about."""
    try:
        yield
    except FormatError as error:
        bad = [replace(record, file=path.name) for record in error.bad_records]
        raise FormatError(f"{path.name}: {error.sentence}", bad) from error


def split_of_file_name(name: str) -> str:
    """Return the one split that a file's name holds as a word of its own, or ""."""
    words = "".join(c if c.isalnum() else " " for c in name.lower()).split()
    found = {_SPLIT_NAMES[word] for word in words if word in _SPLIT_NAMES}
    return found.pop() if len(found) == 1 else ""
