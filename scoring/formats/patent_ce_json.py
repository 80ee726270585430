"""The published Patent-CE layout: a JSON array whose A and B are our B and C.

With annotator/formats/patent_ce_claims.py the only place that knows its keys.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Final

from patclaimeval.models.data import PUBLISHED_CRITERIA
from patclaimeval.text_io.shapes import Shape, checked
from patclaimeval.text_io.streams import ByteSource, ReadNotes, Record, read_array
from scoring.formats.rows import labels_of, row_of_texts
from scoring.quadruplets import DatasetRow

_FIELDS: Final = ("gold_claim", "A", "B", "human_eval")
_ENCODE: Final = json.JSONEncoder(ensure_ascii=False).encode


def read(file: ByteSource, notes: ReadNotes | None = None) -> Iterator[DatasetRow]:
    """Yield the rows of one published file in file order; ids come from the texts' digests.

    Raises FormatError with up to 100 bad items, each with its number from 1.
    """
    notes = notes if notes is not None else ReadNotes()
    return checked(read_array(file, notes), _build, notes)


def write(rows: Iterable[DatasetRow]) -> Iterator[bytes]:
    """Yield the array piece by piece; reading it again gives equal texts and labels."""
    yield b"["
    for number, row in enumerate(rows):
        item = {
            "gold_claim": row.reference,
            "A": row.b,
            "B": row.c,
            "human_eval": {n: row.y[key] for n, key in PUBLISHED_CRITERIA.items() if key in row.y},
        }
        yield (b",\n" if number else b"\n") + _ENCODE(item).encode()
    yield b"\n]\n"


def _build(record: Record) -> tuple[DatasetRow | None, list[tuple[str, str]]]:
    shape = Shape(record.value, _FIELDS)
    reference, b, c = (shape.claims(name) for name in _FIELDS[:3])
    labels = labels_of(shape, "human_eval", PUBLISHED_CRITERIA)
    if shape.problems:
        return None, shape.problems
    return row_of_texts(reference, b, c, labels), []
