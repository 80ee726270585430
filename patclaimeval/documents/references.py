"""References with their candidates as files state them."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, TypeVar

from patclaimeval.documents.context import Context

T = TypeVar("T")
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


def reported(records: Iterable[T], progress: Callable[[int], None] | None) -> Iterator[T]:
    """Yield records, and tell `progress` before each how many there are; it may raise to stop."""
    for number, record in enumerate(records, start=1):
        if progress is not None:
            progress(number)
        yield record
