"""Writes of claim sets, held against what the campaign has already: a whole file or nothing."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db import transaction

from annotator import audit_log
from annotator.access.locks import lock_open_campaign
from annotator.assignments.services import spread_places
from annotator.context.services import store_context
from annotator.formats.references import ReferenceRecord, in_batches
from annotator.imports.bounds import Bounds
from annotator.imports.claims.queries import Known, known_candidates, known_references
from annotator.models import Campaign, Candidate, ClaimImport, Reference, User
from core.errors import Refused
from core.text_io.text import text_sha256


class ClaimBatches:
    """Stores records and counts them; a text that differs from the stored one ends the storing.

    `changed` names what differs: ("reference" or "candidate", id). The caller undoes then.
    """

    def __init__(
        self, campaign: Campaign, *, may_train: bool = False, source: ClaimImport | None = None
    ) -> None:
        self.campaign = campaign
        self.may_train = may_train
        self.source = source
        self.references = self.candidates = self.contexts = 0
        self.known = {"known_references": 0, "known_candidates": 0}
        self.changed: list[tuple[str, str]] = []
        self._known = known_references(campaign)
        self._position = len(self._known)
        self._unread = {known.pk for known in self._known.values()}
        self._texts: dict[tuple[UUID, str], str] = {}

    def store(self, records: Sequence[ReferenceRecord]) -> None:
        """Write what is new of a batch; nothing once a text differs."""
        stored = {
            known.pk
            for record in records
            if (known := self._known.get(record.reference_id)) and known.pk in self._unread
        }
        self._texts |= known_candidates(stored)
        self._unread -= stored
        references, candidates = [], []
        for record in records:
            digest = text_sha256(record.reference_claims)
            known = self._known.get(record.reference_id)
            if known is None:
                row = self._reference(record, digest)
                references.append(row)
                known = self._known[record.reference_id] = Known(row.pk, row.position, digest)
            else:
                self.known["known_references"] += 1
                if known.sha256 != digest:
                    self.changed.append(("reference", record.reference_id))
            candidates += self._new_candidates(record, known)
        if not self.changed:
            Reference.objects.bulk_create(references)
            Candidate.objects.bulk_create(candidates)
            self.contexts += store_context(
                (self._known[record.reference_id].pk, record.context)
                for record in records
                if record.context
            )
        self.references += len(references)
        self.candidates += len(candidates)

    def _new_candidates(self, record: ReferenceRecord, reference: Known) -> list[Candidate]:
        rows = []
        for candidate in record.candidates:
            digest = text_sha256(candidate.claims)
            key = (reference.pk, candidate.candidate_id)
            if key not in self._texts:
                self._texts[key] = digest
                rows.append(
                    Candidate(
                        campaign=self.campaign,
                        reference_id=reference.pk,
                        queue_position=reference.position,
                        # Where only some references are shared, `spread_places` says which.
                        places=self.campaign.overlap,
                        candidate_id=candidate.candidate_id,
                        system=candidate.system,
                        claims=candidate.claims,
                        claims_sha256=digest,
                        imported_from=self.source,
                    )
                )
                continue
            self.known["known_candidates"] += 1
            if self._texts[key] != digest:
                name = f"{record.reference_id}/{candidate.candidate_id}"
                self.changed.append(("candidate", name))
        return rows

    def _reference(self, record: ReferenceRecord, digest: str) -> Reference:
        self._position += 1
        return Reference(
            campaign=self.campaign,
            reference_id=record.reference_id,
            title=record.title,
            office=record.office,
            ipc=record.ipc,
            language=record.language,
            family=record.family,
            claims=record.reference_claims,
            claims_sha256=digest,
            draft_claims=record.draft_claims,
            may_train=self.may_train if record.may_train is None else record.may_train,
            position=self._position,
            imported_from=self.source,
        )


CLOSED: Final = "The campaign is closed; nothing can be imported into it."
MOST_CHANGED: Final = 100


@dataclass(frozen=True, slots=True)
class ImportCounts:
    """What an import did: new rows, and rows that were there already with the same text.

    `contexts` are the references that have context since, where the records bring it.
    """

    references: int
    candidates: int
    known_references: int
    known_candidates: int
    contexts: int = 0


@transaction.atomic
def import_claims(
    *,
    campaign: Campaign,
    records: Iterable[ReferenceRecord],
    may_train: bool = False,
    imported_by: User | None = None,
    source: ClaimImport | None = None,
    progress: Callable[[int], None] | None = None,
) -> ImportCounts:
    """Store references with their candidates; what is there with the same text stays as it is.

    The records may be a stream: a batch of them is held at a time. `may_train` holds where a record
    does not state it; `source` is the import that new rows come from; `progress` is given after
    each batch how many records are done, and may raise to stop. Refused when an id is known with
    another text, and whatever `records` raises passes through: nothing is stored then. On SQLite
    nobody else writes meanwhile, so a file should have been read to its end once before.
    """
    # Serialises imports, so that the same file sent twice at once is stored once.
    campaign = lock_open_campaign(campaign.pk, CLOSED)
    batches = ClaimBatches(campaign, may_train=may_train, source=source)
    _store_all(batches, records, progress)
    if batches.changed:
        noun = batches.changed[0][0]
        ids = [name for kind, name in batches.changed if kind == noun]
        number = "100 or more" if len(batches.changed) >= MOST_CHANGED else str(len(ids))
        raise Refused(
            f"{number} {noun} ids are in this campaign with other claims: {', '.join(ids[:10])}. "
            "A stored text is never replaced; give the new text a new id."
        )
    if batches.candidates and campaign.shared_percent < 100:
        spread_places(campaign)
    new = {"references": batches.references, "candidates": batches.candidates}
    details = new if source is None else new | {"import": str(source.pk)}
    audit_log.record_on(campaign, "claims.imported", imported_by, **details)
    return ImportCounts(**new, **batches.known, contexts=batches.contexts)


def _store_all(
    batches: ClaimBatches,
    records: Iterable[ReferenceRecord],
    progress: Callable[[int], None] | None,
) -> None:
    done = 0
    bounds = Bounds(batches.campaign)
    for batch in in_batches(records):
        if beyond := next(bounds.exceeded(batch), None):
            raise Refused(f"Nothing was imported. {beyond}.")
        batches.store(batch)
        done += len(batch)
        if progress is not None:
            progress(done)
        if len(batches.changed) >= MOST_CHANGED:
            break
