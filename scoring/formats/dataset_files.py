"""Files of quadruplets read and joined into one draft: formats, PatentEval, merged labels."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final, Protocol

from annotator.formats import label_studio
from annotator.formats.label_studio import PreferenceRecord
from annotator.rubric import OVERALL
from core.text_io.streams import (
    BOM,
    BadRecord,
    BadRecordList,
    ByteSource,
    FormatError,
    ReadNotes,
    refuse_foreign,
)
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


class Taker(Protocol):
    """What rows are given to: a draft, which numbers them from 0 in the order they come."""

    rows: list[DatasetRow]

    def add(self, row: DatasetRow) -> int: ...
    def has_texts(self, place: int, row: DatasetRow) -> bool: ...
    def relabel(self, place: int, labels: dict[str, int]) -> None: ...
    def state_split(self, place: int, split: str) -> None: ...


def join(
    files: Sequence[tuple[str, Iterable[DatasetRow]]], draft: Taker, notes: ReadNotes | None = None
) -> None:
    """Join files on (A, B, C) and merge their labels: the published files hold one criterion each.

    Input: (file name, rows) pairs; ids made from texts stand for (A, B, C), and so does an id that
    a file gives. The draft gets rows in the order in which they first stand. An equal row that
    returns is stored once and counted in `notes`. A split is stored where the files that name one
    agree, else it is "". Raises FormatError, naming both places, where labels of one criterion
    contradict each other or where one id is given to different texts.
    """
    joining = _Joining([name for name, _ in files], draft, notes or ReadNotes())
    for number, (_, rows) in enumerate(files):
        for item, row in enumerate(rows, start=1):
            joining.take(row, number, item)
    joining.bad.refuse_if_any()


class _Joining:
    """Which ids came before, and where each row first stood."""

    def __init__(self, names: Sequence[str], draft: Taker, notes: ReadNotes) -> None:
        self.bad = BadRecordList()
        self._names = names
        self._draft = draft
        self._notes = notes
        # By id: the row's place in the draft, its file and its item.
        self._first: dict[str, tuple[int, int, int]] = {}

    def take(self, row: DatasetRow, number: int, item: int) -> None:
        if row.id not in self._first:
            self._first[row.id] = self._draft.add(row), number, item
            return
        place, file, first = self._first[row.id]
        if file == number:
            self._notes.duplicates += 1
        else:
            self._notes.joined += 1
        earlier = self._draft.rows[place].y
        there = f"item {first} of {self._names[file]}"
        for field, reason in self._contradictions(place, there, row):
            self.bad.add(BadRecord(0, field, reason, item, self._names[number]))
        self._draft.state_split(place, row.split)
        if not row.y.keys() <= earlier.keys():
            self._draft.relabel(place, {**row.y, **earlier})

    def _contradictions(self, place: int, there: str, row: DatasetRow) -> Iterator[tuple[str, str]]:
        """Yield what is wrong with a row that has an earlier one's id: the field and why."""
        earlier = self._draft.rows[place].y
        if not self._draft.has_texts(place, row):
            yield "id", f"the id stands for other texts in {there}"
            return
        for criterion, label in row.y.items():
            if earlier.get(criterion, label) != label:
                reason = f"the label {label} contradicts {earlier[criterion]} in {there}"
                yield criterion, reason


LABEL_STUDIO: Final = "label-studio"
FORMATS: Final[dict[str, Callable[[ByteSource, ReadNotes | None], Iterator[DatasetRow]]]] = {
    "patent-ce-jsonl": patent_ce_jsonl.read,
    "patent-ce-json": patent_ce_json.read,
    LABEL_STUDIO: read,
}
HEAD_BYTES: Final = 4096
_FIRST_FIELD: Final = re.compile(rb'\[\s*\{\s*"([a-z0-9_]+)"')
_SPLIT_NAMES: Final = {
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
    path: Path, kind: str, notes: ReadNotes, on_step: Callable[[int], None] = lambda count: None
) -> Iterator[DatasetRow]:
    """Yield the rows of one file of quadruplets as it states them, without holding it.

    Input: a path; a key of FORMATS; a callback for bytes read. A row that names no split
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
