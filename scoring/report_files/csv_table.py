"""A report as a table for spreadsheets: RFC 4180, UTF-8, cells defused.

One record a scorer or baseline and set of items. Lines end in CR LF; texts stand in double quotes,
numbers do not. A text that a spreadsheet would take for a formula gets an apostrophe before its
first character, and the last column names the columns of that line in which it stands.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from annotator.formats.formula_cells import MARK, is_formula
from scoring.report_files.figures import FIGURES, Cell, cell, entries

QUOTE: Final = '"'
ALL_ITEMS: Final = "all"
WITHOUT: Final = "without reference"
HEAD: Final = ("scorer", "label", "kind", "version", "criterion", "dataset", "split", "items")
BOUNDS: Final = ("", "_low", "_high")
TAIL: Final = (
    *("tie_rate_people", "tie_rate_scorer", "tie_threshold", "calibrated_threshold"),
    *("is_best", "unavailable", "undefined", "signature", "apostrophe_put_before"),
)
COLUMNS: Final = (
    *HEAD,
    *("n", "references"),
    *(f"{key}{bound}" for key, _, _ in FIGURES for bound in BOUNDS),
    *TAIL,
)


def csv_table(document: Mapping[str, Any]) -> str:
    """Write the figures of a report.

    Input: a finished report. Output: the header, then for each scorer and each baseline, in their
    order, a record on all items and one on those without the reference; shares from 0 to 1, every
    digit of a figure; an undefined figure is an empty cell, and `undefined` says why.
    """
    return "".join(_line(cells) for cells in (COLUMNS, *_records(document)))


def _records(document: Mapping[str, Any]) -> Iterator[list[Any]]:
    best = document.get("comparisons", {}).get("best", [])
    for kind, name, entry in entries(document):
        for items in (ALL_ITEMS, WITHOUT):
            measured = entry if items == ALL_ITEMS else entry["without_reference_items"]
            cells = _cells(document, kind, name, entry, items, measured)
            cells[COLUMNS.index("is_best")] = "yes" if name in best else "no"
            yield _marked(cells)


def _cells(
    document: Mapping[str, Any],
    kind: str,
    name: str,
    entry: Mapping[str, Any],
    items: str,
    measured: Mapping[str, Any],
) -> list[Any]:
    question = document["question"]
    found = {key: cell(measured.get(key)) for key, _, _ in FIGURES}
    ties = measured.get("tie_rates", {})
    return [
        *(name, entry.get("label") or name, kind, entry.get("version")),
        *(question["criterion"], question["dataset"], question["split"], items),
        *(measured["n"], measured["references"]),
        *(number for one in found.values() for number in (one.value, one.low, one.high)),
        *(ties.get("people"), ties.get("scorer"), question["tie_threshold"]),
        entry.get("calibrated", {}).get("threshold") if items == ALL_ITEMS else None,
        "",
        entry.get("unavailable") or None,
        _undefined(found) or None,
        entry.get("signature") or None,
        None,
    ]


def _undefined(found: Mapping[str, Cell]) -> str:
    return "; ".join(f"{key}: {one.reason}" for key, one in found.items() if one.value is None)


def _marked(cells: list[Any]) -> list[Any]:
    marked = []
    for place, content in enumerate(cells):
        if isinstance(content, str) and is_formula(content):
            cells[place] = MARK + content
            marked.append(COLUMNS[place])
    cells[-1] = " ".join(marked) or None
    return cells


def _line(cells: Iterable[Any]) -> str:
    return ",".join(map(_quoted, cells)) + "\r\n"


def _quoted(content: Any) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return f'"{content.replace(QUOTE, QUOTE * 2)}"'
    return repr(content)
