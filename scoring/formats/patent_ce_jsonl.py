"""Patent-CE JSONL, our own layout: one quadruplet a line, keys in a fixed order."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from annotator.formats.digests import candidate_id_of, reference_id_of
from annotator.formats.json_streams import Record, read_lines
from annotator.formats.records import ByteSource, ReadNotes
from annotator.formats.shapes import Shape, checked, type_words
from annotator.rubric import ALL_CRITERIA
from scoring.formats.rows import DatasetRow
from scoring.quadruplets import quadruplet_id
from scoring.splits import SPLIT_NAMES

EXTRAS: Final = ("y_soft", "annotator", "office", "ipc", "language", "family", "flags")
KEYS: Final = (
    *("id", "reference_id", "A", "B", "C", "b_id", "c_id", "y", "split", "provenance"),
    *EXTRAS,
)


def read(file: ByteSource, notes: ReadNotes | None = None) -> Iterator[DatasetRow]:
    """Yield the rows of a patent-ce-jsonl file in file order, without holding the file.

    Input: a file open for bytes at its beginning. Output: texts, order and sides unchanged; ids
    that are absent come from the texts' digests. Raises FormatError with up to 100 bad records.
    """
    notes = notes if notes is not None else ReadNotes()
    first_line_of: dict[str, int] = {}

    def build(record: Record) -> tuple[DatasetRow | None, list[tuple[str, str]]]:
        row, problems = _row(record.value)
        earlier = first_line_of.setdefault(row.id, record.line)
        if not problems and earlier != record.line:
            problems.append(("id", f"stands on line {earlier} already"))
        return (None if problems else row), problems

    return checked(read_lines(file, notes), build, notes)


def write(rows: Iterable[DatasetRow]) -> Iterator[bytes]:
    """Yield one line a row: UTF-8, keys in the order of KEYS, absent keys left out."""
    for row in rows:
        line = {
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
        yield json.dumps(line, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def _row(value: Any) -> tuple[DatasetRow, list[tuple[str, str]]]:
    shape = Shape(value, KEYS)
    reference, b, c = (shape.claims(name) for name in ("A", "B", "C"))
    labels = labels_of(shape, "y", {key: key for key in ALL_CRITERIA})
    split = shape.text("split", 10)
    if split and split not in SPLIT_NAMES:
        shape.wrong("split", f"must be one of {', '.join(SPLIT_NAMES)}")
    row = DatasetRow(
        id=shape.identifier("id", is_required=False) or quadruplet_id(reference, b, c),
        reference_id=shape.identifier("reference_id", is_required=False)
        or reference_id_of(reference),
        reference=reference,
        b=b,
        c=c,
        b_id=shape.identifier("b_id", is_required=False) or candidate_id_of(b),
        c_id=shape.identifier("c_id", is_required=False) or candidate_id_of(c),
        y=labels,
        split=split,
        provenance=_object(shape, "provenance"),
        extras={key: shape.fields[key] for key in EXTRAS if key in shape.fields},
    )
    return row, shape.problems


def _object(shape: Shape, name: str) -> Mapping[str, Any]:
    value = shape.given(name, is_required=False)
    if value is not None and not isinstance(value, dict):
        shape.wrong(name, f"an object was expected, not {type_words(value)}")
        return {}
    return value or {}


def labels_of(shape: Shape, name: str, criteria: Mapping[str, str]) -> dict[str, int]:
    """Read an object of labels: `criteria` maps the file's names to criterion keys.

    A label is exactly 1, 0 or -1; true, 1.0 and "1" are none. At least one must be given.
    """
    value = shape.given(name)
    if not isinstance(value, dict):
        if name in shape.fields:
            shape.wrong(name, f"an object was expected, not {type_words(value)}")
        return {}
    labels = {}
    for key, label in value.items():
        if key not in criteria:
            shape.wrong(f"{name}.{key[:40]}", "is no criterion")
        elif type(label) is not int or label not in (1, 0, -1):
            shape.wrong(f"{name}.{key}", "a label is 1, 0 or -1")
        else:
            labels[criteria[key]] = label
    if not value:
        shape.wrong(name, "holds no label")
    return labels
