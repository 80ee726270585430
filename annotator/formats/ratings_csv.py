"""Ratings and preferences as CSV, for spreadsheets: RFC 4180, UTF-8, one a record, cells defused.

Records end in CR LF; texts stand in double quotes, numbers do not. A text that a spreadsheet would
take for a formula gets an apostrophe before its first character, and the last column names the
columns of that record in which it stands: dropping it there gives the text back.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Final

from annotator.rating_values import EXPORTED
from patclaimeval.rubric import ALL_CRITERIA, OVERALL
from patclaimeval.text_io.text import MARK, is_formula

MARKED: Final = "apostrophe_put_before"
# A preference has its left candidate in the columns of a rating's candidate.
COLUMNS: Final = (
    *("kind", "id", "reference_id", "reference_sha256"),
    *("candidate_id", "candidate_sha256", "system", "right_id", "right_sha256", "right_system"),
    *("purpose", "repeats", "annotator", "by_admin", *ALL_CRITERIA, "overall_numerator"),
    *EXPORTED,
    *("rubric_version", "version", "submitted_at", "revised_at", "revisions", MARKED),
)
_LEFT_OF_PREFERENCE: Final = {
    "candidate_id": "left_id",
    "candidate_sha256": "left_sha256",
    "system": "left_system",
}


def write(lines: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """Yield the header, then one record a rating or preference.

    Input: mappings as `ratings_jsonl.write` takes them. Output: cells in the order of COLUMNS;
    scores are 0 to 10, judgements 1, 0 or -1; yes and no are true and false; tags, what was
    shown, and revisions are JSON; what a line does not have is an empty cell.
    """
    record = io.StringIO(newline="")
    writer = csv.writer(record, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\r\n")
    for cells in chain([COLUMNS], map(_cells, lines)):
        writer.writerow(cells)
        yield record.getvalue().encode()
        record.seek(0)
        record.truncate()


def _cells(line: Mapping[str, Any]) -> list[Any]:
    values = dict(line)
    if "judgements" in line:
        values |= {name: line[other] for name, other in _LEFT_OF_PREFERENCE.items()}
        values |= line["judgements"]
    else:
        overall = line["overall_quality"]
        values |= line["scores"]
        values |= {OVERALL: overall["value"], "overall_numerator": overall["numerator"]}
    cells = [_cell(values.get(name)) for name in COLUMNS[:-1]]
    marked = []
    for place, cell in enumerate(cells):
        if isinstance(cell, str) and is_formula(cell):
            cells[place] = MARK + cell
            marked.append(COLUMNS[place])
    return [*cells, " ".join(marked)]


def _cell(value: Any) -> Any:
    if isinstance(value, bool | list | dict):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return value
