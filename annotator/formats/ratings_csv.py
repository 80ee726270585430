"""Ratings and preferences as CSV, for spreadsheets: one a record, cells defused."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from annotator.rating_values import EXPORTED
from patclaimeval.rubric import ALL_CRITERIA, OVERALL
from patclaimeval.text_io.spreadsheets import write_table

# A preference has its left candidate in the columns of a rating's candidate.
COLUMNS: Final = (
    *("kind", "id", "reference_id", "reference_sha256"),
    *("candidate_id", "candidate_sha256", "system", "right_id", "right_sha256", "right_system"),
    *("purpose", "repeats", "annotator", "by_admin", *ALL_CRITERIA, "overall_numerator"),
    *EXPORTED,
    *("rubric_version", "version", "submitted_at", "revised_at", "revisions"),
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
    return write_table(COLUMNS, map(_cells, lines))


def _cells(line: Mapping[str, Any]) -> list[Any]:
    values = dict(line)
    if "judgements" in line:
        values |= {name: line[other] for name, other in _LEFT_OF_PREFERENCE.items()}
        values |= line["judgements"]
    else:
        overall = line["overall_quality"]
        values |= line["scores"]
        values |= {OVERALL: overall["value"], "overall_numerator": overall["numerator"]}
    return [_cell(values.get(name)) for name in COLUMNS]


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, bool | list | dict):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return value
