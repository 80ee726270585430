"""Several files of quadruplets become one draft: equal comparisons joined, their labels merged.

Rows go to the draft as they come; what is kept of them here are numbers.
"""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from annotator.claims.compact_keys import CompactKeys
from annotator.formats.records import BadRecord, BadRecordList, ReadNotes
from scoring.formats.rows import DatasetRow


class Place(NamedTuple):
    """Where a row stands: its file's name, and its number among that file's rows from 1."""

    file: str
    item: int

    def __str__(self) -> str:
        return f"item {self.item} of {self.file}"


class Taker(Protocol):
    """What rows are given to: a draft, which numbers them from 0 in the order they come."""

    def add(self, row: DatasetRow) -> int: ...

    def has_texts(self, place: int, row: DatasetRow) -> bool: ...

    def labels(self, place: int) -> dict[str, int]: ...

    def relabel(self, place: int, labels: dict[str, int]) -> None: ...

    def state_split(self, place: int, split: str) -> None: ...


def join(
    files: Sequence[tuple[str, Iterable[DatasetRow]]], draft: Taker, notes: ReadNotes | None = None
) -> None:
    """Join files on (A, B, C) and merge their labels: the published files hold one criterion each.

    Input: (file name, rows) pairs; ids made from texts stand for (A, B, C), and so does an id that
    a file gives. The draft gets rows in the order in which they first stand. An equal row that
    returns is kept once and counted in `notes`. A split is kept where the files that name one
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
        self._ids = CompactKeys()
        self._files, self._items = array("L"), array("L")

    def take(self, row: DatasetRow, number: int, item: int) -> None:
        place = self._ids.enter(row.id)
        if place == len(self._files):
            self._files.append(number)
            self._items.append(item)
            self._draft.add(row)
            return
        if self._files[place] == number:
            self._notes.duplicates += 1
        else:
            self._notes.joined += 1
        earlier = self._draft.labels(place)
        self.bad.add(*self._contradictions(place, earlier, row, Place(self._names[number], item)))
        self._draft.state_split(place, row.split)
        if not row.y.keys() <= earlier.keys():
            self._draft.relabel(place, {**row.y, **earlier})

    def _contradictions(
        self, place: int, earlier: dict[str, int], row: DatasetRow, here: Place
    ) -> Iterator[BadRecord]:
        there = Place(self._names[self._files[place]], self._items[place])
        if not self._draft.has_texts(place, row):
            reason = f"the id stands for other texts in {there}"
            yield BadRecord(0, "id", reason, here.item, here.file)
            return
        for criterion, label in row.y.items():
            if earlier.get(criterion, label) != label:
                reason = f"the label {label} contradicts {earlier[criterion]} in {there}"
                yield BadRecord(0, criterion, reason, here.item, here.file)
