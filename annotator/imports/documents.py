"""Documents of attorneys as claim sets to import: read in another process, then made records."""

from dataclasses import dataclass
from typing import BinaryIO, Final

from annotator.formats.documents.claim_records import (
    check_ids,
    reference_of,
    references_of,
    refuse_questions,
)
from annotator.formats.documents.confined import read_confined
from annotator.formats.documents.matters import ReadMatters
from annotator.formats.documents.reading import ARCHIVE, AUTO, DOCUMENTS
from annotator.formats.documents.records import ReadDocument, ReadOptions, TrackedChanges
from annotator.formats.references import CandidateRecord, ReferenceRecord
from annotator.imports.claims.queries import stored_reference
from annotator.models import Campaign
from core.errors import Refused
from core.text_io.streams import BOM

KINDS: Final = (*DOCUMENTS, ARCHIVE)
_HEAD: Final = 1024
# ZIP, PDF, Office before 2007; XML and web pages begin with "<".
_BEGINNINGS: Final = (b"PK\x03\x04", b"PK\x05\x06", b"%PDF-", b"\xd0\xcf\x11\xe0", b"<")


@dataclass(frozen=True, slots=True)
class DocumentRecords:
    """The records of a file of documents, its kind, and what the person should know of it."""

    kind: str
    records: list[ReferenceRecord]
    report: list[str]


def is_document(file: BinaryIO) -> bool:
    """Return whether a file begins like a document and unlike a file of claim sets.

    Plain text is not told from one that was cut short, and has to be asked for.
    """
    head = file.read(_HEAD).removeprefix(BOM).lstrip()
    file.seek(0)
    return head.startswith(_BEGINNINGS)


def read_records(
    *,
    file: BinaryIO,
    kind: str = AUTO,
    options: ReadOptions,
    campaign: Campaign | None,
    reference_id: str = "",
    candidate_id: str = "",
) -> DocumentRecords:
    """Return the claim sets of a document or an archive of them.

    One document is the reference `reference_id`, or with `candidate_id` a candidate of it, which
    has to be in the campaign then. Raises FormatError as the readers do, and for what somebody has
    to answer first; Refused where an id is missing, or the reference is not there.
    """
    if kind != ARCHIVE and (reference_id or kind != AUTO):
        if not reference_id:
            raise Refused("Name the reference that this file holds: --reference-id ID.")
        check_ids(reference_id, candidate_id)
    if candidate_id and options.tracked_changes is TrackedChanges.BOTH:
        raise Refused("A candidate has no draft: choose the text, accepted or original.")
    read = read_confined(file, kind, options)
    if isinstance(read, ReadMatters):
        if reference_id or candidate_id:
            raise Refused("An archive names its references itself; leave --reference-id out.")
        return DocumentRecords(ARCHIVE, references_of(read), _report(read))
    if not reference_id:
        raise Refused("Name the reference that this file holds: --reference-id ID.")
    refuse_questions([("", read)])
    record = reference_of(reference_id, read)
    if candidate_id:
        record = _as_candidate(campaign, reference_id, candidate_id, read)
    return DocumentRecords(read.format, [record], read.report())


def _as_candidate(
    campaign: Campaign | None, reference_id: str, candidate_id: str, read: ReadDocument
) -> ReferenceRecord:
    stored = stored_reference(campaign, reference_id) if campaign else ""
    if not stored:
        raise Refused(
            f"The campaign has no reference {reference_id!r}; import its file first, without "
            "--candidate-id."
        )
    candidate = CandidateRecord(candidate_id, read.claims.text)
    return ReferenceRecord(reference_id, stored, (candidate,))


def _report(read: ReadMatters) -> list[str]:
    lines = [f"Passed over: {name}." for name in read.passed_over[:20]]
    for item in read.matters:
        for file, document in (
            (item.file, item.document),
            *((one.file, one.document) for one in item.candidates),
        ):
            lines += [f"{file}: {line}" for line in document.report()]
    return lines
