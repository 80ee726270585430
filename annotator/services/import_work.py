"""What a worker does with an uploaded file: read it to its end, or store what stands in it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from typing import Any, BinaryIO, Final, TypeVar

from annotator.formats import label_studio
from annotator.formats.claim_files import PREFERENCES, read_claims
from annotator.formats.compressed import unpacked
from annotator.models import ClaimImport, ImportStage
from annotator.queries.import_checks import check_claims
from annotator.services.claim_import import import_claims
from annotator.services.preference_import import import_preferences

T = TypeVar("T")
# What of the counts is new; the rest was there already.
ADDED: Final = (
    *("references", "candidates", "preferences", "revised_preferences", "annotators"),
    *("annotations", "renewed_annotations"),
)


class Work:
    """One file at work: how far it is read, and that it is given up once it is not ours any more.

    `still_ours` raises when the import belongs to somebody else now or was cancelled.
    """

    def __init__(self, row: ClaimImport, file: BinaryIO) -> None:
        self.row = row
        self.file = file
        self.records = 0
        self.share = 0.0
        self.still_ours: Callable[[], None] = lambda: None

    def progress(self) -> dict[str, Any]:
        """Return what the row is to say of it now; another thread may ask."""
        verb = "Checking" if self.row.stage == ImportStage.CHECK else "Storing"
        return {"progress": self.share, "message": f"{verb}: {self.records:,} records read."}

    def check(self) -> dict[str, Any]:
        """Read the file to its end, store nothing, and return what was found as plain values.

        Raises FormatError with the bad records.
        """
        found = check_claims(
            campaign=self.row.campaign,
            file=self.file,
            format=self.row.format,
            progress=self.reached,
        )
        return found.as_json()

    def store(self) -> dict[str, int]:
        """Store everything that stands in the file and return the counts; call it in a transaction.

        Raises what the readers and the services of the format raise; nothing may be kept then.
        """
        row = self.row
        common: dict[str, Any] = {
            "campaign": row.campaign,
            "may_train": row.may_train,
            "imported_by": row.asked_by,
            "source": row,
        }
        if row.format == PREFERENCES:
            stated = self._watched(label_studio.read(unpacked(self.file)))
            claims, preferences = import_preferences(records=stated, **common)
            return asdict(claims) | asdict(preferences)
        records = self._watched(read_claims(self.file, row.format))
        return asdict(import_claims(records=records, **common))

    def _watched(self, records: Iterable[T]) -> Iterator[T]:
        for record in records:
            self.reached(self.records + 1)
            yield record

    def reached(self, records: int) -> None:
        """Note that so many records are read; raise once the import is not ours any more."""
        self.still_ours()
        self.records = records
        self.share = min(1.0, self.file.tell() / max(1, self.row.file_bytes))


def stored_words(counts: dict[str, int]) -> str:
    """Say in one sentence what an import did."""
    if not any(counts.get(name) for name in ADDED):
        return "0 new: the campaign holds all of this already."
    known = counts["known_references"] + counts["known_candidates"]
    said = (
        f"Stored: {counts['references']:,} new references and {counts['candidates']:,} new "
        f"candidates; {known:,} were there already."
    )
    if "preferences" not in counts:
        return said
    stated = counts["preferences"] + counts["revised_preferences"]
    return f"{said} {stated:,} preferences are new or newer."
