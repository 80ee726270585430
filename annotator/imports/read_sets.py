"""Claim sets that were read of documents, as rows: written, asked about, corrected, settled."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, Final

from django.db.models import QuerySet

from annotator.context.services import drop_read_context, settle_context, store_read_context
from annotator.imports.claims.queries import stored_reference
from annotator.imports.documents import NO_DRAFT, Choices, ReadSet, read_sets
from annotator.models import Campaign, ClaimImport, ReadClaimSet, Reference
from core.errors import Refused
from patclaimeval.documents.claim_records import check_ids, context_of, stated_of
from patclaimeval.documents.context import describe_context
from patclaimeval.documents.matters import MOST_LINES
from patclaimeval.documents.reading import ARCHIVE, AUTO
from patclaimeval.documents.records import (
    Passage,
    ReadDocument,
    Severity,
    TrackedChanges,
)
from patclaimeval.documents.references import CandidateRecord, ReferenceRecord
from patclaimeval.documents.sections import SourceLine, claims_heading, numbered
from patclaimeval.text_io.shapes import is_blank
from patclaimeval.text_io.streams import BadRecord, BadRecordList
from patclaimeval.text_io.strict_json import short
from patclaimeval.text_io.text import text_sha256

UNNAMED: Final = "Name the reference that this file holds: --reference-id ID."
_BATCH: Final = 100
# Lines of a source whose claims were not found are listed by so much of their beginning.
_LINE_CHARACTERS: Final = 90
_LONGEST_NAME: Final = 500


def sets_of(row: ClaimImport) -> QuerySet[ReadClaimSet]:
    """Return the claim sets that an import has read, in their order."""
    return ReadClaimSet.objects.filter(claim_import=row).order_by("number")


def documents_of(reference: Reference) -> QuerySet[ReadClaimSet]:
    """Return what a reference and its candidates were read from; nothing once it is erased."""
    rows = ReadClaimSet.objects.filter(belongs_to=reference).exclude(file_sha256="")
    return rows.select_related("claim_import", "edited_by").order_by("candidate_id", "pk")


def write_sets(row: ClaimImport, sets: Iterable[ReadSet]) -> None:
    """Store what was read in the place of what an earlier reading has left.

    The caller holds a transaction.
    """
    drop_sets(row)
    read = list(sets)
    rows = [_row(row, number, one) for number, one in enumerate(read, start=1)]
    ReadClaimSet.objects.bulk_create(rows, batch_size=_BATCH)
    for stored, one in zip(rows, read, strict=True):
        if context := context_of(one.document):
            store_read_context(stored, context)


def _row(row: ClaimImport, number: int, one: ReadSet) -> ReadClaimSet:
    document = one.document
    return ReadClaimSet(
        claim_import=row,
        number=number,
        reference_id=one.reference_id,
        candidate_id=one.candidate_id,
        system=one.system[:200],
        file_name=one.file[:_LONGEST_NAME],
        file_sha256=document.sha256,
        format=document.format,
        claims=document.claims.text,
        draft_claims=document.draft.text if document.draft else "",
        read_sha256=text_sha256(document.claims.text),
        found=_found(document),
    )


def _found(document: ReadDocument) -> dict[str, Any]:
    about = document.bibliography
    return {
        "findings": [
            {"severity": str(item.severity), "kind": item.kind, "sentence": str(item)}
            for item in document.findings
        ],
        "left_out": [str(item) for item in document.left_out],
        "context": context.counts() if (context := context_of(document)) else {},
        "about": stated_of(document),
        "named": " ".join(filter(None, (about.office, about.number, about.kind))),
        "claims": [
            {"number": claim.number, "place": str(claim.place), "status": claim.status}
            for claim in document.claims.claims
        ],
        "lines": _lines(document) if is_blank(document.claims.text) else [],
    }


def _lines(document: ReadDocument) -> list[list[str]]:
    """Return where lines stand in a source whose claims were not found, and how they begin."""
    shown = document.context
    if len(shown) > MOST_LINES:
        shown = tuple(filter(_may_begin, shown))
    return [[str(line.place), _beginning(line)] for line in shown[:MOST_LINES]]


def _beginning(line: Passage) -> str:
    text = f"{line.label} {line.text}" if line.label else line.text
    return text if len(text) <= _LINE_CHARACTERS else text[:_LINE_CHARACTERS] + "…"


def _may_begin(line: Passage) -> bool:
    is_number = numbered(SourceLine(line.text, line.place)) is not None
    return line.is_heading or is_number or bool(claims_heading(line.text))


def asks(one: ReadClaimSet) -> list[str]:
    """Return what has to be answered about a claim set; who corrects it by hand answers all."""
    if one.edited_at is not None:
        return []
    found = [
        item["sentence"]
        for item in one.found.get("findings", [])
        if item["severity"] == Severity.QUESTION
    ]
    return found if found or not is_blank(one.claims) else ["No claims were found."]


def questions_of(
    campaign: Campaign | None, kind: str, choices: Choices, sets: Sequence[ReadClaimSet]
) -> list[dict[str, Any]]:
    """Return what somebody has to answer before anything is stored.

    Each names its claim set by number; 0 is the file as a whole.
    """
    found = [{"number": 0, "question": one} for one in _about_the_file(campaign, kind, choices)]
    for one in sets:
        found += [{"number": one.number, "question": question} for question in asks(one)]
    return found


def _about_the_file(campaign: Campaign | None, kind: str, choices: Choices) -> list[str]:
    if kind == ARCHIVE:
        return []
    if not choices.reference_id:
        return ["Which reference is this, or of which is it a candidate? Give the reference's id."]
    if not choices.candidate_id:
        return []
    found = []
    if choices.tracked_changes == TrackedChanges.BOTH:
        found.append(NO_DRAFT)
    if not stored_reference(campaign, choices.reference_id):
        found.append(
            f"The campaign has no reference {short(choices.reference_id)}, of which this would be "
            "a candidate. Import the reference first, or correct the id."
        )
    return found


def records_of(campaign: Campaign | None, sets: Sequence[ReadClaimSet]) -> list[ReferenceRecord]:
    """Return the claim sets as the records that an import stores.

    A candidate that came alone belongs to a reference of the campaign.
    """
    references = [one for one in sets if not one.candidate_id]
    candidates: dict[str, list[CandidateRecord]] = {}
    for one in sets:
        if one.candidate_id:
            record = CandidateRecord(one.candidate_id, one.claims, one.system)
            candidates.setdefault(one.reference_id, []).append(record)
    found = [
        ReferenceRecord(
            one.reference_id,
            one.claims,
            tuple(candidates.pop(one.reference_id, ())),
            draft_claims=one.draft_claims,
            **one.found.get("about", {}),
        )
        for one in references
    ]
    return found + [
        ReferenceRecord(name, stored_reference(campaign, name), tuple(records))
        for name, records in candidates.items()
    ]


@dataclass(frozen=True, slots=True)
class DocumentRecords:
    """The records of a file of documents, its kind, and what the person should know of it."""

    kind: str
    records: list[ReferenceRecord]
    report: list[str]
    sets: tuple[ReadSet, ...]


def read_records(
    *, file: BinaryIO, kind: str, choices: Choices, campaign: Campaign | None
) -> DocumentRecords:
    """Return the claim sets of a document or an archive of them, for commands that cannot ask.

    Raises FormatError as the readers do, and for what somebody has to answer first; Refused where
    the id of a reference is missing, or where an archive is given one.
    """
    given = choices.reference_id
    if kind != ARCHIVE and (given or kind != AUTO):
        if not given:
            raise Refused(UNNAMED)
        check_ids(given, choices.candidate_id)
    read = read_sets(file, kind, choices)
    if read.kind == ARCHIVE and (given or choices.candidate_id):
        raise Refused("An archive names its references itself; leave --reference-id out.")
    if read.kind != ARCHIVE and not given:
        raise Refused(UNNAMED)
    rows = [_row(ClaimImport(), number, one) for number, one in enumerate(read.sets, start=1)]
    bad = BadRecordList()
    for item in questions_of(campaign, read.kind, choices, rows):
        name = rows[item["number"] - 1].file_name if item["number"] else ""
        bad.add(BadRecord(0, "", item["question"].removesuffix("."), file=name))
    bad.refuse_if_any()
    report = [f"Passed over: {name}." for name in read.passed_over[:20]]
    report += [line for one in read.sets for line in _report_of(one)]
    return DocumentRecords(read.kind, records_of(campaign, rows), report, read.sets)


def _report_of(one: ReadSet) -> list[str]:
    context = context_of(one.document)
    counts = context.counts() if context else {}
    lines = one.document.report()
    lines += describe_context(counts, is_candidate=bool(one.candidate_id))
    return [f"{one.file}: {line}" if one.file else line for line in lines]


def settle_sets(row: ClaimImport) -> int:
    """Empty the texts of what was stored, and leave whose claims they are and their digests.

    References get the context that was read with them; return how many. The caller holds the
    transaction that stores them.
    """
    for one in sets_of(row).defer("found", "draft_claims").iterator(chunk_size=_BATCH):
        there = Reference.objects.filter(campaign=row.campaign_id, reference_id=one.reference_id)
        ReadClaimSet.objects.filter(pk=one.pk).update(
            belongs_to=there.values_list("pk", flat=True).first(),
            stored_sha256=text_sha256(one.claims),
            claims="",
            draft_claims="",
            found={},
        )
    return settle_context(row)


def write_stored_sets(row: ClaimImport, sets: Sequence[ReadSet]) -> int:
    """Note what was stored of a file that was read and stored at once, as `settle_sets` does."""
    write_sets(row, sets)
    return settle_sets(row)


def drop_sets(row: ClaimImport) -> None:
    """Delete the claim sets of an import that was not stored."""
    drop_read_context(sets_of(row))
    sets_of(row).delete()
