"""What is shown of documents that were read: their claim sets, and one of them as it reads."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from annotator.imports.read_sets import asks, sets_of
from annotator.models import ClaimImport, ReadClaimSet
from patclaimeval.claims.reading import ClaimView, SideView, read_alone
from patclaimeval.documents.context import describe_context
from patclaimeval.documents.records import Severity


@dataclass(frozen=True, slots=True)
class ListedSet:
    """One claim set in the list of an import."""

    row: ReadClaimSet
    is_shown: bool

    @property
    def name(self) -> str:
        """Which claim set it is."""
        row = self.row
        return f"candidate {row.candidate_id}" if row.candidate_id else "reference"

    @property
    def questions(self) -> list[str]:
        """What has to be answered about it."""
        return asks(self.row)

    @property
    def checks(self) -> int:
        """How many things somebody should look at."""
        return len(_of(self.row, Severity.CHECK))

    @property
    def claim_count(self) -> int:
        """How many claims the reader has found."""
        return len(self.row.found.get("claims", []))


@dataclass(frozen=True, slots=True)
class SourcedClaim:
    """A claim as the rate page shows it, and where it begins in its source."""

    view: ClaimView
    place: str


@dataclass(frozen=True, slots=True)
class ShownSet:
    """One claim set as it reads, with what the reader has found."""

    row: ReadClaimSet
    view: SideView
    claims: Sequence[SourcedClaim]
    notice: str

    @property
    def questions(self) -> list[str]:
        """What has to be answered about it."""
        return asks(self.row)

    @property
    def checks(self) -> list[str]:
        """What somebody should look at."""
        return _of(self.row, Severity.CHECK)

    @property
    def notes(self) -> list[str]:
        """What is good to know."""
        return _of(self.row, Severity.NOTE)

    @property
    def left_out(self) -> list[str]:
        """What is no part of the claims, and why."""
        found: list[str] = self.row.found.get("left_out", [])
        return found

    @property
    def context(self) -> list[str]:
        """What stands around the claims, and whether it would be stored."""
        counts = self.row.found.get("context", {})
        return describe_context(counts, is_candidate=bool(self.row.candidate_id))

    @property
    def named(self) -> str:
        """What the source calls itself."""
        return str(self.row.found.get("named", ""))

    @property
    def lines(self) -> list[list[str]]:
        """Where the lines of a source stand whose claims were not found."""
        found: list[list[str]] = self.row.found.get("lines", [])
        return found


def _of(row: ReadClaimSet, severity: Severity) -> list[str]:
    found = row.found.get("findings", [])
    return [item["sentence"] for item in found if item["severity"] == severity]


def listed_sets(row: ClaimImport, number: int) -> list[ListedSet]:
    """Return the claim sets of an import, the one of a number marked as shown."""
    rows = sets_of(row).select_related("edited_by").defer("draft_claims")
    return [ListedSet(one, one.number == number) for one in rows]


def shown_set(row: ClaimImport, number: int) -> ShownSet | None:
    """Return one claim set of an import as it reads; None where there is no such one."""
    one = sets_of(row).select_related("edited_by").filter(number=number).first()
    if one is None:
        return None
    language = one.found.get("about", {}).get("language", "")
    view, notice = read_alone(one.claims, language)
    places = one.found.get("claims", [])
    return ShownSet(one, view, _sourced(view.claims, places), notice)


def _sourced(claims: Iterable[ClaimView], places: Iterable[dict[str, Any]]) -> list[SourcedClaim]:
    """Give claims their places by number, the first of several with one number first."""
    left: dict[int, list[str]] = {}
    for item in places:
        left.setdefault(item["number"], []).append(item["place"])
    found = []
    for view in claims:
        own = left.get(view.number, []) if view.number is not None else []
        found.append(SourcedClaim(view, own.pop(0) if own else ""))
    return found
