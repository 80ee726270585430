"""What every reader says of a file: the bad records, the refusal that carries them, the notes."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, Protocol

MAX_LISTED: Final = 100


class ByteSource(Protocol):
    """A file open for bytes: an ordinary file, `io.BytesIO`, or the file of an upload."""

    def read(self, size: int = -1, /) -> bytes: ...

    def readline(self, size: int = -1, /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class BadRecord:
    """One thing that is wrong: where it stands, in which field, and why it is refused.

    `line` counts from 1; in a JSON array `item` (from 1) is the place and `line` the line on which
    that item begins. `field` is empty when the record as a whole cannot be read.
    """

    line: int
    field: str
    reason: str
    item: int | None = None
    file: str = ""

    def __str__(self) -> str:
        place = f"line {self.line}" if self.item is None else f"item {self.item}"
        where = [part for part in (self.file, place) if part]
        if self.field:
            where.append(f"field {self.field}")
        return f"{', '.join(where)}: {self.reason}"


class FormatError(Exception):
    """A file is refused as a whole: one sentence, and up to 100 bad records in file order."""

    def __init__(self, sentence: str, bad_records: Iterable[BadRecord] = ()) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.bad_records: tuple[BadRecord, ...] = tuple(bad_records)[:MAX_LISTED]


@dataclass(slots=True)
class ReadNotes:
    """What was accepted but is worth saying; a reader adds to it while it reads."""

    records: int = 0
    has_bom: bool = False
    crlf_lines: int = 0
    blank_lines: int = 0
    duplicates: int = 0
    joined: int = 0
    # What one format alone has to say, as sentences.
    extra: list[str] = field(default_factory=list)

    def sentences(self) -> list[str]:
        """Return the notes as sentences for people; nothing worth saying gives an empty list."""
        said: list[tuple[object, str]] = [
            (self.has_bom, "The file begins with a byte order mark; it was skipped."),
            (self.crlf_lines, f"{self.crlf_lines} lines end in CR LF; read as LF."),
            (self.blank_lines, f"{self.blank_lines} blank lines were skipped."),
            (self.duplicates, f"{self.duplicates} items repeat an earlier item of their file."),
            (self.joined, f"{self.joined} items were joined with the same item of another file."),
        ]
        return [*(sentence for condition, sentence in said if condition), *self.extra]


@dataclass(slots=True)
class BadRecordList:
    """Gathers bad records while a file is read, and refuses the file at its end."""

    found: list[BadRecord] = field(default_factory=list)

    def add(self, *records: BadRecord) -> None:
        """Keep the records; after the hundredth the file is refused at once."""
        self.found.extend(records)
        if len(self.found) >= MAX_LISTED:
            raise FormatError(
                f"Refused: the first {MAX_LISTED} problems are listed, there may be more.",
                self.found,
            )

    def refuse_if_any(self) -> None:
        """Raise FormatError when at least one record is bad."""
        if self.found:
            count = len(self.found)
            first = self.found[0]
            sentence = f"Refused: {count} problems; the first is {first}"
            raise FormatError(sentence if count > 1 else f"Refused: {first}", self.found)
