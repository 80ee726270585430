"""Reads of context: all of one reference, one of its drawings."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from annotator.context.files import read_picture
from annotator.models import Drawing, Reference, ReferenceContext
from patclaimeval.documents.context import PARTS, Context, Paragraph, Sheet


@dataclass(frozen=True, slots=True)
class StoredContext:
    """The context of a reference: the abstract before the description, as a reader begins."""

    paragraphs: tuple[Paragraph, ...]
    drawings: tuple[Drawing, ...]

    def as_json(self, address: str) -> dict[str, Any]:
        """Return what a program is told; the drawings are below an address, by their numbers."""
        return {
            "paragraphs": [
                {
                    "part": one.part,
                    "label": one.label,
                    "is_heading": one.is_heading,
                    "text": one.text,
                }
                for one in self.paragraphs
            ],
            "drawings": [
                {
                    "number": one.number,
                    "name": one.name,
                    "width": one.width,
                    "height": one.height,
                    "url": f"{address}{one.number}/",
                }
                for one in self.drawings
            ],
        }


def stored_context(reference: Reference) -> StoredContext | None:
    """Return the context of a reference; None where it has none."""
    if not reference.has_context:
        return None
    row = ReferenceContext.objects.filter(reference=reference).first()
    if row is None:
        return None
    paragraphs = sorted(_paragraphs(row), key=lambda one: -PARTS.index(one.part))
    return StoredContext(tuple(paragraphs), tuple(_drawings(reference)))


def picture_of(reference: Reference, number: int) -> bytes | None:
    """Return a drawing by its number, as PNG; None where there is none.

    Raises PictureGone where its file is missing or changed.
    """
    row = _drawings(reference).filter(number=number).first()
    return read_picture(row.pk, row.png_sha256) if row else None


def exported_context(reference: Reference) -> Context | None:
    """Return the context of a reference with all its drawings, in the order of its source."""
    row = ReferenceContext.objects.filter(reference=reference).first()
    if row is None:
        return None
    sheets = (
        Sheet(one.name, read_picture(one.pk, one.png_sha256), one.width, one.height)
        for one in _drawings(reference)
    )
    return Context(tuple(_paragraphs(row)), tuple(sheets))


def _drawings(reference: Reference) -> QuerySet[Drawing]:
    return Drawing.objects.filter(context__reference=reference).order_by("number")


def _paragraphs(row: ReferenceContext) -> Iterator[Paragraph]:
    for part, label, is_heading, text in row.paragraphs:
        yield Paragraph(part, text, label, is_heading)
