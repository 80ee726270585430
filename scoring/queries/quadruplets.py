"""Reads of single quadruplets of a version: by page, by filter, by place; never the whole file."""

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from typing import Any, Final

from annotator.files.whole import write_whole
from scoring import storage
from scoring.datasets import row_index
from scoring.datasets.row_index import IndexedRow, RowIndex
from scoring.formats import stored_rows
from scoring.formats.rows import DatasetRow
from scoring.models import DatasetVersion

A_PAGE: Final = 50


@dataclass(frozen=True, slots=True)
class Filter:
    """Which quadruplets are wanted; "" and None stand for all."""

    split: str = ""
    criterion: str = ""
    label: int | None = None
    row_id: str = ""
    is_flagged: bool = False

    def takes(self, row: IndexedRow) -> bool:
        if self.split and row.split_name != self.split:
            return False
        if self.is_flagged and not row.is_flagged:
            return False
        if self.row_id and row.id != row_index.digest(self.row_id):
            return False
        if not self.criterion:
            return True
        found = row.label(self.criterion)
        return found is not None if self.label is None else found == self.label


@dataclass(frozen=True, slots=True)
class PlacedRow:
    """A quadruplet and its number in its version, from 1."""

    number: int
    row: DatasetRow


def index_of(version: DatasetVersion) -> RowIndex:
    """Return the index of a version's file, made when it is not there or the file was touched.

    Raises StoredFileDamaged when the file is missing or has another digest: it is looked at when
    the index is made, and again once its size or its time of change are others.
    """
    path = storage.dataset_path(version.sha256)
    kept_at = storage.cache_directory() / f"rows-{version.sha256}.index"
    if path.is_file():
        found = row_index.open_index(kept_at, path.stat())
        if found is not None:
            return found
    with storage.open_dataset(version.sha256) as file:
        stat = os.fstat(file.fileno())
        write_whole(kept_at, row_index.write_index(_objects(file), stat))
    made = row_index.open_index(kept_at, stat)
    assert made is not None, "an index that was just written is of its file"
    return made


def prepare_pages(version: DatasetVersion) -> None:
    """Make a version's index now, where nobody waits for a page; else the first page makes it."""
    with suppress(OSError):
        index_of(version)


def page_of(
    version: DatasetVersion, wanted: Filter, number: int, size: int
) -> tuple[list[PlacedRow], int, int]:
    """Return a page of the quadruplets that are wanted, how many there are, and the page's number.

    A page beyond the last one is the last one.
    """
    index = index_of(version)
    if wanted == Filter():
        count = index.rows
        number = _within(number, count, size)
        first = (number - 1) * size
        places = list(enumerate(index.records(first, size), first + 1))
        return _rows(version, places), count, number
    found = [(place, row) for place, row in enumerate(index.records(), 1) if wanted.takes(row)]
    number = _within(number, len(found), size)
    chosen = found[(number - 1) * size : number * size]
    return _rows(version, chosen), len(found), number


def row_at(version: DatasetVersion, number: int) -> DatasetRow | None:
    """Return the quadruplet with a number in its version, from 1; None where there is none."""
    index = index_of(version)
    places = [(number, row) for row in index.records(number - 1, 1)] if number >= 1 else []
    return next((placed.row for placed in _rows(version, places)), None)


def rows_at(version: DatasetVersion, numbers: list[int]) -> dict[int, DatasetRow]:
    """Return quadruplets by their numbers in a version."""
    index = index_of(version)
    places = [(n, row) for n in sorted(set(numbers)) for row in index.records(n - 1, 1)]
    return {placed.number: placed.row for placed in _rows(version, places)}


def holds_reference(version: DatasetVersion, reference_id: str) -> bool:
    """Say whether a quadruplet of the version names the reference."""
    wanted = row_index.digest(reference_id)
    return any(row.reference == wanted for row in index_of(version).records())


def _within(number: int, count: int, size: int) -> int:
    return max(1, min(number, -(-count // size)))


def _rows(version: DatasetVersion, places: list[tuple[int, IndexedRow]]) -> list[PlacedRow]:
    with storage.dataset_path(version.sha256).open("rb") as file:
        lines = list(row_index.read_lines(file, [row.offset for _, row in places]))
    rows = stored_rows.read(BytesIO(b"".join(lines)))
    return [PlacedRow(n, row) for (n, _), row in zip(places, rows, strict=True)]


def _objects(file: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    offset = 0
    for line in file:
        yield offset, json.loads(line)
        offset += len(line)
