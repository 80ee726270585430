"""Documents as plain values and back: what a reader's process hands to the one that asked."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from annotator.formats.context import Sheet
from annotator.formats.documents.matters import Matter, ReadCandidate, ReadMatters
from annotator.formats.documents.records import (
    Bibliography,
    ClaimSet,
    Finding,
    LeftOut,
    Passage,
    Place,
    ReadClaim,
    ReadDocument,
    Severity,
)


def to_values(read: ReadDocument | ReadMatters) -> dict[str, Any]:
    """Return what was read as objects, arrays and texts."""
    return asdict(read)


def sheet_values(sheets: Iterable[Sheet]) -> list[dict[str, Any]]:
    """Return drawings as objects."""
    return [asdict(sheet) for sheet in sheets]


def sheets_from(values: Iterable[Mapping[str, Any]]) -> tuple[Sheet, ...]:
    """Return the drawings that these values describe."""
    return tuple(Sheet(**item) for item in values)


def take_pictures(values: Any) -> list[bytes]:
    """Take the bytes of all drawings out of values, which JSON has no place for, and return them.

    Their lengths stay in their places, for `put_pictures`.
    """
    pictures = []
    for sheet in _sheets_in(values):
        pictures.append(sheet["png"])
        sheet["png"] = len(pictures[-1])
    return pictures


def put_pictures(values: Any, data: bytes) -> None:
    """Put the bytes of all drawings, one behind the other, back where they were taken from."""
    start = 0
    for sheet in _sheets_in(values):
        end = start + sheet["png"]
        sheet["png"], start = data[start:end], end


def _sheets_in(values: Any) -> Iterator[dict[str, Any]]:
    yield from values.get("sheets", ())
    if "document" in values:
        yield from _sheets_in(values["document"])
    for item in values.get("matters", {}).get("matters", ()):
        yield from _sheets_in(item)
        for one in item["candidates"]:
            yield from _sheets_in(one)


def document_from(values: Mapping[str, Any]) -> ReadDocument:
    """Return the document that these values describe."""
    return ReadDocument(
        format=values["format"],
        claims=_claims(values["claims"]),
        draft=None if values["draft"] is None else _claims(values["draft"]),
        left_out=tuple(
            LeftOut(**{**item, "places": tuple(Place(**place) for place in item["places"])})
            for item in values["left_out"]
        ),
        findings=tuple(
            Finding(Severity(item["severity"]), item["kind"], item["sentence"], _place(item))
            for item in values["findings"]
        ),
        bibliography=_bibliography(values["bibliography"]),
        context=tuple(
            Passage(**{**item, "place": Place(**item["place"])}) for item in values["context"]
        ),
        sheets=sheets_from(values["sheets"]),
        sha256=values["sha256"],
    )


def matters_from(values: Mapping[str, Any]) -> ReadMatters:
    """Return the references that these values describe."""
    return ReadMatters(
        tuple(
            Matter(
                item["reference_id"],
                document_from(item["document"]),
                item["file"],
                tuple(
                    ReadCandidate(
                        one["candidate_id"],
                        document_from(one["document"]),
                        one["file"],
                        one["system"],
                    )
                    for one in item["candidates"]
                ),
            )
            for item in values["matters"]
        ),
        tuple(values["passed_over"]),
    )


def _bibliography(values: Mapping[str, Any]) -> Bibliography:
    fields: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in values.items()
    }
    return Bibliography(**fields)


def _place(item: Mapping[str, Any]) -> Place | None:
    return None if item["place"] is None else Place(**item["place"])


def _claims(values: Mapping[str, Any]) -> ClaimSet:
    return ClaimSet(
        values["text"],
        tuple(
            ReadClaim(**{**item, "place": Place(**item["place"]), "cites": tuple(item["cites"])})
            for item in values["claims"]
        ),
    )
