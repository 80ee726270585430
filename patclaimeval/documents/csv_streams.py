"""Records out of a CSV byte stream (RFC 4180), and what spreadsheets spoil in them."""

import csv
import gzip
import io
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Protocol

from patclaimeval.limits import UPLOAD_BYTES
from patclaimeval.text_io.streams import (
    BOM,
    CHUNK,
    CR_ALONE,
    BadRecord,
    ByteSource,
    FormatError,
    ReadNotes,
    refuse_foreign,
)
from patclaimeval.text_io.strict_json import MAX_BYTES

# One limit for the whole process: a cell may be as long as a record of JSON.
csv.field_size_limit(MAX_BYTES)
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


class CsvStream:
    """Reads a file open for bytes record by record, by Python's csv module.

    The module raises no error for a quote inside a bare cell: it is a sign like any other.
    """

    def __init__(self, file: ByteSource, notes: ReadNotes, max_bytes: int = MAX_BYTES) -> None:
        self.file = file
        self.notes = notes
        self.max_bytes = max_bytes
        self.line = 0
        self.delimiter = ""
        self._is_crlf = False
        self._bad: list[BadRecord] = []

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
        text = self._decoded(raw).rstrip("\r\n")
        if self._bad:
            raise FormatError(f"Line {self.line}, {self._bad[0].reason}.")
        self.notes.crlf_lines += self._is_crlf
        if text.startswith("ID"):
            raise FormatError(_SYLK)
        rows = {one: _header_cells(text, one) for one in choices}
        best = max(rows, key=lambda one: len(known.intersection(rows[one])))
        if known.isdisjoint(rows[best]):
            raise FormatError(
                "The first line names no known column. A header is required, with columns of "
                f"these names: {', '.join(sorted(known))}."
            )
        self.delimiter = best
        self.notes.extra.append(f"Read as CSV; the delimiter is the {DELIMITERS[best]}.")
        return CsvRow(self.line, rows[best])

    def rows(self) -> Iterator[CsvRow | BadRecord]:
        """Yield the records after the header; a broken one does not end the reading.

        Where a quote is never closed, nobody can know where the next record begins: then it does.
        """
        reader = csv.reader(self._lines(), delimiter=self.delimiter, strict=True)
        while True:
            start = self.line + 1
            try:
                cells = next(reader, None)
            except csv.Error as error:
                reason = next((ours for told, ours in _REASONS if told in str(error)), "")
                yield from self._bad or [BadRecord(start, "", reason or str(error))]
                if reason == _UNCLOSED:
                    return
            else:
                yield from self._bad
                if cells is None:
                    return
                self.notes.crlf_lines += self._is_crlf
                if not any(cells):
                    self.notes.blank_lines += 1
                elif not self._bad:
                    yield CsvRow(start, cells)
            self._bad.clear()

    def _lines(self) -> Iterator[str]:
        while raw := self._readline():
            if len(raw) > self.max_bytes + 2:
                while not raw.endswith(b"\n") and (more := self.file.readline(CHUNK)):
                    raw = more
                why = f"longer than the limit of {self.max_bytes:,} bytes"
                self._bad.append(BadRecord(self.line, "", why))
                # A placeholder replaces the line, so that the next line starts its own record.
                raw = b"?\n"
            yield self._decoded(raw)

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
        self._is_crlf = raw.endswith(b"\r\n")
        return raw

    def _decoded(self, raw: bytes) -> str:
        """Return a line as text; what is no UTF-8, or NUL, is noted as bad."""
        place, why = raw.find(b"\0") + 1, "a raw NUL byte"
        try:
            text = raw.decode()
        except UnicodeDecodeError as error:
            place, byte = error.start + 1, raw[error.start : error.start + 1]
            why = f"the byte 0x{byte.hex().upper()} is not UTF-8"
            letter = byte.decode("cp1252", "replace")
            if letter.isprintable() and letter != "\ufffd":
                why += f" (in Windows-1252 it is {letter!r}); save the file as CSV UTF-8"
            text = raw.decode(errors="replace")
        if place:
            self._bad.append(BadRecord(self.line, "", f"byte {place}: {why}"))
        return text


_UNCLOSED: Final = "a quote is opened in this record and not closed before the end of the file"
# What the csv module says, in part, and what people read.
_REASONS: Final = (
    ("unexpected end of data", _UNCLOSED),
    ("field larger than field limit", _UNCLOSED),
    (
        "expected after",
        "text follows the closing quote of a cell: is a quote missing, or not written twice?",
    ),
    ("new-line character", "a line end (CR) stands inside a cell that is not quoted"),
)


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


MAGIC: Final = b"\x1f\x8b"


class SeekableSource(ByteSource, Protocol):
    """A ByteSource that can be read again from its beginning."""

    def seek(self, offset: int, whence: int = 0, /) -> int: ...

    def tell(self) -> int: ...


def unpacked(file: SeekableSource) -> ByteSource:
    """Return what a file holds from its beginning on: itself, or what gzip packed in it.

    Input: a file open for bytes; its first two bytes decide, not its name. Raises FormatError where
    the gzip stream is cut short or damaged, or gives more than one file may have.
    """
    file.seek(0)
    head = file.read(len(MAGIC))
    file.seek(0)
    if head != MAGIC:
        return file
    try:
        data = gzip.GzipFile(fileobj=file, mode="rb").read(UPLOAD_BYTES + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FormatError("The file is compressed with gzip, but cut short or damaged.") from error
    if len(data) > UPLOAD_BYTES:
        raise FormatError(
            f"The file unpacks to more than the limit of {UPLOAD_BYTES:,} bytes; divide it."
        )
    return io.BytesIO(data)
