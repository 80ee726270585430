"""The reader of claim sets as CSV: one candidate a row, the rows of one reference together."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from patclaimeval.documents.csv_streams import (
    CELL_CHARACTERS,
    CsvRow,
    CsvStream,
    damage_of_id,
    damage_of_text,
)
from patclaimeval.documents.references import LONGEST, CandidateRecord, ReferenceRecord
from patclaimeval.text_io.shapes import Shape
from patclaimeval.text_io.spreadsheets import MARKED
from patclaimeval.text_io.streams import (
    BadRecord,
    BadRecordList,
    ByteSource,
    FirstLines,
    FormatError,
    ReadNotes,
)
from patclaimeval.text_io.strict_json import MAX_BYTES, short
from patclaimeval.text_io.text import MARK, is_formula

REQUIRED: Final = ("reference_id", "reference_claims", "candidate_id", "claims")
OF_REFERENCE: Final = (
    "reference_id",
    "reference_claims",
    "office",
    "ipc",
    "language",
    "title",
    "family",
    "draft_claims",
    "may_train",
)
COLUMNS: Final = frozenset((*OF_REFERENCE, "candidate_id", "claims", "system", MARKED))
# A reference is held whole, with its candidates.
MOST_CHARACTERS: Final = 32 * 1024 * 1024
_TEXTS: Final = ("reference_claims", "draft_claims", "claims")
_ANSWERS: Final = {"yes": True, "true": True, "no": False, "false": False}

Problems = list[tuple[str, str]]


def read(
    file: ByteSource, notes: ReadNotes | None = None, *, max_bytes: int = MAX_BYTES
) -> Iterator[ReferenceRecord]:
    """Yield the references of a CSV file in file order, holding one reference at a time.

    Input: a file open for bytes at its beginning, UTF-8, with a header of COLUMNS, of which
    REQUIRED must be there; comma, semicolon, tab or vertical bar between cells. A row with an
    empty or the same `reference_id` brings another candidate of the reference above; its other
    columns of OF_REFERENCE are empty or repeat it. Cells stay as they stand, line ends
    included; only where the column `apostrophe_put_before` names a column of the row is the
    apostrophe dropped that begins that cell. Output: ReferenceRecords with the line of their first
    row. Raises FormatError with up to 100 bad records, or for 0 records.
    """
    notes = notes if notes is not None else ReadNotes()
    stream = CsvStream(file, notes, max_bytes)
    names = _checked_header(stream.header(COLUMNS))
    table = _Table(names, notes)
    for row in stream.rows():
        reference = table.take(row)
        if reference is not None:
            yield reference
    last = table.finish()
    if last is not None:
        yield last
    if not notes.records:
        raise FormatError("The file holds 0 records.")


def _checked_header(header: CsvRow) -> list[str]:
    bad = BadRecordList()
    for place, name in enumerate(header.cells):
        if not name:
            why = "a column without a name; pandas writes its index so, unless index=False"
            bad.add(BadRecord(header.line, "", f"column {place + 1}: {why}"))
        elif name not in COLUMNS:
            bad.add(BadRecord(header.line, short(name)[1:-1], "unknown column"))
        elif name in header.cells[:place]:
            bad.add(BadRecord(header.line, name, "this column stands twice"))
    bad.add(
        *(
            BadRecord(header.line, name, "this column is missing")
            for name in REQUIRED
            if name not in header.cells
        )
    )
    bad.refuse_if_any()
    return header.cells


class _Table:
    """Puts rows together to references, and gathers what is wrong with them."""

    def __init__(self, names: list[str], notes: ReadNotes) -> None:
        self.names = names
        self.notes = notes
        self.bad = BadRecordList()
        self.first_lines = FirstLines()
        self.group: _Group | None = None
        self.guarded = 0
        self.full_cells = 0

    def take(self, row: CsvRow | BadRecord) -> ReferenceRecord | None:
        """Enter one row; return the reference before it if the row begins another."""
        if isinstance(row, BadRecord):
            self.bad.add(row)
            return None
        if len(row.cells) != len(self.names):
            why = f"{len(row.cells)} cells; the header has {len(self.names)} columns"
            self.bad.add(BadRecord(row.line, "", why))
            return None
        self.notes.records += 1
        cells = dict(zip(self.names, row.cells, strict=True))
        problems = self._unmark(cells)
        done = None
        group, name = self.group, cells["reference_id"]
        if group is None or name not in ("", group.cells["reference_id"]):
            done = self._close()
            group = self.group = _Group(row.line, cells, problems)
        else:
            group.check_repeat(cells, problems)
        self.notes.duplicates += not group.add(cells, problems)
        self.bad.add(*(BadRecord(row.line, name, why) for name, why in problems))
        return None if self.bad.found else done

    def finish(self) -> ReferenceRecord | None:
        """Return the last reference, or refuse the file for what was gathered."""
        last = self._close()
        self.bad.refuse_if_any()
        if self.guarded:
            self.notes.extra.append(
                f"{self.guarded} cells begin with an apostrophe before the sign of a formula; as "
                f"no column {MARKED} says that it was put there, it was kept."
            )
        if self.full_cells:
            self.notes.extra.append(
                f"{self.full_cells} cells have exactly {CELL_CHARACTERS:,} characters, where "
                "spreadsheets cut a text; look whether their end is missing."
            )
        return last

    def _close(self) -> ReferenceRecord | None:
        """Return the reference whose rows are all read; None where it only repeats an earlier one.

        What differs from the earlier one is noted as bad.
        """
        if self.group is None:
            return None
        record, line = self.group.record(), self.group.line
        name = record.reference_id
        earlier = self.first_lines.enter(name, line, record) if name else None
        if earlier is None:
            return record
        if earlier[1]:
            self.notes.duplicates += len(record.candidates)
        else:
            why = "already; the rows of one reference must follow one another"
            where = f"{short(name)} stands on line {earlier[0]} {why}"
            self.bad.add(BadRecord(line, "reference_id", where))
        return None

    def _unmark(self, cells: dict[str, str]) -> Problems:
        """Drop the apostrophes that the row names as put there; return what is wrong with them."""
        problems: Problems = []
        marked = cells.pop(MARKED, "").split()
        for name in marked:
            if name not in cells:
                problems.append((MARKED, f"there is no column {short(name)}"))
            elif not cells[name].startswith(MARK):
                problems.append(
                    (name, f"no apostrophe, though {MARKED} says that one was put here")
                )
            else:
                cells[name] = cells[name][1:]
        for name, text in cells.items():
            self.full_cells += len(text) == CELL_CHARACTERS
            if text.startswith(MARK) and name not in marked:
                self.guarded += is_formula(text[1:])
        return problems


class _Group:
    """One reference while its rows are read."""

    def __init__(self, line: int, cells: dict[str, str], problems: Problems) -> None:
        self.line = line
        self.cells = cells
        shape = _shape(cells, OF_REFERENCE)
        draft = "draft_claims" in shape.fields
        self._reference = ReferenceRecord(
            reference_id=_identifier(shape, "reference_id"),
            reference_claims=shape.claims("reference_claims"),
            candidates=(),
            **{name: shape.text(name, longest) for name, longest in LONGEST.items()},
            context=None,
            draft_claims=shape.claims("draft_claims") if draft else "",
            may_train=_answer(shape),
            line=line,
        )
        problems += shape.problems
        self._candidates: list[CandidateRecord] = []
        self._seen: dict[str, CandidateRecord] = {}
        self._characters = len(cells["reference_claims"])

    def check_repeat(self, cells: dict[str, str], problems: Problems) -> None:
        """Find columns of the reference that differ from its first row."""
        for name in OF_REFERENCE:
            if cells.get(name) and cells[name] != self.cells[name]:
                problems.append((name, f"differs from line {self.line}, the same reference"))

    def add(self, cells: dict[str, str], problems: Problems) -> bool:
        """Enter the candidate of a row; False where the row only repeats an earlier one."""
        shape = _shape(cells, ("candidate_id", "claims", "system"))
        name = _identifier(shape, "candidate_id")
        candidate = CandidateRecord(name, shape.claims("claims"), shape.text("system", 200))
        if name and name in self._seen:
            if self._seen[name] == candidate and not shape.problems:
                return False
            shape.wrong("candidate_id", f"{short(name)} stands twice in this reference")
        problems += shape.problems
        self._characters += len(candidate.claims)
        if self._characters > MOST_CHARACTERS:
            raise FormatError(
                f"The reference on line {self.line} and its candidates have more than "
                f"{MOST_CHARACTERS:,} characters."
            )
        self._seen[name] = candidate
        self._candidates.append(candidate)
        return True

    def record(self) -> ReferenceRecord:
        """Return the reference with the candidates entered so far."""
        return replace(self._reference, candidates=tuple(self._candidates))


def _shape(cells: dict[str, str], names: tuple[str, ...]) -> Shape:
    """Return the named cells; an empty one counts as left out, unless it is required."""
    given = {n: cells[n] for n in names if n in cells and (cells[n] or n in REQUIRED)}
    shape = Shape(given, COLUMNS)
    for name in _TEXTS:
        damage = damage_of_text(given.get(name, ""))
        if damage is not None:
            shape.wrong(name, damage)
    return shape


def _identifier(shape: Shape, name: str) -> str:
    found = shape.identifier(name)
    damage = damage_of_id(found)
    if damage is not None:
        shape.wrong(name, f"{short(found)}: {damage}")
    return found


def _answer(shape: Shape) -> bool | None:
    value = shape.fields.get("may_train")
    if value is None or value.lower() in _ANSWERS:
        return None if value is None else _ANSWERS[value.lower()]
    shape.wrong("may_train", "yes, no, true or false was expected")
    return None
