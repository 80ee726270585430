"""Writes of context: stored beside what an import has read, handed to a reference, erased.

Who imports writes the audit row of it: context comes and goes with claim sets.
"""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from annotator.context.files import (
    drop_pictures,
    drop_pictures_once_committed,
    drop_unfinished,
    stored_pictures,
    write_picture,
)
from annotator.models import ClaimImport, Drawing, ReadClaimSet, Reference, ReferenceContext
from patclaimeval.documents.context import Context


def store_read_context(read: ReadClaimSet, context: Context) -> None:
    """Store what was read around the claims of a claim set, until its import is over.

    The caller holds a transaction.
    """
    _store(context, read_claim_set=read)


def store_context(contexts: Iterable[tuple[UUID, Context]]) -> int:
    """Store the context of references that have none, and return how many that were.

    The caller holds the lock of the campaign.
    """
    wanted = dict(contexts)
    if not wanted:
        return 0
    have = _having_context(wanted)
    new = {pk: context for pk, context in wanted.items() if pk not in have}
    for pk, context in new.items():
        _store(context, reference_id=pk)
    Reference.objects.filter(pk__in=new).update(has_context=True)
    return len(new)


def settle_context(row: ClaimImport) -> int:
    """Hand what an import has read to its references that have none; drop the rest.

    Its claim sets name whose they are. Return how many references got theirs. The caller holds the
    lock of the campaign.
    """
    read = ReferenceContext.objects.filter(read_claim_set__claim_import=row).order_by(
        "read_claim_set__number"
    )
    columns = ("pk", "read_claim_set__belongs_to", "read_claim_set__candidate_id")
    found = [(pk, to) for pk, to, candidate in read.values_list(*columns) if to and not candidate]
    taken = _having_context(to for _, to in found)
    count = 0
    for pk, to in found:
        if to not in taken:
            taken.add(to)
            own = ReferenceContext.objects.filter(pk=pk)
            own.update(reference=to, read_claim_set=None)
            Reference.objects.filter(pk=to).update(has_context=True)
            count += 1
    drop_read_context(ReadClaimSet.objects.filter(claim_import=row))
    return count


def drop_read_context(read: QuerySet[ReadClaimSet], *, is_erasure: bool = False) -> None:
    """Delete what was read around claim sets and is no reference's.

    The caller holds a transaction.
    """
    rows = ReferenceContext.objects.filter(read_claim_set__in=read.values("pk"))
    _drop(rows, is_erasure=is_erasure)


def erase_context(reference: Reference) -> int:
    """Delete the context of a reference with its drawings; return how many rows that were.

    The caller holds the transaction and the lock of the reference.
    """
    Reference.objects.filter(pk=reference.pk).update(has_context=False)
    return _drop(ReferenceContext.objects.filter(reference=reference), is_erasure=True)


def sweep_pictures(seconds: float) -> int:
    """Delete pictures of no drawing that are older than this; return how many there were."""
    ages = dict(stored_pictures())
    # A row comes after its file, but never as late as this.
    old = {pk for pk, age in ages.items() if age > seconds}
    loose = old - set(Drawing.objects.filter(pk__in=old).values_list("pk", flat=True))
    drop_pictures_once_committed(loose)
    return len(loose) + drop_unfinished(seconds)


def _having_context(keys: Iterable[UUID]) -> set[UUID]:
    rows = Reference.objects.filter(pk__in=list(keys), has_context=True)
    return set(rows.values_list("pk", flat=True))


def _store(context: Context, **owner: Any) -> None:
    row = ReferenceContext.objects.create(
        paragraphs=[[one.part, one.label, one.is_heading, one.text] for one in context.paragraphs],
        **owner,
    )
    drawings = []
    for number, sheet in enumerate(context.sheets, start=1):
        drawing = Drawing(context=row, number=number, name=sheet.name)
        drawing.png_sha256 = write_picture(drawing.pk, sheet.png)
        drawing.png_bytes = len(sheet.png)
        drawing.width, drawing.height = sheet.width, sheet.height
        drawings.append(drawing)
    Drawing.objects.bulk_create(drawings)


def _drop(contexts: QuerySet[ReferenceContext], *, is_erasure: bool = False) -> int:
    own = Drawing.objects.filter(context__in=contexts.values("pk"))
    keys = list(own.values_list("pk", flat=True))
    if is_erasure:
        # Before the rows go: an erasure that cannot reach them has not been carried out.
        drop_pictures(keys)
    else:
        drop_pictures_once_committed(keys)
    return contexts.delete()[0]
