"""The parts of a document that an import stores beside its claims."""

from typing import Final

from patclaimeval.documents.context import Context, Paragraph
from patclaimeval.documents.records import ReadDocument
from patclaimeval.documents.references import LONGEST
from patclaimeval.text_io.shapes import Shape, is_blank
from patclaimeval.text_io.streams import FormatError

_IDS: Final = ("reference_id", "candidate_id")


def check_ids(reference_id: str, candidate_id: str) -> None:
    """Raise FormatError unless these can be ids; that of a candidate may be empty."""
    given = {"reference_id": reference_id, "candidate_id": candidate_id or None}
    shape = Shape(given, _IDS)
    shape.identifier("reference_id")
    shape.identifier("candidate_id", is_required=False)
    for name, why in shape.problems:
        raise FormatError(f"The {name.replace('_', ' ')} cannot be used: {why}.")


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
