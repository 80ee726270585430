"""Records out of a byte stream, JSON Lines or one JSON array, and what is wrong with them."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from patclaimeval.text_io.strict_json import MAX_BYTES, MAX_DEPTH, StrictJsonError, loads

MAX_LISTED: Final = 100


class FirstLines:
    """On which line of a file each id first stands, and whether the content is the same below."""

    def __init__(self) -> None:
        self._known: dict[object, tuple[int, int]] = {}

    def enter(self, name: object, line: int, content: object) -> tuple[int, bool] | None:
        """Return the line on which the id stood before, and whether it had the same content there.

        None, and store this line, where it stood on none. Contents are compared by their hashes.
        """
        known = self._known.get(name)
        if known is None:
            self._known[name] = line, hash(content)
            return None
        return known[0], known[1] == hash(content)


class ByteSource(Protocol):
    """A file open for bytes: an ordinary file, `io.BytesIO`, or the file of an upload."""

    def read(self, size: int = -1, /) -> bytes: ...

    def readline(self, size: int = -1, /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class BadRecord:
    """One thing that is wrong: where it stands, in which field, and why it is refused.

    `line` counts from 1; in a JSON array `item` (from 1) is the place and `line` the line on which
    that item begins. `field` is empty when the record as a whole cannot be read. `line` is 0 where
    the file as a whole is meant.
    """

    line: int
    field: str
    reason: str
    item: int | None = None
    file: str = ""

    def __str__(self) -> str:
        place = f"line {self.line}" if self.item is None else f"item {self.item}"
        where = [part for part in (self.file, place if self.line or self.item else "") if part]
        if self.field:
            where.append(f"field {self.field}")
        return f"{', '.join(where)}: {self.reason}" if where else self.reason


class FormatError(Exception):
    """A file is refused as a whole: one sentence, and up to 100 bad records in file order."""

    def __init__(self, sentence: str, bad_records: Iterable[BadRecord] = ()) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.bad_records: tuple[BadRecord, ...] = tuple(bad_records)[:MAX_LISTED]


@dataclass(slots=True)
class ReadNotes:
    """What was accepted but is worth reporting; a reader adds to it while it reads."""

    records: int = 0
    has_bom: bool = False
    crlf_lines: int = 0
    blank_lines: int = 0
    duplicates: int = 0
    joined: int = 0
    # What one format alone reports, as sentences.
    extra: list[str] = field(default_factory=list)

    def sentences(self) -> list[str]:
        """Return the notes as sentences for people; nothing worth reporting gives an empty list."""
        possible: list[tuple[object, str]] = [
            (self.has_bom, "The file begins with a byte order mark; it was skipped."),
            (self.crlf_lines, f"{self.crlf_lines} lines end in CR LF; read as LF."),
            (self.blank_lines, f"{self.blank_lines} blank lines were skipped."),
            (self.duplicates, f"{self.duplicates} items repeat an earlier item of their file."),
            (self.joined, f"{self.joined} items were joined with the same item of another file."),
        ]
        return [*(sentence for condition, sentence in possible if condition), *self.extra]


@dataclass(slots=True)
class BadRecordList:
    """Gathers bad records while a file is read, and refuses the file at its end."""

    found: list[BadRecord] = field(default_factory=list)

    def add(self, *records: BadRecord) -> None:
        """Add the records; after the hundredth the file is refused at once."""
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


BOM: Final = b"\xef\xbb\xbf"
CHUNK: Final = 256 * 1024
# So deep no file comes by mistake; listing what else is wrong with it would take a while.
MOST_BRACKETS: Final = 1000
_FOREIGN: Final = (
    (b"\xff\xfe", "UTF-16 text; save it as UTF-8"),
    (b"\xfe\xff", "UTF-16 text; save it as UTF-8"),
    (b"\x1f\x8b", "compressed (gzip); unpack it first"),
    (b"PK\x03\x04", "a ZIP archive or an Office document, not text; save the table as CSV UTF-8"),
    (b"\xd0\xcf\x11\xe0", "an old Office document, not text; save the table as CSV UTF-8"),
    (b"%PDF", "a PDF document, not text"),
)
CR_ALONE: Final = "The lines end in CR alone; save the file with LF or CR LF."
CR_WITHIN: Final = "a line end is CR alone here; save the file with LF or CR LF"
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|(\\?\Z))|[\[\]{},]', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Record:
    """One JSON value of a file: the line on which it begins, and its item number in an array."""

    line: int
    value: Any
    item: int | None = None


def refuse_foreign(head: bytes) -> None:
    """Raise FormatError when the first bytes of a file show that it is no UTF-8 text at all.

    Input: the first bytes, at least four where the file has them. Output: none.
    """
    for magic, what in _FOREIGN:
        if head.startswith(magic):
            raise FormatError(f"The file is {what}.")
    start = head[:64]
    if b"\0" in start:
        halves = (start[::2], start[1::2])
        is_wide = len(start) > 3 and any(not any(half) for half in halves)
        raise FormatError(
            "The file is UTF-16 text; save it as UTF-8."
            if is_wide
            else "The file is binary, not text."
        )


def read_lines(
    file: ByteSource, notes: ReadNotes, *, max_bytes: int = MAX_BYTES
) -> Iterator[Record | BadRecord]:
    """Yield one Record or BadRecord a line of a JSON Lines file, without holding the file.

    Input: a file open for bytes at its beginning; lines end at byte 0x0A alone, a CR before it is
    cut and counted in `notes`, as are a byte order mark and blank lines. Output: in file order;
    a bad line does not end the reading. Raises FormatError when the file is something else.
    """
    number = 0
    while raw := file.readline(max_bytes + 3):
        number += 1
        if number == 1:
            raw = _first_line(raw, notes)
        ended = raw.endswith(b"\n")
        line = raw[:-1] if ended else raw
        if len(line) > max_bytes + 1:
            if not ended:
                _skip_line(file)
            yield BadRecord(number, "", f"longer than the limit of {max_bytes:,} bytes")
            continue
        if ended and line.endswith(b"\r"):
            notes.crlf_lines += 1
            line = line[:-1]
        if not line.strip(b" \t"):
            notes.blank_lines += 1
            continue
        try:
            value = loads(line, max_bytes=max_bytes, first_line=number)
        except StrictJsonError as error:
            reason = CR_WITHIN if b"\r" in line.strip(b"\r") else error.located_reason
            yield BadRecord(error.line, "", reason)
        else:
            yield Record(number, value)


def _first_line(raw: bytes, notes: ReadNotes) -> bytes:
    refuse_foreign(raw)
    if raw.startswith(BOM):
        notes.has_bom = True
        raw = raw[len(BOM) :]
    # JSON takes a CR for white space, so that a file of one line would pass with it.
    if b"\r" in raw and not raw.endswith(b"\n"):
        raise FormatError(CR_ALONE)
    if raw.lstrip(b" \t").startswith(b"["):
        raise FormatError("The file holds a JSON array; one JSON object a line was expected.")
    if raw.strip() == b"{":
        raise FormatError(
            "The file spreads one JSON object over several lines; one object a line was expected."
        )
    return raw


def _skip_line(file: ByteSource) -> None:
    while raw := file.readline(CHUNK):
        if raw.endswith(b"\n"):
            return


def read_array(
    file: ByteSource, notes: ReadNotes, *, max_bytes: int = MAX_BYTES
) -> Iterator[Record | BadRecord]:
    """Yield one Record or BadRecord an item of the one JSON array in a file, item by item.

    Input: a file open for bytes at its beginning. Output: in file order, `item` from 1; a bad item
    does not end the reading as long as its brackets show where it ends. Raises FormatError when
    the file is no array, or when the array is not closed or is followed by more text.
    """
    yield from _ArrayReader(file, notes, max_bytes).items()


class _ArrayReader:
    """Finds where each item of an array ends, holding one item and one chunk at a time."""

    def __init__(self, file: ByteSource, notes: ReadNotes, max_bytes: int) -> None:
        self.file = file
        self.notes = notes
        self.max_bytes = max_bytes
        self.buffer = b""
        self.start = 0  # where the present item begins in the buffer
        self.line = 1
        self.item = 0

    def items(self) -> Iterator[Record | BadRecord]:
        self._open()
        position, depth, closed = self.start, 1, False
        while not closed:
            match = _TOKEN.search(self.buffer, position)
            if match is None or match.group(1) is not None:
                position = len(self.buffer) if match is None else match.start()
                position -= self._more()
                continue
            position = match.end()
            token = match.group()
            if token in (b"[", b"{"):
                depth += 1
                if depth > MOST_BRACKETS:
                    raise FormatError(
                        f"Item {self.item + 1}, which begins on line {self._first_line()}, is "
                        f"nested deeper than {MAX_DEPTH}."
                    )
            elif token in (b"]", b"}"):
                depth -= 1
            closed = depth == 0
            if closed or (depth == 1 and token == b","):
                yield from self._take(match.start(), is_last=closed)
        self._end()

    def _open(self) -> None:
        head = self.file.read(CHUNK)
        refuse_foreign(head)
        if head.startswith(BOM):
            self.notes.has_bom = True
            head = head[len(BOM) :]
        body = head.lstrip(b" \t\r\n")
        if not body:
            raise FormatError("The file holds 0 records.")
        if not body.startswith(b"["):
            raise FormatError("The file does not hold a JSON array, which begins with '['.")
        self.line += head[: len(head) - len(body)].count(b"\n")
        self.buffer = body[1:]

    def _more(self) -> int:
        """Read on, drop what is done with, and return by how many bytes places moved down."""
        if len(self.buffer) - self.start > self.max_bytes + CHUNK:
            raise FormatError(
                f"Item {self.item + 1}, which begins on line {self._first_line()}, is longer than "
                f"the limit of {self.max_bytes:,} bytes or is never closed."
            )
        chunk = self.file.read(CHUNK)
        if not chunk:
            raise FormatError(
                f"The JSON array is not closed: the file ends within item {self.item + 1}, "
                f"which begins on line {self._first_line()}."
            )
        moved, self.start = self.start, 0
        self.buffer = self.buffer[moved:] + chunk
        return moved

    def _first_line(self) -> int:
        rest = self.buffer[self.start :]
        space = rest[: len(rest) - len(rest.lstrip(b" \t\r\n"))]
        return self.line + space.count(b"\n")

    def _take(self, end: int, *, is_last: bool) -> Iterator[Record | BadRecord]:
        raw = self.buffer[self.start : end]
        self.start = end + 1
        body = raw.lstrip(b" \t\r\n")
        self.line += raw[: len(raw) - len(body)].count(b"\n")
        if body or self.item or not is_last:
            self.item += 1
            yield self._parsed(body)
        self.line += body.count(b"\n")

    def _parsed(self, body: bytes) -> Record | BadRecord:
        try:
            value = loads(
                body,
                max_bytes=self.max_bytes,
                max_depth=MAX_DEPTH - 1,
                first_line=self.line,
            )
        except StrictJsonError as error:
            # Where the item begins within its first line is not known here.
            is_first = error.line == self.line and error.byte is not None
            reason = f"byte {error.byte} of the item: {error.reason}" if is_first else str(error)
            reason = reason if body else error.reason
            return BadRecord(self.line, "", reason, self.item)
        return Record(self.line, value, self.item)

    def _end(self) -> None:
        rest = self.buffer[self.start :]
        while rest:
            if rest.strip(b" \t\r\n"):
                raise FormatError("The file goes on after the end of its JSON array.")
            rest = self.file.read(CHUNK)
