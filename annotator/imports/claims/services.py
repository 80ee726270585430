"""Writes of claim sets, held against what the campaign has already: a whole file or nothing."""

import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final
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
from core.database import RowWriter, as_id
from core.errors import Refused
from core.text_io.text import text_sha256

VERSION_7: Final = 7 << 76
VARIANT: Final = 2 << 62
FREE_BITS: Final = ~((0xF << 76) | (3 << 62))


class NeighbouringIds:
    """Makes keys of the time in milliseconds and 74 random bits after it.

    Wholly random keys touch another page of each index with every row, and a file of a million rows
    then writes each page many times. The time is read once a batch: within it the keys stay in
    random order, so that none reveals which of two candidates stood first in its file, where one
    system may always come before another. Layout: RFC 9562, version 7.
    """

    def __init__(self) -> None:
        self.begin_batch()

    def begin_batch(self) -> None:
        """Place the keys that follow after all earlier ones."""
        self._time = (time.time_ns() // 1_000_000) << 80

    def new(self) -> UUID:
        """Return a key that nobody else has."""
        tail = int.from_bytes(os.urandom(10), "big")
        return UUID(int=(self._time | tail) & FREE_BITS | VERSION_7 | VARIANT)


OF_REFERENCE: Final = (
    *("id", "campaign", "reference_id", "title", "office", "ipc", "language", "family"),
    *("claims", "claims_sha256", "draft_claims", "may_train", "position", "imported_from"),
)
OF_CANDIDATE: Final = (
    *("id", "reference", "campaign", "queue_position", "places", "candidate_id", "system"),
    *("claims", "claims_sha256", "imported_from"),
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
        self.references = self.candidates = self.contexts = 0
        self.known = {"known_references": 0, "known_candidates": 0}
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
                self.known["known_references"] += 1
                if reference.sha256 != digest:
                    self.changed.append(("reference", record.reference_id))
            candidates += self._new_candidates(record, reference, texts)
        if not self.changed:
            self._reference_rows.write(references)
            self._candidate_rows.write(candidates)
            self.contexts += store_context(
                (known[record.reference_id].pk, record.context)
                for record in records
                if record.context
            )
        self.references += len(references)
        self.candidates += len(candidates)

    def _new_candidates(
        self, record: ReferenceRecord, reference: Known, texts: dict[tuple[UUID, str], str]
    ) -> list[tuple[Any, ...]]:
        rows = []
        owner = as_id(reference.pk)
        for candidate in record.candidates:
            digest = text_sha256(candidate.claims)
            key = (reference.pk, candidate.candidate_id)
            if key not in texts:
                texts[key] = digest
                # Where only some references are shared, `spread_places` says which, afterwards.
                place = (reference.position, self.campaign.overlap)
                text = (candidate.claims, digest, self._source_id)
                keys = (as_id(self._ids.new()), owner, self._campaign_id)
                rows.append((*keys, *place, candidate.candidate_id, candidate.system, *text))
                continue
            self.known["known_candidates"] += 1
            if texts[key] != digest:
                name = f"{record.reference_id}/{candidate.candidate_id}"
                self.changed.append(("candidate", name))
        return rows

    def _reference(self, record: ReferenceRecord, reference: Known) -> tuple[Any, ...]:
        may_train = self.may_train if record.may_train is None else record.may_train
        return (
            *(as_id(reference.pk), self._campaign_id, record.reference_id, record.title),
            *(record.office, record.ipc, record.language, record.family),
            *(record.reference_claims, reference.sha256, record.draft_claims, may_train),
            *(reference.position, self._source_id),
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
