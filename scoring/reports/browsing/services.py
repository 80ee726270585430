"""The items of a report as a file, noted in the audit trail: numbers and labels, no claim text."""

from collections.abc import Iterator
from typing import Any, Final

from annotator import audit_log
from annotator.models import User
from patclaimeval.agreement.item_table import ItemTable
from patclaimeval.agreement.items import Integers
from patclaimeval.rubric import ALL_CRITERIA
from patclaimeval.text_io.spreadsheets import write_table
from scoring.access.downloads import Export
from scoring.datasets.versions.queries import rows_at
from scoring.files import in_blocks
from scoring.formats.patent_ce_csv import LABELS, SHARES
from scoring.quadruplets import DatasetRow
from scoring.reports.browsing.queries import Browsed
from scoring.reports.files import TYPES, file_name

AT_ONCE: Final = 500
FACTS: Final = ("office", "ipc", "language", "family")
COUNTED: Final = ("ratings", "adjudications")
IDS: Final = ("reference_id", "b_id", "c_id")


def export_items(*, found: Browsed, places: Integers, exported_by: User) -> Export:
    """Note who takes which items, and give them as CSV, one a line, in their order.

    Raises StoredFileDamaged before the first byte leaves.
    """
    # The whole file is read before anything is noted or leaves.
    lines = list(write_table(_columns(found), _rows(found, places.tolist())))
    report = found.report
    audit_log.record(
        actor=exported_by,
        campaign=report.dataset_version.dataset.campaign,
        action="report.items_exported",
        object_type="agreement_report",
        object_id=report.pk,
        details={
            "criterion": report.criterion,
            "dataset": str(report.dataset_version),
            "items": len(places),
        },
    )

    return Export(
        name=file_name(found.document, "csv").replace("agreement-", "items-", 1),
        media_type=TYPES["csv"],
        pieces=in_blocks(lines),
        rows=len(places),
    )


def _columns(found: Browsed) -> list[str]:
    """Return the names of the columns: those of each scorer begin with its name."""
    reader = found.reader
    of_scorers = [
        f"{name} {what}"
        for name, _ in found.scorers
        for what in ("B", "C", "difference", "label", "error")
    ]
    return [
        *("item", "number", "id", "reference"),
        *(IDS if reader.tells_ids else ()),
        *("criterion", "y", *of_scorers, *LABELS, *SHARES, "split"),
        *("policy", "rubric_version", "annotators", *COUNTED),
        *((f"{name}_ids" for name in COUNTED) if reader.tells_ratings else ()),
        *FACTS,
    ]


def _rows(found: Browsed, places: list[int]) -> Iterator[list[Any]]:
    table = found.items
    errors = {name: table.errors(name) for name, _ in found.scorers}
    for start in range(0, len(places), AT_ONCE):
        batch = places[start : start + AT_ONCE]
        rows = rows_at(found.report.dataset_version, [int(table.rows[place]) for place in batch])
        for place in batch:
            yield _cells(found, table, errors, rows[int(table.rows[place])], place)


def _cells(
    found: Browsed, table: ItemTable, errors: dict[str, Any], row: DatasetRow, place: int
) -> list[Any]:
    made, reader = row.provenance, found.reader
    soft = row.extras.get("y_soft") or {}
    ids = [list(made.get(name) or ()) for name in COUNTED]
    return [
        *(place + 1, int(table.rows[place]), row.id, int(table.references[place]) + 1),
        *((row.reference_id, row.b_id, row.c_id) if reader.tells_ids else ()),
        *(found.report.criterion, int(table.y[place])),
        *(cell for name, _ in found.scorers for cell in _numbers(table, errors, name, place)),
        *(row.y.get(key) for key in ALL_CRITERIA),
        *(soft.get(key) for key in ALL_CRITERIA),
        *(row.split, made.get("policy"), made.get("rubric_version"), made.get("annotators")),
        *map(len, ids),
        *((" ".join(one) for one in ids) if reader.tells_ratings else ()),
        *(row.extras.get(key) for key in FACTS),
    ]


def _numbers(table: ItemTable, errors: dict[str, Any], name: str, place: int) -> list[Any]:
    """Return a scorer's numbers of an item: of B, of C, their difference, its label, its error."""
    label = int(table.predicted[name][place])
    if name not in table.differences:
        return [None, None, None, label, None]
    b, c = table.scores[name][:, place].tolist()
    return [b, c, float(table.differences[name][place]), label, float(errors[name][place])]
