"""Documents as plain values and back: what a reader's process hands to the one that asked."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

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
