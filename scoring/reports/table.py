"""The table of a report's page: its rows, its headings that sort, why figures are undefined."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from scoring.reports.files import FIGURES, Cell, cell, entries
from scoring.reports.page_parts import Part

NAME: Final = "scorer"
ASCENDING: Final = "asc"
DESCENDING: Final = "desc"
SORTABLE: Final = frozenset({NAME, *(key for key, _, _ in FIGURES)})


@dataclass(frozen=True, slots=True)
class Sorting:
    """By which figure rows are sorted; an empty key keeps the order that was asked for."""

    key: str = ""
    order: str = DESCENDING

    @classmethod
    def asked(cls, key: str, order: str) -> "Sorting":
        """Read what an address says; what is no figure sorts nothing."""
        if key not in SORTABLE:
            return cls()
        return cls(key, ASCENDING if order == ASCENDING else DESCENDING)


UNSORTED: Final = Sorting()


@dataclass(frozen=True, slots=True)
class Row:
    """One scorer or baseline with its figures, or why it was not scored."""

    name: str
    label: str
    kind: str
    version: str
    is_best: bool
    unavailable: str
    cells: tuple[Cell, ...]
    tie_rate: float | None
    confusion: tuple[tuple[int, ...], ...]


def headings(sorting: Sorting) -> tuple[Part, ...]:
    """Return the columns of the table, the name of the scorer first.

    `aria` is how a column is sorted now, `then` the order that a click asks for.
    """
    found = []
    for key, name, meaning in ((NAME, "Scorer", ""), *FIGURES):
        then, other = (ASCENDING, DESCENDING) if key == NAME else (DESCENDING, ASCENDING)
        aria = {ASCENDING: "ascending", DESCENDING: "descending"}[sorting.order]
        if key != sorting.key:
            aria = ""
        elif sorting.order == then:
            then = other
        found.append(Part(key=key, name=name, meaning=meaning, aria=aria, then=then))
    return tuple(found)


def table_rows(document: Mapping[str, Any], sorting: Sorting = UNSORTED) -> tuple[Row, ...]:
    """Return scorers, then baselines, each group sorted; what has no figure comes last in it."""
    best = document["comparisons"]["best"]
    rows = [_row(kind, name, entry, best) for kind, name, entry in entries(document)]
    if not sorting.key:
        return tuple(rows)
    keys = [key for key, _, _ in FIGURES]

    def value(row: Row) -> float | None:
        return 0.0 if sorting.key == NAME else row.cells[keys.index(sorting.key)].value

    def place(row: Row) -> tuple[float, str]:
        return value(row) or 0.0, row.label.casefold() if sorting.key == NAME else ""

    rows.sort(key=place, reverse=sorting.order == DESCENDING)
    rows.sort(key=lambda row: (row.kind == "baseline", value(row) is None))
    return tuple(rows)


def undefined_figures(rows: tuple[Row, ...]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return each reason once with the scorers and figures that it explains.

    Rows that were not scored say why by themselves.
    """
    found: dict[str, dict[str, list[str]]] = {}
    for row in rows:
        for (_, name, _), one in zip(FIGURES, row.cells, strict=True):
            if one.value is None and not row.unavailable:
                found.setdefault(one.reason, {}).setdefault(row.label, []).append(name)
    return [
        (reason, [(label, ", ".join(names)) for label, names in of.items()])
        for reason, of in found.items()
    ]


def _row(kind: str, name: str, entry: Mapping[str, Any], best: list[str]) -> Row:
    return Row(
        name=name,
        label=entry["label"],
        kind=kind,
        version=entry["version"] or "",
        is_best=name in best,
        unavailable=entry["unavailable"],
        cells=tuple(cell(entry[key]) for key, _, _ in FIGURES),
        tie_rate=entry["tie_rates"]["scorer"],
        confusion=tuple(tuple(line) for line in entry["confusion"]["table"]),
    )
