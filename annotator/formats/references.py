"""References with their candidates as files state them: one, in batches, or gathered on disk."""

import tempfile
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from annotator.claims.compact_keys import CompactKeys
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


_LENGTH_BYTES: Final = 8


class TextShelf:
    """Texts in a file without a name: nobody else can open it, and it ends with this process."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the shelf
        self._end = 0
        self._is_at_end = True

    def put(self, text: str) -> int:
        """Lay a text aside; return where it lies."""
        place, data = self._end, text.encode()
        if not self._is_at_end:
            # Each seek writes out what is buffered.
            self._file.seek(place)
            self._is_at_end = True
        self._file.write(len(data).to_bytes(_LENGTH_BYTES, "little") + data)
        self._end += _LENGTH_BYTES + len(data)
        return place

    def get(self, place: int) -> str:
        """Return a text as it was laid aside."""
        self._is_at_end = False
        self._file.seek(place)
        size = int.from_bytes(self._file.read(_LENGTH_BYTES), "little")
        return self._file.read(size).decode()

    def close(self) -> None:
        """Drop all texts, and give the disk space back."""
        self._file.close()


class TextGroups:
    """References and the different texts of each, on a shelf.

    SQLite's own temporary tables would lie in memory: the library in use is built so. In memory
    are some 60 bytes a text. Two texts of one reference are taken for one where their salted
    64-bit hashes are equal, as CompactKeys explains.
    """

    def __init__(self) -> None:
        self._shelf = TextShelf()
        self.close = self._shelf.close
        self._references = CompactKeys()
        self._texts = CompactKeys()
        # Where each reference lies, where each text, and to which reference a text belongs.
        self._places = array("Q")
        self._text_places = array("Q")
        self._groups = array("I")

    def enter(self, reference: str, texts: Iterable[str]) -> None:
        """Store a reference, and those of its texts that are new."""
        group = self._references.enter(reference)
        if group == len(self._places):
            self._places.append(self._shelf.put(reference))
        for text in texts:
            if self._texts.enter((group, text)) == len(self._groups):
                self._text_places.append(self._shelf.put(text))
                self._groups.append(group)

    def __iter__(self) -> Iterator[tuple[str, list[str]]]:
        """Yield each reference with its texts."""
        order = np.argsort(np.array(self._groups), kind="stable")
        ends = np.cumsum(np.bincount(self._groups, minlength=len(self._places)))
        start = 0
        for place, end in zip(self._places, ends, strict=True):
            texts = map(self._text_places.__getitem__, order[start:end].tolist())
            yield self._shelf.get(place), list(map(self._shelf.get, texts))
            start = end
