"""The list of reports: each with what it asked and, once it has ended, what it found."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import QuerySet
from django.db.models.fields.json import KT

from annotator.models import User
from scoring.models import AgreementReport, Dataset
from scoring.queries.models import reports_for

MOST_LISTED: Final = 100


@dataclass(frozen=True, slots=True)
class Listed:
    """A report of the list: its row, its scorers by name, and its verdict in a sentence."""

    report: AgreementReport
    scorers: str
    verdict: str


def listed_reports(user: User, dataset: str = "") -> tuple[Listed, ...]:
    """Return the newest reports that the person may see; of one dataset where it is named."""
    rows = reports_for(user).defer("result")
    rows = rows.annotate(best_sentence=KT("result__comparisons__best_sentence"))
    if dataset:
        of_name = [row.pk for row in _reported(user) if dataset in (row.full_name, row.name)]
        rows = rows.filter(dataset_version__dataset__in=of_name)
    return tuple(_listed(row) for row in rows[:MOST_LISTED])


def reported_datasets(user: User) -> list[str]:
    """Return the full names of the datasets that have a report, for the list's filter."""
    return sorted(row.full_name for row in _reported(user))


def _reported(user: User) -> QuerySet[Dataset]:
    reports = reports_for(user).order_by()
    rows = Dataset.objects.filter(versions__reports__in=reports).distinct()
    return rows.select_related("campaign")


def finished_reports(user: User) -> QuerySet[AgreementReport]:
    """Return the reports that have a result, for what compares two."""
    return reports_for(user).filter(status="succeeded")


def _listed(row: Any) -> Listed:
    words = row.message if row.status != "succeeded" else row.best_sentence or ""
    return Listed(row, _named(row.scorers), words)


def _named(names: Sequence[str], most: int = 6) -> str:
    """Return the first names, models by the first digits of their ids, and how many more."""
    short = [name[:14] if name.startswith("model:") else name for name in names]
    more = f" and {len(short) - most} more" if len(short) > most else ""
    return ", ".join(short[:most]) + more
