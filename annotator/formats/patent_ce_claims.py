"""The claim texts of a published Patent-CE file, as references with candidates to be rated.

Labels stay unread here: scoring/formats owns them (docs/adr/README.md).
"""

from collections.abc import Iterator
from typing import Final

from patclaimeval.documents.references import CandidateRecord, ReferenceRecord
from patclaimeval.text_io.shapes import Shape, checked, describe_type
from patclaimeval.text_io.streams import ByteSource, ReadNotes, Record, read_array
from patclaimeval.text_io.strict_json import MAX_BYTES
from patclaimeval.text_io.text import candidate_id_of, reference_id_of

_FIELDS: Final = ("gold_claim", "A", "B", "human_eval")


def read(
    file: ByteSource, notes: ReadNotes | None = None, *, max_bytes: int = MAX_BYTES
) -> Iterator[ReferenceRecord]:
    """Yield one ReferenceRecord for every different reference text of a published file.

    Input: a file open for bytes that holds a JSON array of {"gold_claim", "A", "B",
    "human_eval"?}; A and B are the two candidates compared. Output: references, and the candidates
    of each, in the order in which they first stand in the file; equal texts are one candidate;
    ids come from the texts' SHA-256. Raises FormatError with up to 100 bad items, or for 0 records.
    """
    notes = notes if notes is not None else ReadNotes()
    # A reference may return at the file's end.
    groups: dict[str, dict[str, None]] = {}
    for reference, *candidates in checked(
        read_array(file, notes, max_bytes=max_bytes), _texts, notes
    ):
        groups.setdefault(reference, {}).update(dict.fromkeys(candidates))
    for reference, texts in groups.items():
        yield ReferenceRecord(
            reference_id=reference_id_of(reference),
            reference_claims=reference,
            candidates=tuple(CandidateRecord(candidate_id_of(text), text) for text in texts),
        )


def _texts(record: Record) -> tuple[tuple[str, ...] | None, list[tuple[str, str]]]:
    shape = Shape(record.value, _FIELDS)
    texts = tuple(shape.claims(name) for name in _FIELDS[:3])
    labels = shape.given("human_eval", is_required=False)
    if labels is not None and not isinstance(labels, dict):
        shape.wrong("human_eval", f"an object was expected, not {describe_type(labels)}")
    return (None if shape.problems else texts), shape.problems
