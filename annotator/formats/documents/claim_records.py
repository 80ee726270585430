"""Documents that were read, as the records that an import stores; open questions are refused."""

from collections.abc import Iterable
from typing import Any, Final

from annotator.formats.context import Context, Paragraph
from annotator.formats.documents.matters import Matter, ReadMatters
from annotator.formats.documents.records import ReadDocument
from annotator.formats.references import LONGEST, CandidateRecord, ReferenceRecord
from core.text_io.shapes import Shape, is_blank
from core.text_io.streams import BadRecord, BadRecordList, FormatError

_IDS: Final = ("reference_id", "candidate_id")


def check_ids(reference_id: str, candidate_id: str) -> None:
    """Raise FormatError unless these can be ids; that of a candidate may be empty."""
    given = {"reference_id": reference_id, "candidate_id": candidate_id or None}
    shape = Shape(given, _IDS)
    shape.identifier("reference_id")
    shape.identifier("candidate_id", is_required=False)
    for name, why in shape.problems:
        raise FormatError(f"The {name.replace('_', ' ')} cannot be used: {why}.")


def reference_of(
    reference_id: str, document: ReadDocument, candidates: Iterable[CandidateRecord] = ()
) -> ReferenceRecord:
    """Return a document as a reference with its candidates; fields too long for one are cut."""
    fields: dict[str, Any] = stated_of(document)
    return ReferenceRecord(
        reference_id,
        document.claims.text,
        tuple(candidates),
        **fields,
        draft_claims=document.draft.text if document.draft else "",
    )


def context_of(document: ReadDocument) -> Context | None:
    """Return what a document has around its claims; None for nothing, or where none were found."""
    if is_blank(document.claims.text) or not (document.context or document.sheets):
        return None
    paragraphs = (
        Paragraph(one.part, one.text, one.label, one.is_heading) for one in document.context
    )
    return Context(tuple(paragraphs), document.sheets)


def stated_of(document: ReadDocument) -> dict[str, str]:
    """Return what a document states of itself as the fields of a reference, cut to their length."""
    about = document.bibliography
    fields = {
        "office": about.office,
        "ipc": next(iter((*about.ipc, *about.cpc)), ""),
        "language": about.language,
        "title": about.title,
        "family": about.family,
    }
    return {name: text[: LONGEST[name]] for name, text in fields.items()}


def references_of(read: ReadMatters) -> list[ReferenceRecord]:
    """Return the references of an archive; raise FormatError where one of its files is in doubt."""
    refuse_questions(_documents(read.matters))
    return [
        reference_of(
            item.reference_id,
            item.document,
            (
                CandidateRecord(one.candidate_id, one.document.claims.text, one.system)
                for one in item.candidates
            ),
        )
        for item in read.matters
    ]


def _documents(matters: Iterable[Matter]) -> Iterable[tuple[str, ReadDocument]]:
    for item in matters:
        yield item.file, item.document
        for one in item.candidates:
            yield one.file, one.document


def refuse_questions(documents: Iterable[tuple[str, ReadDocument]]) -> None:
    """Raise FormatError for documents with an open question or without claims, by file."""
    bad = BadRecordList()
    for file, document in documents:
        for question in document.questions:
            bad.add(BadRecord(0, "", str(question).removesuffix("."), file=file))
        if not document.questions and is_blank(document.claims.text):
            bad.add(BadRecord(0, "", "no claims were found", file=file))
    bad.refuse_if_any()
