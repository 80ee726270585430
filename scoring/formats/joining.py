"""Several files of quadruplets become one list: equal comparisons joined, their labels merged."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from annotator.formats.records import BadRecord, BadRecordList, ReadNotes
from scoring.formats.rows import DatasetRow


class Place(NamedTuple):
    """Where a row stands: its file's name, its number among that file's rows from 1, which file."""

    file: str
    item: int
    number: int

    def __str__(self) -> str:
        return f"item {self.item} of {self.file}"


@dataclass(slots=True)
class _Joined:
    row: DatasetRow
    place: Place
    splits: set[str]

    def settled(self) -> DatasetRow:
        stated = self.splits - {""}
        return replace(self.row, split=stated.pop() if len(stated) == 1 else "")


def join(
    files: Sequence[tuple[str, Iterable[DatasetRow]]], notes: ReadNotes | None = None
) -> list[DatasetRow]:
    """Join files on (A, B, C) and merge their labels: the published files hold one criterion each.

    Input: (file name, rows) pairs; ids made from texts stand for (A, B, C), and so does an id that
    a file gives. Output: rows in the order in which they first stand. An equal row that returns is
    kept once and counted in `notes`. A split is kept where the files that name one agree, else it
    is "". Raises FormatError, naming both places, where labels of one criterion contradict each
    other or where one id is given to different texts.
    """
    notes = notes if notes is not None else ReadNotes()
    joined: dict[str, _Joined] = {}
    bad = BadRecordList()
    for number, (name, rows) in enumerate(files):
        for item, row in enumerate(rows, start=1):
            place = Place(name, item, number)
            known = joined.get(row.id)
            if known is None:
                joined[row.id] = _Joined(row, place, {row.split})
                continue
            if known.place.number == number:
                notes.duplicates += 1
            else:
                notes.joined += 1
            bad.add(*_contradictions(known, row, place))
            known.splits.add(row.split)
            known.row = replace(known.row, y={**row.y, **known.row.y})
    bad.refuse_if_any()
    return [entry.settled() for entry in joined.values()]


def _contradictions(known: _Joined, row: DatasetRow, place: Place) -> Iterator[BadRecord]:
    first = known.row
    if (first.reference, first.b, first.c) != (row.reference, row.b, row.c):
        reason = f"the id stands for other texts in {known.place}"
        yield BadRecord(0, "id", reason, place.item, place.file)
        return
    for criterion, label in row.y.items():
        earlier = first.y.get(criterion, label)
        if earlier != label:
            reason = f"the label {label} contradicts {earlier} in {known.place}"
            yield BadRecord(0, criterion, reason, place.item, place.file)
