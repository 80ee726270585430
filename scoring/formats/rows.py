"""Rows of a dataset out of files: the parts that formats share, and files of this program."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, Final

from patclaimeval.rubric import ALL_CRITERIA
from patclaimeval.text_io.shapes import Shape, describe_type
from patclaimeval.text_io.text import candidate_id_of, reference_id_of
from scoring.quadruplets import DatasetRow, flags_of, quadruplet_id


def row_of_texts(
    reference: str, b: str, c: str, y: Mapping[str, int], annotator: str = "", **more: Any
) -> DatasetRow:
    """Return a row of three texts and labels, its ids made from the texts' digests."""
    flags = flags_of(reference, b, c)
    return DatasetRow(
        id=quadruplet_id(reference, b, c, annotator),
        reference_id=reference_id_of(reference),
        reference=reference,
        b=b,
        c=c,
        b_id=candidate_id_of(b),
        c_id=candidate_id_of(c),
        y=y,
        extras=more.pop("extras", {}) | ({"flags": list(flags)} if flags else {}),
        **more,
    )


EXTRAS: Final = ("y_soft", "annotator", "office", "ipc", "language", "family", "flags")
PROVENANCE: Final = ("policy", "rubric_version", "annotators", "ratings", "adjudications")
_TEXTS: Final = {"office": 40, "ipc": 40, "language": 20, "family": 200}


def labels_of(shape: Shape, name: str, criteria: Mapping[str, str]) -> dict[str, int]:
    """Read an object of labels: `criteria` maps the file's names to criterion keys.

    A label is exactly 1, 0 or -1; true, 1.0 and "1" are none. At least one must be given.
    """
    value = shape.given(name)
    if not isinstance(value, dict):
        if name in shape.fields:
            shape.wrong(name, f"an object was expected, not {describe_type(value)}")
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


def provenance_of(shape: Shape) -> Mapping[str, Any]:
    """Read the object `provenance`, {} where it is absent; every key of it may be left out.

    `policy` and `rubric_version` are texts, `annotators` a whole number from 0, `ratings` and
    `adjudications` arrays of texts. Values stay as they are, so that writing gives equal bytes.
    """
    value = shape.given("provenance", is_required=False)
    if value is None:
        return {}
    inner = Shape(value, PROVENANCE, "provenance")
    for name in ("policy", "rubric_version"):
        inner.text(name, 100)
    people = inner.fields.get("annotators")
    if people is not None and (type(people) is not int or people < 0):
        inner.wrong("annotators", "a whole number from 0 was expected")
    for name in ("ratings", "adjudications"):
        _check_texts(inner, name)
    shape.problems += inner.problems
    return inner.fields


def extras_of(shape: Shape) -> dict[str, Any]:
    """Read the optional keys that follow `provenance`: those that are there, as they are."""
    shape.identifier("annotator", is_required=False)
    for name, longest in _TEXTS.items():
        shape.text(name, longest)
    _check_texts(shape, "flags")
    _check_soft_labels(shape)
    return {name: shape.fields[name] for name in EXTRAS if name in shape.fields}


def _check_texts(shape: Shape, name: str) -> None:
    value = shape.given(name, is_required=False)
    if value is None:
        return
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        shape.wrong(name, "an array of texts was expected")


def _check_soft_labels(shape: Shape) -> None:
    value = shape.given("y_soft", is_required=False)
    if value is None:
        return
    inner = Shape(value, ALL_CRITERIA, "y_soft")
    for name, share in inner.fields.items():
        if type(share) not in (int, float) or not 0 <= share <= 1:
            inner.wrong(name, "a number from 0 to 1 was expected", show=True)
    shape.problems += inner.problems


def read(file: BinaryIO) -> Iterator[DatasetRow]:
    """Yield the rows of a canonical JSONL in file order, one held at a time, and close the file.

    Input: a file open for bytes at its beginning, with the digest under which it was stored.
    """
    with file:
        yield from map(of_line, file)


def of_line(line: bytes) -> DatasetRow:
    """Return the row of a line of a canonical JSONL."""
    fields = json.loads(line)
    return DatasetRow(
        id=fields["id"],
        reference_id=fields["reference_id"],
        reference=fields["A"],
        b=fields["B"],
        c=fields["C"],
        b_id=fields["b_id"],
        c_id=fields["c_id"],
        y=fields["y"],
        split=fields["split"],
        provenance=fields["provenance"],
        extras={key: fields[key] for key in EXTRAS if key in fields},
    )
