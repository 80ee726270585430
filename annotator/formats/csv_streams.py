"""Records out of a CSV byte stream (RFC 4180), and what spreadsheets spoil in them.

The csv module of Python is not used: it reads past an unclosed quote to the end of the file, takes
a quote inside a bare field for text, and its field limit is one for the whole process.
"""

import gzip
import io
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from core.text_io.streams import (
    BOM,
    CHUNK,
    CR_ALONE,
    BadRecord,
    ByteSource,
    FormatError,
    ReadNotes,
    refuse_foreign,
)
from core.text_io.strict_json import MAX_BYTES

DELIMITERS: Final = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar"}
_SYLK: Final = (
    "The file begins with the letters ID, which a spreadsheet takes for a SYLK file; name the "
    "first column reference_id."
)
_SEPARATOR_LINE: Final = re.compile(rb"sep=([,;\t|])\r?\n?")


def names_a_column(head: bytes, known: frozenset[str]) -> bool:
    """Return whether the first line of a file names one of the known columns, or begins with ID.

    Input: the first bytes of a file, and names. Output: True also for the letters ID, which stand
    for nothing but deserve the sentence of `CsvStream.header`.
    """
    body = head.removeprefix(BOM)
    given = _SEPARATOR_LINE.match(body)
    line = body[given.end() if given else 0 :].split(b"\n", 1)[0].rstrip(b"\r")
    text = line.decode("utf-8", "replace")
    cells = (_header_cells(text, delimiter) for delimiter in DELIMITERS)
    return text.startswith("ID") or any(not known.isdisjoint(names) for names in cells)


@dataclass(frozen=True, slots=True)
class CsvRow:
    """One record: the line on which it begins, and its cells as they stand between the quotes."""

    line: int
    cells: list[str]


class BrokenRowError(ValueError):
    """Bytes that are no CSV record; `byte` counts from 1 in the line that is `lines` further on."""

    def __init__(self, reason: str, lines: int = 0, byte: int = 0) -> None:
        super().__init__(f"byte {byte}: {reason}" if byte else reason)
        self.lines = lines


