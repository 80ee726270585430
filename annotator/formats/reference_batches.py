"""Streams of references cut into batches that fit into memory."""

from collections.abc import Iterable, Iterator
from typing import Final

from annotator.formats.reference_records import ReferenceRecord

BATCH: Final = 500
# A batch ends here, too: five hundred records of the longest kind would be gigabytes.
BATCH_CHARACTERS: Final = 8 * 1024 * 1024


def in_batches(records: Iterable[ReferenceRecord]) -> Iterator[list[ReferenceRecord]]:
    """Cut a stream into lists of at most BATCH records and about BATCH_CHARACTERS of text.

    Input: records, taken as the output is taken. Output: the same records in order; no list is
    empty.
    """
    batch: list[ReferenceRecord] = []
    characters = 0
    for record in records:
        batch.append(record)
        characters += len(record.reference_claims) + len(record.draft_claims)
        characters += sum(len(candidate.claims) for candidate in record.candidates)
        if len(batch) >= BATCH or characters >= BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch
