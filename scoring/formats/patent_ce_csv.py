"""Patent-CE as CSV, for spreadsheets: one quadruplet a line, cells defused."""

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from patclaimeval.rubric import ALL_CRITERIA
from patclaimeval.text_io.spreadsheets import write_table
from scoring.formats.rows import PROVENANCE
from scoring.quadruplets import DatasetRow

LABELS: Final = tuple(f"y_{key}" for key in ALL_CRITERIA)
SHARES: Final = tuple(f"y_soft_{key}" for key in ALL_CRITERIA)
FACTS: Final = ("annotator", "office", "ipc", "language", "family", "flags")
COLUMNS: Final = (
    *("id", "reference_id", "A", "B", "C", "b_id", "c_id"),
    *LABELS,
    "split",
    *PROVENANCE,
    *SHARES,
    *FACTS,
)


def write(rows: Iterable[DatasetRow]) -> Iterator[bytes]:
    """Yield the header, then one record a row.

    Input: rows. Output: cells in the order of COLUMNS; a label is 1, 0 or -1, a share a number
    from 0 to 1; ids of ratings and of rulings, and flags, are JSON arrays; what a row does not
    have is an empty cell.
    """
    return write_table(COLUMNS, map(_cells, rows))


def _cells(row: DatasetRow) -> list[Any]:
    soft = row.extras.get("y_soft") or {}
    return [
        *(row.id, row.reference_id, row.reference, row.b, row.c, row.b_id, row.c_id),
        *(row.y.get(key) for key in ALL_CRITERIA),
        row.split,
        *(_plain(row.provenance.get(key)) for key in PROVENANCE),
        *(soft.get(key) for key in ALL_CRITERIA),
        *(_plain(row.extras.get(key)) for key in FACTS),
    ]


def _plain(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | tuple) else value
