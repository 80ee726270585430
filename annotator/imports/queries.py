"""Reads of imports: those of a campaign, and what is shown of one."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import QuerySet

from annotator.imports.services import is_open
from annotator.models import Campaign, ClaimImport, ImportStage
from core.jobs.rows import JobStatus
from patclaimeval.documents.reading import ARCHIVE

MOST_LISTED: Final = 100
# What is counted, by the names of the new and of the known.
COUNTED: Final = (
    ("References", "references", "known_references"),
    ("Candidates", "candidates", "known_candidates"),
    ("Preferences", "preferences", "known_preferences"),
    ("Annotators", "annotators", None),
)
STATES: Final = {
    (ImportStage.CHECK, JobStatus.QUEUED): "waits to be checked",
    (ImportStage.CHECK, JobStatus.RUNNING): "being checked",
    (ImportStage.CHECK, JobStatus.SUCCEEDED): "checked, not stored",
    (ImportStage.APPLY, JobStatus.QUEUED): "waits to be stored",
    (ImportStage.APPLY, JobStatus.RUNNING): "being stored",
    (ImportStage.APPLY, JobStatus.SUCCEEDED): "stored",
}
ENDED: Final = {JobStatus.FAILED: "refused", JobStatus.CANCELLED: "cancelled"}


@dataclass(frozen=True, slots=True)
class Counted:
    """One line of what a file brings; `known` is None where nobody counts it."""

    what: str
    new: int
    known: int | None


@dataclass(frozen=True, slots=True)
class ImportPage:
    """One import as it is shown."""

    row: ClaimImport

    @property
    def state(self) -> str:
        """As text for people."""
        row = self.row
        if self.is_open:
            return "read, not stored: something is in question"
        return (
            ENDED.get(JobStatus(row.status))
            or STATES[ImportStage(row.stage), JobStatus(row.status)]
        )

    @property
    def is_waiting(self) -> bool:
        """Whether it was checked and somebody is to confirm that it be stored."""
        return (self.row.stage, self.row.status) == (ImportStage.CHECK, JobStatus.SUCCEEDED)

    @property
    def is_open(self) -> bool:
        """Whether something has to be answered or corrected before it can be stored."""
        return self.is_waiting and is_open(self.row)

    @property
    def questions(self) -> list[str]:
        """What has to be answered about the file as a whole."""
        found = self.row.result.get("questions", [])
        return [item["question"] for item in found if not item["number"]]

    @property
    def first_open(self) -> int:
        """The first claim set about which something is in question, else the first of all."""
        asked = (item["number"] for item in self.row.result.get("questions", []))
        return next((number for number in asked if number), 1)

    @property
    def is_archive(self) -> bool:
        """Whether it names its references itself."""
        return self.row.format == ARCHIVE

    @property
    def is_stored(self) -> bool:
        return "stored" in self.row.result

    @property
    def stored(self) -> Mapping[str, Any]:
        """What was stored, by name; nothing of what only was checked."""
        found: Mapping[str, Any] = self.row.result.get("stored", {})
        return found

    @property
    def counts(self) -> list[Counted]:
        """What was stored, or what would be, the new beside the known."""
        found = self.stored or self.row.result.get("counts") or {}
        return [
            Counted(what, found[new], found.get(known) if known else None)
            for what, new, known in COUNTED
            if new in found
        ]


def imports_of(campaign: Campaign) -> QuerySet[ClaimImport]:
    """Return the imports of a campaign, the newest first."""
    return ClaimImport.objects.filter(campaign=campaign).select_related("asked_by", "campaign")


def recent_imports(campaign: Campaign) -> list[ImportPage]:
    """Return the latest imports as a list shows them."""
    return [ImportPage(row) for row in imports_of(campaign)[:MOST_LISTED]]
