"""A dataset in the making: rows go aside to a file, and a few numbers a row stay in memory.

Splits and counts follow from the numbers alone; then the file is read once more, row by row.
"""

import json
from array import array
from collections.abc import Iterator
from dataclasses import replace
from typing import IO, Any, Final

from annotator.rubric import ALL_CRITERIA
from scoring.datasets.text_lengths import CANDIDATE, REFERENCE, LengthCounts
from scoring.formats import patent_ce_jsonl
from scoring.formats.rows import DatasetRow
from scoring.splits import (
    SPLIT_NAMES,
    SplitError,
    SplitPlan,
    TextGroups,
    deal_groups,
    deal_items,
    shared_texts,
)

# What stands in a line for what is known only once all rows are there. Neither can stand within a
# text: JSON writes a quotation mark there with a backslash before it.
_NO_SPLIT: Final = b', "split": ""'
_LABELS: Final = b', "y": '
NO_SPLIT: Final = len(SPLIT_NAMES)
_CODE_OF: Final = {1: 1, 0: 2, -1: 3}
_LABEL_OF: Final = {code: label for label, code in _CODE_OF.items()}


class Draft:
    """Rows in their order, without their texts.

    `a`, `b`, `c` are columns of text numbers; `whose`, `b_ids`, `c_ids` columns of hashes (of the
    reference with the annotator, of the candidates), good within this process; `splits` a column of
    places in SPLIT_NAMES, NO_SPLIT for none. Without a spool rows are counted and not kept.
    """

    def __init__(self, spool: IO[bytes] | None = None) -> None:
        self._spool = spool
        self.texts = TextGroups()
        self.lengths = LengthCounts()
        self.a, self.b, self.c = array("L"), array("L"), array("L")
        self.whose, self.b_ids, self.c_ids = array("q"), array("q"), array("q")
        self.splits = bytearray()
        self.ruled = 0
        self.annotators: set[str] = set()
        self._labels = array("H")
        self._merged: set[int] = set()
        self._contradicted: set[int] = set()
        self._bonds: dict[str, int] = {}
        self._latest: dict[int, float] = {}

    def __len__(self) -> int:
        return len(self.splits)

    def add(self, row: DatasetRow, bond: str = "", latest: float = 0.0) -> int:
        """Take a row and return its place.

        Input: a row; rows with the same `bond` stay on one side where groups are split; `latest`
        is when the reference was rated last, in seconds.
        """
        a, b, c = self.numbers(row)
        self.a.append(a)
        self.b.append(b)
        self.c.append(c)
        self._measure(a, REFERENCE, row.reference)
        self._measure(b, CANDIDATE, row.b)
        self._measure(c, CANDIDATE, row.c)
        self.texts.tie(a, b)
        self.texts.tie(a, c)
        if bond:
            self.texts.tie(a, self._bonds.setdefault(bond, a))
        self._latest[a] = max(latest, self._latest.get(a, latest))
        self.whose.append(hash((row.reference_id, row.annotator)))
        self.b_ids.append(hash(row.b_id))
        self.c_ids.append(hash(row.c_id))
        self._labels.append(_labels_code(row.y))
        if row.annotator:
            self.annotators.add(row.annotator)
        self.ruled += bool(row.provenance.get("adjudications"))
        self.splits.append(SPLIT_NAMES.index(row.split) if row.split else NO_SPLIT)
        if self._spool is not None:
            bare = replace(row, split="") if row.split else row
            self._spool.writelines(patent_ce_jsonl.write([bare]))
        return len(self) - 1

    def numbers(self, row: DatasetRow) -> tuple[int, int, int]:
        """Return the numbers of a row's three texts, reference first."""
        number = self.texts.number
        return number(row.reference), number(row.b), number(row.c)

    def has_texts(self, place: int, row: DatasetRow) -> bool:
        """Say whether a row has the texts of the one that is there."""
        return self.numbers(row) == (self.a[place], self.b[place], self.c[place])

    def state_split(self, place: int, split: str) -> None:
        """Hear which split a row was given once more; one that contradicts leaves none."""
        if not split or place in self._contradicted:
            return
        stated = SPLIT_NAMES.index(split)
        if self.splits[place] not in (stated, NO_SPLIT):
            self._contradicted.add(place)
            self.splits[place] = NO_SPLIT
        else:
            self.splits[place] = stated

    def labels(self, place: int) -> dict[str, int]:
        """Return the labels of a row by criterion."""
        code = self._labels[place]
        return {
            criterion: _LABEL_OF[code >> 2 * n & 3]
            for n, criterion in enumerate(ALL_CRITERIA)
            if code >> 2 * n & 3
        }

    def relabel(self, place: int, labels: dict[str, int]) -> None:
        """Give a row other labels than it came with."""
        self._labels[place] = _labels_code(labels)
        self._merged.add(place)

    def split(self, plan: SplitPlan) -> None:
        """Give every row its split; raise SplitError when that cannot be done as asked."""
        if plan.by == "file":
            if missing := self.splits.count(NO_SPLIT):
                raise SplitError(
                    f"{missing} quadruplets name no split; split by reference instead."
                )
            return
        if plan.by == "item":
            ids = list(self._ids())
            of_id = deal_items(ids, plan)
            self.splits = bytearray(SPLIT_NAMES.index(of_id[one]) for one in ids)
            return
        names = array("Q", map(self.texts.name, self.a))
        of_name = deal_groups(names, plan, self._latest_by_group() if plan.by == "time" else None)
        places = {name: SPLIT_NAMES.index(split) for name, split in of_name.items()}
        self.splits = bytearray(map(places.__getitem__, names))

    def shared_texts(self) -> int:
        """Count the texts that stand in more than one split."""
        return shared_texts((self.a, self.b, self.c), self.splits, len(self.texts))

    def lines(self) -> Iterator[bytes]:
        """Yield the canonical JSONL with splits, one line a row, once all rows are there."""
        for place, line in enumerate(self._spooled()):
            whole = _relabelled(line, self.labels(place)) if place in self._merged else line
            # From the end, because the texts stand before it.
            at = whole.rindex(_NO_SPLIT)
            split = SPLIT_NAMES[self.splits[place]].encode()
            yield b'%s, "split": "%s"%s' % (whole[:at], split, whole[at + len(_NO_SPLIT) :])

    def _measure(self, number: int, role: int, text: str) -> None:
        if not self.lengths.has(number, role):
            self.lengths.add(number, self.texts.key(number), role, text)

    def _spooled(self) -> Iterator[bytes]:
        assert self._spool is not None, "a draft without a spool is for counts only"
        self._spool.seek(0)
        return iter(self._spool)

    def _ids(self) -> Iterator[str]:
        for line in self._spooled():
            yield json.loads(line[len(b'{"id": ') : line.index(b', "reference_id": ')])

    def _latest_by_group(self) -> dict[int, float]:
        found: dict[int, float] = {}
        for number, latest in self._latest.items():
            name = self.texts.name(number)
            found[name] = max(latest, found.get(name, latest))
        return found


def _labels_code(y: Any) -> int:
    return sum(
        _CODE_OF[y[criterion]] << 2 * n
        for n, criterion in enumerate(ALL_CRITERIA)
        if criterion in y
    )


def _relabelled(line: bytes, labels: dict[str, int]) -> bytes:
    head, _, rest = line.partition(_LABELS)
    return head + _LABELS + json.dumps(labels).encode() + rest[rest.index(b"}") + 1 :]
