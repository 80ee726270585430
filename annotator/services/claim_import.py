"""Writes of claim sets: a whole file into a campaign, or nothing."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from django.db import transaction

from annotator.formats.reference_batches import in_batches
from annotator.formats.reference_records import ReferenceRecord
from annotator.models import Campaign, ClaimImport, User
from annotator.refusals import OutOfDate, Refused
from annotator.services import audit
from annotator.services.claim_batches import ClaimBatches
from annotator.services.places import spread_places
from annotator.sqlite.cache import growing_cache

MOST_CHANGED: Final = 100
LARGE_IMPORT: Final = 20_000
"""Records from which on the indexes no longer fit SQLite's usual cache."""


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
    records: Iterable[ReferenceRecord],
    may_train: bool = False,
    imported_by: User | None = None,
    source: ClaimImport | None = None,
    progress: Callable[[int], None] | None = None,
) -> ImportCounts:
    """Store references with their candidates; what is there with the same text stays as it is.

    The records may be a stream: a batch of them is held at a time. `may_train` holds where a record
    does not say; `source` is the import that new rows come from; `progress` is told after each
    batch how many records are done, and may raise to stop. Refused when an id is known with another
    text, and whatever `records` raises passes through: nothing is stored then. On SQLite nobody
    else writes meanwhile, so a file should have been read to its end once before.
    """
    # Serialises imports, so that the same file sent twice at once is stored once. Not its key:
    # people who rate meanwhile write rows that name the campaign.
    campaign = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    if not campaign.is_open:
        raise OutOfDate("The campaign is closed; nothing can be imported into it.")
    batches = ClaimBatches(campaign, may_train=may_train, source=source)
    _store_all(batches, records, progress)
    if batches.changed:
        raise Refused(_other_texts(batches.changed))
    if batches.candidates and campaign.shared_percent < 100:
        spread_places(campaign)
    counts = ImportCounts(
        references=batches.references,
        candidates=batches.candidates,
        known_references=batches.known_references,
        known_candidates=batches.known_candidates,
    )
    _record(campaign, counts, imported_by, source)
    return counts


def _store_all(
    batches: ClaimBatches,
    records: Iterable[ReferenceRecord],
    progress: Callable[[int], None] | None,
) -> None:
    done = 0
    with growing_cache() as grow:
        for batch in in_batches(records):
            batches.store(batch)
            done += len(batch)
            if done >= LARGE_IMPORT:
                grow()
            if progress is not None:
                progress(done)
            if len(batches.changed) >= MOST_CHANGED:
                break


def _other_texts(changed: list[tuple[str, str]]) -> str:
    noun = changed[0][0]
    ids = [name for kind, name in changed if kind == noun]
    number = "100 or more" if len(changed) >= MOST_CHANGED else str(len(ids))
    return (
        f"{number} {noun} ids are in this campaign with other claims: {', '.join(ids[:10])}. "
        "A stored text is never replaced; give the new text a new id."
    )


def _record(
    campaign: Campaign, counts: ImportCounts, actor: User | None, source: ClaimImport | None
) -> None:
    details = {"references": counts.references, "candidates": counts.candidates}
    audit.record(
        actor=actor,
        campaign=campaign,
        action="claims.imported",
        object_type="campaign",
        object_id=campaign.pk,
        details=details if source is None else details | {"import": str(source.pk)},
    )
