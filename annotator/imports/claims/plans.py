"""What an import brings that a campaign lacks; what is beyond a limit or changed is refused."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from annotator.imports.claims.queries import StoredReference, stored_references
from annotator.models import Campaign, Rating, Reference
from patclaimeval import limits
from patclaimeval.documents.references import CandidateRecord, ReferenceRecord
from patclaimeval.text_io.streams import BadRecord, BadRecordList
from patclaimeval.text_io.strict_json import short
from patclaimeval.text_io.text import text_sha256

OTHER_TEXT: Final = (
    "is in this campaign with other claims; a stored text is never replaced, so give the new text "
    "a new id"
)


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """The references and candidates that are new, and those that are there with the same text.

    `position` is how many references the campaign has; `stored` are those that the records name.
    """

    position: int
    stored: dict[str, StoredReference]
    references: list[ReferenceRecord]
    # Each with the id of its reference.
    candidates: list[tuple[str, CandidateRecord]]
    known_candidates: int

    def counts(self) -> dict[str, int]:
        """Return how many are new, and how many are known."""
        return {
            "references": len(self.references),
            "candidates": len(self.candidates),
            "known_references": len(self.stored),
            "known_candidates": self.known_candidates,
        }


def plan_import(campaign: Campaign | None, records: Sequence[ReferenceRecord]) -> ImportPlan:
    """Return what is new of records; `campaign` is None where it would be created.

    Raises FormatError for what goes beyond a limit, and for ids that are known with another text.
    """
    stored = stored_references(campaign, [record.reference_id for record in records])
    position = Reference.objects.filter(campaign=campaign).count() if campaign else 0
    bad = BadRecordList()
    bad.add(*_beyond_limits(records, stored, position))
    fresh: list[tuple[str, CandidateRecord]] = []
    known = 0
    for record in records:
        there = stored.get(record.reference_id)
        if there and there.sha256 != text_sha256(record.reference_claims):
            bad.add(_changed(record, "reference_id", record.reference_id))
        for candidate in record.candidates:
            digest = there.candidates.get(candidate.candidate_id) if there else None
            known += digest is not None
            if digest is None:
                fresh.append((record.reference_id, candidate))
            elif digest != text_sha256(candidate.claims):
                bad.add(_changed(record, "candidate_id", candidate.candidate_id))
    bad.refuse_if_any()
    new = [record for record in records if record.reference_id not in stored]
    return ImportPlan(position, stored, new, fresh, known)


def _changed(record: ReferenceRecord, field: str, name: str) -> BadRecord:
    return BadRecord(record.line, field, f"{short(name)} {OTHER_TEXT}")


def _beyond_limits(
    records: Sequence[ReferenceRecord], stored: dict[str, StoredReference], references: int
) -> Iterator[BadRecord]:
    """Yield what goes beyond a limit: one of the whole once, at the record that exceeds it."""
    if Rating.objects.count() >= limits.RATINGS:
        why = f"this site has {limits.RATINGS:,} ratings, as many as one site may have"
        yield BadRecord(0, "", f"{why}; import these claim sets at another site")
    sets = 0
    for record in records:
        before, sets = sets, sets + 1 + len(record.candidates)
        if before <= limits.CLAIM_SETS < sets:
            why = f"one import has at most {limits.CLAIM_SETS:,} claim sets; divide the file"
            yield BadRecord(record.line, "", why)
        there = stored.get(record.reference_id)
        references += there is None
        if there is None and references == limits.REFERENCES + 1:
            why = f"a campaign has at most {limits.REFERENCES:,} references; create another one"
            yield BadRecord(record.line, "", why)
        names = {one.candidate_id for one in record.candidates}
        count = len(names.union(there.genuine) if there else names)
        if count > limits.CANDIDATES:
            why = f"{short(record.reference_id)} would have {count:,} candidates; a reference"
            yield BadRecord(record.line, "candidates", f"{why} has at most {limits.CANDIDATES}")
        for field, text in _texts(record):
            if why := limits.claim_set_problem(text):
                yield BadRecord(record.line, field, why)


def _texts(record: ReferenceRecord) -> Iterator[tuple[str, str]]:
    yield "reference_claims", record.reference_claims
    yield "draft_claims", record.draft_claims
    for number, candidate in enumerate(record.candidates, start=1):
        yield f"candidates[{number}].claims", candidate.claims
