"""An index of a dataset file: one small record a row, so that pages and comparisons read no texts.

A record says where its row begins, what labels and split it has, and, by digests of eight bytes,
which comparison it is and what it was made from. Standard library only.
"""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from struct import Struct
from typing import Any, BinaryIO, Final, NamedTuple

from annotator.rubric import ALL_CRITERIA
from scoring.quadruplets import SPLIT_NAMES

# Raised with the layout, so that an index of another layout is made anew.
MAGIC: Final = b"rows-1\n\0"
HEAD: Final = Struct("<8sQqQ")  # magic, bytes of the file, its time of change in ns, rows
RECORD: Final = Struct("<QQQQQQHB?5b?")
NO_LABEL: Final = 2
SPLITS: Final = ("", *SPLIT_NAMES)


class IndexedRow(NamedTuple):
    """What the index knows of a row.

    `pair` is the digest of its three texts, the same whichever candidate stands as B; `is_turned`
    says that the texts' order turns the labels. `ratings` and `adjudications` are digests of the
    ids the labels follow from, `annotators` how many people gave them.
    """

    offset: int
    id: int
    reference: int
    pair: int
    ratings: int
    adjudications: int
    rating_count: int
    split: int
    is_flagged: bool
    labels: tuple[int, ...]
    is_turned: bool

    def label(self, criterion: str) -> int | None:
        """Return 1, 0 or -1, or None where the row has no label of the criterion."""
        found = self.labels[ALL_CRITERIA.index(criterion)]
        return None if found == NO_LABEL else found

    @property
    def split_name(self) -> str:
        return SPLITS[self.split]


@dataclass(frozen=True, slots=True)
class RowIndex:
    """The index of one file, open by its path."""

    path: Path
    rows: int

    def records(self, first: int = 0, count: int | None = None) -> Iterator[IndexedRow]:
        """Yield `count` records from number `first` (0-based) on, or all that follow."""
        left = self.rows - first if count is None else min(count, self.rows - first)
        if left <= 0:
            return
        with self.path.open("rb") as file:
            file.seek(HEAD.size + first * RECORD.size)
            while left > 0:
                block = file.read(RECORD.size * min(left, 4096))
                if not block:
                    return
                left -= len(block) // RECORD.size
                yield from map(_indexed, RECORD.iter_unpack(block))


def digest(*parts: str) -> int:
    """Return eight bytes of the BLAKE2b digest of some texts, as a whole number from 0."""
    found = blake2b(digest_size=8)
    for part in parts:
        content = part.encode()
        found.update(len(content).to_bytes(8, "little"))
        found.update(content)
    return int.from_bytes(found.digest(), "little")


def write_index(
    rows: Iterable[tuple[int, Mapping[str, Any]]], stat: os.stat_result
) -> Iterator[bytes]:
    """Yield the bytes of an index, its head first.

    Input: each row's offset and its JSON object, in file order; what the system says of the file.
    The number of rows is in the head, so that the records are gathered first: 58 bytes a row.
    """
    records = bytearray()
    times: Counter[int] = Counter()
    for offset, row in rows:
        records += _record(offset, row, times)
    count = len(records) // RECORD.size
    yield HEAD.pack(MAGIC, stat.st_size, stat.st_mtime_ns, count)
    yield bytes(records)


def open_index(path: Path, stat: os.stat_result) -> RowIndex | None:
    """Return the index at a path; None when it is none, or of a file that was another then."""
    try:
        with path.open("rb") as file:
            head = file.read(HEAD.size)
            size = os.fstat(file.fileno()).st_size
    except FileNotFoundError:
        return None
    if len(head) < HEAD.size:
        return None
    magic, file_size, changed_at, rows = HEAD.unpack(head)
    is_of_the_file = (file_size, changed_at) == (stat.st_size, stat.st_mtime_ns)
    is_whole = size == HEAD.size + rows * RECORD.size
    return RowIndex(path, rows) if magic == MAGIC and is_of_the_file and is_whole else None


def read_lines(file: BinaryIO, offsets: Sequence[int]) -> Iterator[bytes]:
    """Yield the lines of a dataset file that begin at these offsets."""
    for offset in offsets:
        file.seek(offset)
        yield file.readline()


def _record(offset: int, row: Mapping[str, Any], times: Counter[int]) -> bytes:
    made = row.get("provenance") or {}
    ratings, adjudications = made.get("ratings") or [], made.get("adjudications") or []
    b, c = sorted((row["B"], row["C"]))
    # Whose comparison it is: pseudonyms change when people join, their ratings do not.
    whose = sorted(ratings) if row.get("annotator") else []
    pair = digest(row["A"], b, c, *whose)
    times[pair] += 1
    if times[pair] > 1:
        pair = digest(str(pair), str(times[pair]))
    labels = [row["y"].get(key, NO_LABEL) for key in ALL_CRITERIA]
    return RECORD.pack(
        *(offset, digest(row["id"]), digest(row["reference_id"]), pair),
        *(digest(*sorted(ratings)), digest(*sorted(adjudications)), min(len(ratings), 65_535)),
        *(SPLITS.index(row.get("split", "")), bool(row.get("flags")), *labels),
        row["B"] > row["C"],
    )


def _indexed(values: tuple[Any, ...]) -> IndexedRow:
    known, labels, is_turned = values[:9], values[9:14], values[14]
    return IndexedRow._make((*known, labels, is_turned))
