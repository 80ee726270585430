"""Writes of claim sets: a whole file into a campaign, or nothing."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import transaction

from annotator.formats.digests import text_sha256
from annotator.formats.reference_records import ReferenceRecord
from annotator.models import AuditEvent, Campaign, Candidate, Reference, User
from annotator.refusals import OutOfDate, Refused
from annotator.services.places import spread_places


@dataclass(frozen=True, slots=True)
class ImportCounts:
    """What an import did: new rows, and rows that were there already with the same text."""

    references: int
    candidates: int
    known_references: int
    known_candidates: int


@transaction.atomic
def import_claims(
    *,
    campaign: Campaign,
    records: Sequence[ReferenceRecord],
    may_train: bool = False,
    imported_by: User | None = None,
) -> ImportCounts:
    """Store references with their candidates; what is there with the same text stays as it is.

    `may_train` holds where a record does not say. Refused when an id is known with another text:
    nothing is stored then.
    """
    # Serialises imports, so that the same file sent twice at once is stored once.
    campaign = Campaign.objects.select_for_update().get(pk=campaign.pk)
    if not campaign.is_open:
        raise OutOfDate("The campaign is closed; nothing can be imported into it.")
    known = {row.reference_id: row for row in Reference.objects.filter(campaign=campaign)}
    changed = [r.reference_id for r in records if _differs(known.get(r.reference_id), r)]
    if changed:
        raise Refused(_other_text("reference", changed))
    position = len(known)
    new_references = []
    for record in records:
        if record.reference_id not in known:
            position += 1
            row = _reference(campaign, record, may_train, position)
            known[record.reference_id] = row
            new_references.append(row)
    Reference.objects.bulk_create(new_references, batch_size=500)
    new_candidates = _new_candidates(records, known)
    Candidate.objects.bulk_create(new_candidates, batch_size=500)
    spread_places(campaign)
    total = sum(len(record.candidates) for record in records)
    counts = ImportCounts(
        references=len(new_references),
        candidates=len(new_candidates),
        known_references=len(records) - len(new_references),
        known_candidates=total - len(new_candidates),
    )
    AuditEvent.objects.create(
        actor=imported_by,
        campaign=campaign,
        action="claims.imported",
        object_type="campaign",
        object_id=str(campaign.pk),
        details={"references": counts.references, "candidates": counts.candidates},
    )
    return counts


def _new_candidates(
    records: Iterable[ReferenceRecord], references: dict[str, Reference]
) -> list[Candidate]:
    known = {
        (row.reference_id, row.candidate_id): row.claims_sha256
        for row in Candidate.objects.filter(reference__in=references.values()).only(
            "reference_id", "candidate_id", "claims_sha256"
        )
    }
    fresh, changed = [], []
    for record in records:
        reference = references[record.reference_id]
        for candidate in record.candidates:
            digest = text_sha256(candidate.claims)
            stored = known.get((reference.pk, candidate.candidate_id))
            if stored is None:
                fresh.append(
                    Candidate(
                        reference=reference,
                        campaign_id=reference.campaign_id,
                        queue_position=reference.position,
                        candidate_id=candidate.candidate_id,
                        system=candidate.system,
                        claims=candidate.claims,
                        claims_sha256=digest,
                    )
                )
            elif stored != digest:
                changed.append(f"{record.reference_id}/{candidate.candidate_id}")
    if changed:
        raise Refused(_other_text("candidate", changed))
    return fresh


def _differs(row: Reference | None, record: ReferenceRecord) -> bool:
    return row is not None and row.claims != record.reference_claims


def _other_text(noun: str, ids: Sequence[str]) -> str:
    listed = ", ".join(ids[:10])
    return (
        f"{len(ids)} {noun} ids are in this campaign with other claims: {listed}. "
        "A stored text is never replaced; give the new text a new id."
    )


def _reference(
    campaign: Campaign, record: ReferenceRecord, may_train: bool, position: int
) -> Reference:
    return Reference(
        campaign=campaign,
        reference_id=record.reference_id,
        title=record.title,
        office=record.office,
        ipc=record.ipc,
        language=record.language,
        family=record.family,
        claims=record.reference_claims,
        claims_sha256=text_sha256(record.reference_claims),
        draft_claims=record.draft_claims,
        may_train=may_train if record.may_train is None else record.may_train,
        position=position,
    )
