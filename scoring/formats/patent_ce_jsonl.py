"""Patent-CE JSONL, our own layout: one quadruplet a line, keys in a fixed order."""

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from patclaimeval.rubric import ALL_CRITERIA
from patclaimeval.text_io.shapes import Shape, checked
from patclaimeval.text_io.streams import ByteSource, FirstLines, ReadNotes, Record, read_lines
from patclaimeval.text_io.text import candidate_id_of, reference_id_of
from scoring.formats.rows import EXTRAS, extras_of, labels_of, provenance_of
from scoring.quadruplets import SPLIT_NAMES, DatasetRow, quadruplet_id

KEYS: Final = (
    *("id", "reference_id", "A", "B", "C", "b_id", "c_id", "y", "split", "provenance"),
    *EXTRAS,
)
_SPLIT_KEY: Final = b', "split": "'
# Built once: json.dumps would build one for every row.
_ENCODE: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def read(file: ByteSource, notes: ReadNotes | None = None) -> Iterator[DatasetRow]:
    """Yield the rows of a patent-ce-jsonl file in file order, without holding the file.

    Input: a file open for bytes at its beginning. Output: texts, order and sides unchanged; ids
    that are absent come from the texts' digests. A line that only repeats an earlier one comes
    again. Raises FormatError with up to 100 bad records.
    """
    notes = notes if notes is not None else ReadNotes()
    first_lines = FirstLines()

    def build(record: Record) -> tuple[DatasetRow | None, list[tuple[str, str]]]:
        row, problems = _row(record.value)
        # Ids made from texts may return: `join` then looks at the labels, and counts repeats.
        if not problems and "id" in record.value:
            text = json.dumps(record.value, sort_keys=True)
            earlier = first_lines.enter(row.id, record.line, text)
            if earlier and not earlier[1]:
                why = f"stands on line {earlier[0]} already, and says something else here"
                problems.append(("id", why))
        return (None if problems else row), problems

    return checked(read_lines(file, notes), build, notes)


def write(rows: Iterable[DatasetRow]) -> Iterator[bytes]:
    """Yield one line a row: UTF-8, keys in the order of KEYS, absent keys left out."""
    for row in rows:
        fields = {
            "id": row.id,
            "reference_id": row.reference_id,
            "A": row.reference,
            "B": row.b,
            "C": row.c,
            "b_id": row.b_id,
            "c_id": row.c_id,
            "y": {key: row.y[key] for key in ALL_CRITERIA if key in row.y},
            "split": row.split,
            "provenance": dict(row.provenance),
            **{key: row.extras[key] for key in EXTRAS if key in row.extras},
        }
        yield _ENCODE(fields).encode() + b"\n"


def split_of(line: bytes) -> str:
    """Return the split of a line that `write` wrote, without parsing it.

    Within a text a quotation mark stands behind a backslash, so the key is found nowhere else.
    """
    start = line.rindex(_SPLIT_KEY) + len(_SPLIT_KEY)
    return line[start : line.index(b'"', start)].decode()


def _row(value: Any) -> tuple[DatasetRow, list[tuple[str, str]]]:
    shape = Shape(value, KEYS)
    reference, b, c = (shape.claims(name) for name in ("A", "B", "C"))
    labels = labels_of(shape, "y", {key: key for key in ALL_CRITERIA})
    split = shape.text("split", 10)
    if split and split not in SPLIT_NAMES:
        shape.wrong("split", f"must be one of {', '.join(SPLIT_NAMES)}")
    annotator = shape.identifier("annotator", is_required=False)
    row = DatasetRow(
        id=shape.identifier("id", is_required=False) or quadruplet_id(reference, b, c, annotator),
        reference_id=shape.identifier("reference_id", is_required=False)
        or reference_id_of(reference),
        reference=reference,
        b=b,
        c=c,
        b_id=shape.identifier("b_id", is_required=False) or candidate_id_of(b),
        c_id=shape.identifier("c_id", is_required=False) or candidate_id_of(c),
        y=labels,
        split=split,
        provenance=provenance_of(shape),
        extras=extras_of(shape),
    )
    return row, shape.problems