class CsvStream:
    """Reads a file open for bytes record by record, holding one record at a time."""

    def __init__(self, file: ByteSource, notes: ReadNotes, max_bytes: int = MAX_BYTES) -> None:
        self.file = file
        self.notes = notes
        self.max_bytes = max_bytes
        self.line = 0
        self.delimiter = ""
        self._pattern = re.compile("")
        self._opening = re.compile(b"")

    def header(self, known: frozenset[str]) -> CsvRow:
        """Return the first record, read with the delimiter that shows most of the known names.

        Raises FormatError when the file is no text, or when its first line has no known name.
        """
        raw = self._first_line()
        while raw and not raw.strip():
            self.notes.blank_lines += 1
            raw = self._readline()
        if not raw:
            raise FormatError("The file holds 0 records.")
        given = _SEPARATOR_LINE.fullmatch(raw)
        if given is not None:
            raw = self._readline()
        choices = [given[1].decode()] if given else list(DELIMITERS)
        try:
            text = _decoded(self._unended(raw))
        except BrokenRowError as error:
            raise FormatError(f"Line {self.line}, {error}.") from error
        if text.startswith("ID"):
            raise FormatError(_SYLK)
        rows = {one: _header_cells(text, one) for one in choices}
        best = max(rows, key=lambda one: len(known.intersection(rows[one])))
        if known.isdisjoint(rows[best]):
            raise FormatError(
                "The first line names no known column. A header is required, with columns of "
                f"these names: {', '.join(sorted(known))}."
            )
        self._use(best)
        return CsvRow(self.line, rows[best])

    def rows(self) -> Iterator[CsvRow | BadRecord]:
        """Yield the records after the header; a broken one does not end the reading.

        Where a quote is never closed, nobody can know where the next record begins: then it does.
        """
        while raw := self._readline():
            start = self.line
            if len(raw) > self.max_bytes + 2:
                self._skip_line(raw)
                yield BadRecord(start, "", f"longer than the limit of {self.max_bytes:,} bytes")
                continue
            if raw.count(b'"') % 2:
                if not self._opening.fullmatch(raw):
                    yield BadRecord(start, "", "a quote stands inside a cell that is not quoted")
                    continue
                whole, opened = self._closed(raw)
                if whole is None:
                    within = f"within {self.max_bytes:,} bytes or before the end of the file"
                    yield BadRecord(opened, "", f"a quote is opened here and not closed {within}")
                    return
                raw = whole
            try:
                cells = self._cells(raw)
            except BrokenRowError as error:
                yield BadRecord(start + error.lines, "", str(error))
                continue
            if any(cells):
                yield CsvRow(start, cells)
            else:
                self.notes.blank_lines += 1

    def _first_line(self) -> bytes:
        raw = self._readline()
        refuse_foreign(raw)
        if raw.startswith(BOM):
            self.notes.has_bom = True
            raw = raw[len(BOM) :]
        if b"\r" in raw.removesuffix(b"\n").removesuffix(b"\r"):
            raise FormatError(CR_ALONE)
        if len(raw) > self.max_bytes:
            raise FormatError(f"The first line is longer than {self.max_bytes:,} bytes.")
        return raw

    def _readline(self) -> bytes:
        raw = self.file.readline(self.max_bytes + 3)
        self.line += bool(raw)
        return raw

    def _skip_line(self, raw: bytes) -> None:
        while raw and not raw.endswith(b"\n"):
            raw = self.file.readline(CHUNK)

    def _use(self, delimiter: str) -> None:
        self.delimiter = delimiter
        self.notes.extra.append(f"Read as CSV; the delimiter is the {DELIMITERS[delimiter]}.")
        mark = re.escape(delimiter)
        quoted, bare = r'"(?:[^"]++|"")*+"', rf'[^"{mark}\r\n]*+'
        self._pattern = re.compile(rf"(?:({quoted})|({bare}))(?:({mark})|\Z)")
        opening = rf'(?:(?:{quoted}|{bare}){mark})*+"(?:[^"]++|"")*+'
        self._opening = re.compile(opening.encode())

    def _closed(self, raw: bytes) -> tuple[bytes | None, int]:
        """Read on until every quote is closed; None, and the line of the open one, if none is."""
        parts, size, is_open, opened = [raw], len(raw), True, self.line
        while is_open:
            raw = self._readline()
            size += len(raw)
            if not raw or size > self.max_bytes:
                return None, opened
            parts.append(raw)
            if raw.count(b'"') % 2:
                is_open = not is_open
                opened = self.line
        return b"".join(parts), opened

    def _unended(self, raw: bytes) -> bytes:
        body = raw.removesuffix(b"\n")
        if body.endswith(b"\r"):
            self.notes.crlf_lines += 1
            return body[:-1]
        return body

    def _cells(self, raw: bytes) -> list[str]:
        text = _decoded(self._unended(raw))
        if '"' not in text and "\r" not in text:
            return text.split(self.delimiter)
        cells: list[str] = []
        position, match = 0, self._pattern.match
        while found := match(text, position):
            quoted, bare, mark = found.groups()
            cells.append(bare if quoted is None else quoted[1:-1].replace('""', '"'))
            if mark is None:
                return cells
            position = found.end()
        raise _broken(text, position)


def _decoded(data: bytes) -> str:
    nul = data.find(b"\0")
    if nul >= 0:
        raise _placed("a raw NUL byte", data, nul)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        byte = data[error.start : error.start + 1]
        reason = f"the byte 0x{byte.hex().upper()} is not UTF-8"
        letter = byte.decode("cp1252", "replace")
        if letter.isprintable() and letter != "\ufffd":
            reason += f" (in Windows-1252 it is {letter!r}); save the file as CSV UTF-8"
        raise _placed(reason, data, error.start) from None


def _placed(reason: str, data: bytes, offset: int) -> BrokenRowError:
    lines = data.count(b"\n", 0, offset)
    return BrokenRowError(reason, lines, offset - data.rfind(b"\n", 0, offset))


def _broken(text: str, position: int) -> BrokenRowError:
    """Return what is wrong with the cell that begins at `position`."""
    lines = text.count("\n", 0, position)
    if text.startswith('"', position):
        return BrokenRowError(
            "a quoted cell begins here, and text follows its closing quote: "
            "is a quote missing, or not written twice?",
            lines,
        )
    bare = re.compile(r'["\r\n]').search(text, position)
    if bare is not None and bare.group() == '"':
        return BrokenRowError("a quote stands inside a cell that is not quoted", lines)
    return BrokenRowError("a line end (CR) stands inside a cell that is not quoted", lines)


def _header_cells(text: str, delimiter: str) -> list[str]:
    """Return the names of a header line; a name has no quote in it, so none needs care."""
    return [
        name[1:-1] if len(name) > 1 and name[0] == name[-1] == '"' else name
        for name in text.split(delimiter)
    ]


