"""References with their candidates as files state them: one, or in batches."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from annotator.formats.context import Context

# Of the fields of a reference that are one line of text.
LONGEST: Final = {"office": 40, "ipc": 40, "language": 20, "title": 500, "family": 200}


@dataclass(frozen=True, slots=True)
class CandidateRecord:
    """A candidate claim set; `claims` is the text byte for byte, `system` "" where not stated."""

    candidate_id: str
    claims: str
    system: str = ""


@dataclass(frozen=True, slots=True)
class ReferenceRecord:
    """A reference claim set and its candidates.

    Texts that a file leaves out are "", `may_train` and `context` are None where the file leaves
    them out; that of documents comes another way (`annotator/context`). `line` is where the record
    begins in its file, 0 where the file's layout has no such line.
    """

    reference_id: str
    reference_claims: str
    candidates: tuple[CandidateRecord, ...]
    office: str = ""
    ipc: str = ""
    language: str = ""
    title: str = ""
    family: str = ""
    draft_claims: str = ""
    may_train: bool | None = None
    context: Context | None = None
    line: int = field(default=0, compare=False)


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
        characters += record.context.characters if record.context else 0
        if len(batch) >= BATCH or characters >= BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch
