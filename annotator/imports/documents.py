"""Documents of attorneys as claim sets to import: read in another process, then made records."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, BinaryIO, Final

from annotator.formats.context import describe_context
from annotator.formats.documents.claim_records import (
    check_ids,
    context_of,
    reference_of,
    references_of,
    refuse_questions,
)
from annotator.formats.documents.confined import read_confined
from annotator.formats.documents.matters import Matter, ReadMatters
from annotator.formats.documents.reading import ARCHIVE, AUTO, DOCUMENTS
from annotator.formats.documents.records import ReadDocument, ReadOptions, TrackedChanges
from annotator.formats.references import CandidateRecord, ReferenceRecord
from annotator.imports.claims.queries import stored_reference
from annotator.models import Campaign
from core.errors import Refused
from core.text_io.streams import BOM

KINDS: Final = (*DOCUMENTS, ARCHIVE)
NO_DRAFT: Final = "A candidate has no draft: choose the text, accepted or original."
_HEAD: Final = 1024
# ZIP, PDF, Office before 2007; XML and web pages begin with "<".
_BEGINNINGS: Final = (b"PK\x03\x04", b"PK\x05\x06", b"%PDF-", b"\xd0\xcf\x11\xe0", b"<")


@dataclass(frozen=True, slots=True)
class Choices:
    """What somebody chose and answered about a file of documents; "" and None are left open.

    `first` and `last` number the paragraphs or lines of the claims, `reference_id` and
    `candidate_id` say which claim set one document is. An archive takes the first two only.
    """

    tracked_changes: str = TrackedChanges.ACCEPTED.value
    language: str = ""
    reference_id: str = ""
    candidate_id: str = ""
    first: int | None = None
    last: int | None = None

    def options(self) -> ReadOptions:
        """Return what a reader has to know."""
        changes = TrackedChanges(self.tracked_changes)
        return ReadOptions(changes, self.language, self.first, self.last)

    def as_values(self) -> dict[str, Any]:
        """Return them as a row stores them."""
        return asdict(self)

    def renamed(self, other: "Choices") -> bool:
        """Return whether other choices differ by ids alone, so that nothing is read anew."""
        one = replace(self, reference_id="", candidate_id="")
        return one == replace(other, reference_id="", candidate_id="")

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> "Choices":
        """Return those that a row has stored."""
        return cls(**values)


@dataclass(frozen=True, slots=True)
class ReadSet:
    """One claim set of a file: whose it is, its document, and its path in an archive."""

    reference_id: str
    candidate_id: str
    document: ReadDocument
    file: str = ""
    system: str = ""


@dataclass(frozen=True, slots=True)
class ReadFile:
    """The claim sets of a file, each reference before its candidates, and what was passed over."""

    kind: str
    sets: tuple[ReadSet, ...]
    passed_over: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DocumentRecords:
    """The records of a file of documents, its kind, and what the person should know of it."""

    kind: str
    records: list[ReferenceRecord]
    report: list[str]
    sets: tuple[ReadSet, ...]


def is_document(file: BinaryIO) -> bool:
    """Return whether a file begins like a document and unlike a file of claim sets.

    Plain text is not told from one that was cut short, and has to be asked for.
    """
    head = file.read(_HEAD).removeprefix(BOM).lstrip()
    file.seek(0)
    return head.startswith(_BEGINNINGS)


def read_sets(file: BinaryIO, kind: str, choices: Choices) -> ReadFile:
    """Return the claim sets of a file as another process reads them, questions included.

    Raises FormatError as the readers do.
    """
    read = read_confined(file, kind, choices.options())
    if isinstance(read, ReadMatters):
        sets = tuple(one for item in read.matters for one in _sets_of(item))
        return ReadFile(ARCHIVE, sets, read.passed_over)
    return ReadFile(read.format, (ReadSet(choices.reference_id, choices.candidate_id, read),))


def _sets_of(item: Matter) -> Iterator[ReadSet]:
    yield ReadSet(item.reference_id, "", item.document, item.file)
    for one in item.candidates:
        yield ReadSet(item.reference_id, one.candidate_id, one.document, one.file, one.system)


def read_records(
    *, file: BinaryIO, kind: str = AUTO, choices: Choices, campaign: Campaign | None
) -> DocumentRecords:
    """Return the claim sets of a document or an archive of them, for who cannot be asked.

    One document is the reference of the choices, or with a candidate's id a candidate of it, which
    has to be in the campaign then. Raises FormatError as the readers do, and for what somebody has
    to answer first; Refused where an id is missing, or the reference is not there.
    """
    reference_id, candidate_id = choices.reference_id, choices.candidate_id
    if kind != ARCHIVE and (reference_id or kind != AUTO):
        if not reference_id:
            raise Refused("Name the reference that this file holds: --reference-id ID.")
        check_ids(reference_id, candidate_id)
    if candidate_id and choices.tracked_changes == TrackedChanges.BOTH:
        raise Refused(NO_DRAFT)
    read = read_confined(file, kind, choices.options())
    if isinstance(read, ReadMatters):
        if reference_id or candidate_id:
            raise Refused("An archive names its references itself; leave --reference-id out.")
        sets = tuple(one for item in read.matters for one in _sets_of(item))
        return DocumentRecords(ARCHIVE, references_of(read), _report(read, sets), sets)
    if not reference_id:
        raise Refused("Name the reference that this file holds: --reference-id ID.")
    refuse_questions([("", read)])
    record = reference_of(reference_id, read)
    if candidate_id:
        record = _as_candidate(campaign, reference_id, candidate_id, read)
    sets = (ReadSet(reference_id, candidate_id, read),)
    return DocumentRecords(read.format, [record], _report_of(sets[0]), sets)


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


def _report(read: ReadMatters, sets: tuple[ReadSet, ...]) -> list[str]:
    lines = [f"Passed over: {name}." for name in read.passed_over[:20]]
    return lines + [f"{one.file}: {line}" for one in sets for line in _report_of(one)]


def _report_of(one: ReadSet) -> list[str]:
    context = context_of(one.document)
    counts = context.counts() if context else {}
    is_candidate = bool(one.candidate_id)
    return one.document.report() + describe_context(counts, is_candidate=is_candidate)