# A spreadsheet cuts a longer text here, without a message.
CELL_CHARACTERS: Final = 32_767
_MONTH: Final = (
    "(?:jan(?:uary|uar)?|feb(?:ruary|ruar)?|mar(?:ch)?|m\u00e4rz?|mrz|apr(?:il)?|may|mai|june?|juni|"
    "july?|juli|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|okt(?:ober)?|nov(?:ember)?|"
    "dec(?:ember)?|dez(?:ember)?)\\.?"
)
_DATE: Final = re.compile(
    rf"\d{{1,4}}[-. /]\s?{_MONTH}(?:[-. /]\s?\d{{2,4}})?|{_MONTH}[- ]\d{{1,4}}"
    r"|\d{1,2}([./-])\d{1,2}\1(?:\d{2}|\d{4})|\d{4}([./-])\d{1,2}\2\d{1,2}(?:[ T][\d:.]+)?",
    re.IGNORECASE,
)
_ROUNDED: Final = re.compile(r"[+-]?\d(?:[.,]\d+)?E[+-]\d{2,3}", re.IGNORECASE)
_ERROR: Final = re.compile(
    r"#(?:NAME\?|REF!|VALUE!|N/A|DIV/0!|NUM!|NULL!|SPILL!|CALC!|FIELD!|GETTING_DATA|#+)"
)


def damage_of_id(text: str) -> str | None:
    """Return as text what a spreadsheet has made of an id; None where nothing shows it.

    Input: an id. Output: a text for a day ("3-Oct", "03.10.2024"), a number in scientific notation
    ("1E+05"), or an error value ("#NAME?"); the id that was there before cannot be known.
    """
    if _DATE.fullmatch(text):
        return "a spreadsheet has made a date of this id; format the column as text"
    if _ROUNDED.fullmatch(text):
        return "a spreadsheet has made a rounded number of this id; format the column as text"
    return damage_of_text(text)


def damage_of_text(text: str) -> str | None:
    """Return a message that a text is a spreadsheet's error value; None where it is not."""
    if text.startswith("#") and _ERROR.fullmatch(text):
        return f"{text} is the error value of a spreadsheet, not a text"
    return None


if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MAGIC: Final = b"\x1f\x8b"
MOST_BYTES: Final = 4 * 1024**3
# Claim texts shrink to a third or a tenth, short made-up ones to a thirtieth.
MOST_TIMES: Final = 100
# Below this many bytes the ratio does not count: a small file may be one word many times.
UNSUSPECTED_BYTES: Final = 16 * 1024 * 1024
_BLOCK: Final = 256 * 1024


class SeekableSource(ByteSource, Protocol):
    """A ByteSource that can be read again from its beginning."""

    def seek(self, offset: int, whence: int = 0, /) -> int: ...

    def tell(self) -> int: ...


def unpacked(file: SeekableSource, *, most_bytes: int = MOST_BYTES) -> ByteSource:
    """Return what a file holds from its beginning on: itself, or what gzip packed in it.

    Input: a file open for bytes; its first two bytes decide, not its name. Output: a source that
    raises FormatError while it is read where the gzip stream is cut short or damaged, gives more
    than `most_bytes`, or more than MOST_TIMES the bytes that were read for it (once it has given
    UNSUSPECTED_BYTES): so that a small file cannot fill a server.
    """
    file.seek(0)
    head = file.read(len(MAGIC))
    file.seek(0)
    if head != MAGIC:
        return file
    return io.BufferedReader(_Unpacking(file, most_bytes), _BLOCK)


class _Unpacking(io.RawIOBase):
    """Reads through gzip and counts."""

    def __init__(self, file: SeekableSource, most_bytes: int) -> None:
        super().__init__()
        self._packed = file
        self._stream = gzip.GzipFile(fileobj=file, mode="rb")
        self._most_bytes = most_bytes
        self._given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        space = memoryview(buffer).cast("B")
        try:
            data = self._stream.read(min(len(space), _BLOCK))
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise FormatError(
                "The file is compressed with gzip, but cut short or damaged: "
                f"only {self._given:,} bytes could be unpacked."
            ) from error
        self._given += len(data)
        if self._given > self._most_bytes:
            raise FormatError(
                f"The file unpacks to more than the limit of {self._most_bytes:,} bytes."
            )
        if self._given > max(UNSUSPECTED_BYTES, MOST_TIMES * self._packed.tell()):
            raise FormatError(
                f"The file unpacks to more than {MOST_TIMES} times its size; stopped after "
                f"{self._given:,} bytes. Unpack it and look what it is."
            )
        space[: len(data)] = data
        return len(data)
