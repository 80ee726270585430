"""Writes of claim sets, held against what the campaign has already: a whole file or nothing."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db import transaction

from annotator import audit_log
from annotator.access.locks import lock_open_campaign
from annotator.assignments.services import spread_places
from annotator.context.services import store_context
from annotator.imports.claims.plans import plan_import
from annotator.models import Campaign, Candidate, ClaimImport, Reference, User
from patclaimeval.documents.references import LONGEST, CandidateRecord, ReferenceRecord
from patclaimeval.text_io.text import text_sha256

CLOSED: Final = "The campaign is closed; nothing can be imported into it."
# Of rows that one statement writes.
ROWS: Final = 500


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
) -> ImportCounts:
    """Store references with their candidates; what is there with the same text stays as it is.

    `may_train` holds where a record does not state it; `source` is the import that new rows come
    from. FormatError when an id is known with another text, or a limit exceeded, and whatever
    `records` raises passes through: nothing is stored then. On SQLite nobody else writes meanwhile,
    so a file should have been read to its end once before.
    """
    # Serialises imports, so that the same file sent twice at once is stored once.
    campaign = lock_open_campaign(campaign.pk, CLOSED)
    listed = list(records)
    plan = plan_import(campaign, listed)
    references = [
        _reference(campaign, record, position, may_train, source)
        for position, record in enumerate(plan.references, start=plan.position + 1)
    ]
    places = {name: (one.pk, one.position) for name, one in plan.stored.items()}
    places |= {row.reference_id: (row.pk, row.position) for row in references}
    candidates = [
        _candidate(campaign, record, places[name], source) for name, record in plan.candidates
    ]
    Reference.objects.bulk_create(references, batch_size=ROWS)
    Candidate.objects.bulk_create(candidates, batch_size=ROWS)
    contexts = store_context(
        (places[record.reference_id][0], record.context) for record in listed if record.context
    )
    if candidates and campaign.shared_percent < 100:
        spread_places(campaign)
    new = {"references": len(references), "candidates": len(candidates)}
    details = new if source is None else new | {"import": str(source.pk)}
    audit_log.record_on(campaign, "claims.imported", imported_by, **details)
    return ImportCounts(**plan.counts(), contexts=contexts)


def _reference(
    campaign: Campaign,
    record: ReferenceRecord,
    position: int,
    may_train: bool,
    source: ClaimImport | None,
) -> Reference:
    return Reference(
        campaign=campaign,
        reference_id=record.reference_id,
        **{name: getattr(record, name) for name in LONGEST},
        claims=record.reference_claims,
        claims_sha256=text_sha256(record.reference_claims),
        draft_claims=record.draft_claims,
        may_train=may_train if record.may_train is None else record.may_train,
        position=position,
        imported_from=source,
    )


def _candidate(
    campaign: Campaign,
    record: CandidateRecord,
    place: tuple[UUID, int],
    source: ClaimImport | None,
) -> Candidate:
    reference, position = place
    return Candidate(
        campaign=campaign,
        reference_id=reference,
        queue_position=position,
        # Where only some references are shared, `spread_places` says which.
        places=campaign.overlap,
        candidate_id=record.candidate_id,
        system=record.system,
        claims=record.claims,
        claims_sha256=text_sha256(record.claims),
        imported_from=source,
    )
