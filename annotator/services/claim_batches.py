"""Writes of claim sets batch by batch, held against what the campaign has already."""

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from annotator.formats.digests import text_sha256
from annotator.formats.reference_records import CandidateRecord, ReferenceRecord
from annotator.models import Campaign, Candidate, ClaimImport, Reference
from annotator.queries.known_claims import Known, known_candidates, known_references
from annotator.services.neighbouring_ids import NeighbouringIds
from annotator.services.row_writing import RowWriter, as_id

OF_REFERENCE: Final = (
    "id",
    "campaign",
    "reference_id",
    "title",
    "office",
    "ipc",
    "language",
    "family",
    "claims",
    "claims_sha256",
    "draft_claims",
    "may_train",
    "position",
    "imported_from",
)
OF_CANDIDATE: Final = (
    "id",
    "reference",
    "campaign",
    "queue_position",
    "places",
    "candidate_id",
    "system",
    "claims",
    "claims_sha256",
    "imported_from",
)


class ClaimBatches:
    """Stores records and counts them; a text that differs from the stored one ends the storing.

    `changed` names what differs: ("reference" or "candidate", id). The caller undoes then.
    """

    def __init__(
        self, campaign: Campaign, *, may_train: bool = False, source: ClaimImport | None = None
    ) -> None:
        self.campaign = campaign
        self.may_train = may_train
        self.references = self.candidates = 0
        self.known_references = self.known_candidates = 0
        self.changed: list[tuple[str, str]] = []
        self._campaign_id = as_id(campaign.pk)
        self._source_id = as_id(source.pk if source else None)
        self._ids = NeighbouringIds()
        self._position = Reference.objects.filter(campaign=campaign).count()
        self._reference_rows = RowWriter(Reference, OF_REFERENCE)
        self._candidate_rows = RowWriter(Candidate, OF_CANDIDATE)

    def store(self, records: Sequence[ReferenceRecord]) -> None:
        """Write what is new of a batch; nothing once a text differs."""
        known = known_references(self.campaign, (record.reference_id for record in records))
        texts = known_candidates(known.values())
        references: list[tuple[Any, ...]] = []
        candidates: list[tuple[Any, ...]] = []
        self._ids.begin_batch()
        for record in records:
            digest = text_sha256(record.reference_claims)
            reference = known.get(record.reference_id)
            if reference is None:
                self._position += 1
                reference = known[record.reference_id] = Known(
                    self._ids.new(), self._position, digest
                )
                references.append(self._reference(record, reference))
            else:
                self.known_references += 1
                if reference.sha256 != digest:
                    self.changed.append(("reference", record.reference_id))
            candidates += self._new_candidates(record, reference, texts)
        if not self.changed:
            self._reference_rows.write(references)
            self._candidate_rows.write(candidates)
        self.references += len(references)
        self.candidates += len(candidates)

    def _new_candidates(
        self, record: ReferenceRecord, reference: Known, texts: dict[tuple[UUID, str], str]
    ) -> list[tuple[Any, ...]]:
        rows = []
        for candidate in record.candidates:
            digest = text_sha256(candidate.claims)
            key = (reference.pk, candidate.candidate_id)
            if key not in texts:
                texts[key] = digest
                rows.append(self._candidate(candidate, reference, digest))
                continue
            self.known_candidates += 1
            if texts[key] != digest:
                name = f"{record.reference_id}/{candidate.candidate_id}"
                self.changed.append(("candidate", name))
        return rows

    def _candidate(self, record: CandidateRecord, reference: Known, digest: str) -> tuple[Any, ...]:
        return (
            as_id(self._ids.new()),
            as_id(reference.pk),
            self._campaign_id,
            reference.position,
            # Where only some references are shared, `spread_places` says which, afterwards.
            self.campaign.overlap,
            record.candidate_id,
            record.system,
            record.claims,
            digest,
            self._source_id,
        )

    def _reference(self, record: ReferenceRecord, reference: Known) -> tuple[Any, ...]:
        return (
            as_id(reference.pk),
            self._campaign_id,
            record.reference_id,
            record.title,
            record.office,
            record.ipc,
            record.language,
            record.family,
            record.reference_claims,
            reference.sha256,
            record.draft_claims,
            self.may_train if record.may_train is None else record.may_train,
            reference.position,
            self._source_id,
        )
