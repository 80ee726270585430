"""Reads plain text, from a file or pasted: the numbers are found, the text stays as typed."""

from dataclasses import replace
from typing import Final

from patclaimeval.documents.assembling import claims_of_lines, look_over
from patclaimeval.documents.records import (
    Bibliography,
    Notes,
    Passage,
    Place,
    ReadDocument,
    ReadOptions,
    Severity,
)
from patclaimeval.documents.sections import (
    Section,
    SourceLine,
    context_of,
    find_section,
)
from patclaimeval.text_io.streams import BOM, FormatError, refuse_foreign

MOST_BYTES: Final = 8 * 1024 * 1024


def read_text(data: bytes, options: ReadOptions) -> ReadDocument:
    """Return the claims of a plain text.

    Input: UTF-8 bytes, and what the person chose. Output: the claims byte for byte as typed, from
    claim 1 to the end of the section. Raises FormatError where the bytes are no UTF-8 text, where
    they hold no text, or too much of it.
    """
    text, lines = _lines(data)
    notes = Notes()
    if "\r\n" in text:
        notes.add(Severity.NOTE, "line ends", "Lines end in CR LF; read as LF.")
    section = find_section(lines, options, notes)
    claims = claims_of_lines(section.lines, notes, as_typed=True)
    look_over(claims, notes)
    language = options.language or section.language
    return ReadDocument(
        "text",
        claims,
        left_out=notes.left_out,
        findings=tuple(notes.findings),
        bibliography=Bibliography(language=language),
        context=context_of(section),
    )


def read_passages(data: bytes, part: str) -> tuple[Passage, ...]:
    """Return the paragraphs of a text that is all of one part, a line each.

    Raises FormatError as `read_text` does.
    """
    _, lines = _lines(data)
    found = context_of(Section(before=tuple(lines)))
    return tuple(replace(one, part=part) for one in found)


def _lines(data: bytes) -> tuple[str, list[SourceLine]]:
    if len(data) > MOST_BYTES:
        raise FormatError(f"The text is longer than {MOST_BYTES:,} bytes.")
    refuse_foreign(data[:64])
    try:
        text = data.removeprefix(BOM).decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FormatError(
            f"Line {line:,}: the byte 0x{data[error.start]:02X} is not UTF-8; save the text so."
        ) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise FormatError(f"Line {line:,} holds the NUL character.")
    if not text.strip():
        raise FormatError("The file holds no text.")
    lines = [
        SourceLine(line.removesuffix("\r"), Place("line", number))
        for number, line in enumerate(text.split("\n"), start=1)
    ]
    return text, lines
