"""Reads a Word document: its claims in the text that was asked for, and what is not in them."""

import sys
from collections.abc import Iterator
from typing import Final

from patclaimeval.documents.assembling import (
    claims_as_marked,
    claims_of_lines,
    look_over,
)
from patclaimeval.documents.bounds import MOST_FILE_BYTES
from patclaimeval.documents.context import Sheet
from patclaimeval.documents.docx.body import Body, Event
from patclaimeval.documents.docx.package import Package, open_package
from patclaimeval.documents.drawings import sheets_of
from patclaimeval.documents.records import (
    Bibliography,
    ClaimSet,
    Notes,
    Place,
    ReadDocument,
    ReadOptions,
    Severity,
    TrackedChanges,
)
from patclaimeval.documents.sections import Section, context_of, find_section
from patclaimeval.text_io.streams import FormatError

_MARKED: Final = (
    "The file was written here and marks its claims; they were read as they stand, their layout "
    "included."
)
EMBEDDED: Final = "embedded file"
_SHOWN: Final = "its shown result was taken, its instruction left out"
# What stood in the claims and is not in their text.
_LEFT_OUT: Final = {
    "comment": "a comment is no part of the claims",
    "footnote": "a footnote is no part of the claims",
    "endnote": "an endnote is no part of the claims",
    "text box": "a text box has no place in the order of the text",
    "hidden text": "it is not shown in Word",
    "ruby": "readings beside the text are no part of it",
    "field": _SHOWN,
}
_CHECKS: Final = {
    "table": "A table stands in the claims; its rows were written as lines, cells divided by |.",
    "table of claims": "The claims stand in a table; each numbered row was read as a claim.",
    "image": "An image stands in the claims; [image] marks the place.",
    "object": "An embedded object stands in the claims; [object] marks the place.",
    "formula": "A formula stands in the claims that is no line of text; [formula] marks the place.",
    "symbol": "A sign of a symbol font stands in the claims; [symbol] marks the place.",
    "raised or lowered": "Raised or lowered signs were written on the line.",
}
_QUESTIONS: Final = {
    "struck out": (
        "Text is struck out by hand, not by tracked changes, so that it cannot be told whether it "
        "is a part of the claim. Delete it or remove the stroke, and read the file again."
    ),
    "field without result": (
        "A number is counted by a field (AUTONUM or LISTNUM) and not stored in the file. Turn it "
        "into text and read the file again."
    ),
    "number format": (
        "An automatic number has a format that cannot be rendered here. Turn it into text or "
        "choose 1, 2, 3, and read the file again."
    ),
    "wide table of claims": (
        "The claims stand in a table that has more columns than their numbers and their text. Copy "
        "the column of the claims into a document of its own, and read that."
    ),
    EMBEDDED: "Another file is embedded here and was not read. Insert its text instead.",
}


def read_docx(data: bytes, options: ReadOptions) -> ReadDocument:
    """Return the claims of a Word document, transitional or strict.

    Input: the bytes of a .docx, and what the person chose: `tracked_changes` ACCEPTED reads the
    text as amended, ORIGINAL as it was before, BOTH the two as claims and draft. Raises FormatError
    with a sentence for what no reader should open, as `open_package` says.
    """
    notes = Notes()
    package = open_package(data, notes)
    for kind, count in package.counts.items():
        notes.leave_out(kind, "it repeats on pages and is no part of the claims", count=count)
    asked = options.tracked_changes
    takes_changes = asked is not TrackedChanges.ORIGINAL
    claims, section, body = _read(package, options, notes, takes_changes)
    changes = body.changes
    draft = None
    if asked is TrackedChanges.BOTH:
        other = Notes()
        draft, _, _ = _read(package, options, other, takes_changes=False)
        notes.merge(other)
        if not changes or draft == claims:
            draft = None
    _say_which_text(changes, asked, draft, notes)
    sheets = tuple(_drawings(package, body, _within(section), notes)) if section.lines else ()
    return ReadDocument(
        "docx",
        claims,
        draft,
        left_out=notes.left_out,
        findings=tuple(notes.findings),
        bibliography=Bibliography(language=options.language or section.language),
        context=context_of(section),
        sheets=sheets,
    )


def _read(
    package: Package, options: ReadOptions, notes: Notes, takes_changes: bool
) -> tuple[ClaimSet, Section, Body]:
    body = Body(package, takes_changes)
    lines = body.lines()
    if body.marked and options.first is None and options.last is None:
        notes.add(Severity.NOTE, "marked claims", _MARKED)
        section = Section(tuple(line for line in lines if line.place.number in body.marked))
        claims = claims_as_marked(section.lines)
    else:
        section = find_section(lines, options, notes)
        claims = claims_of_lines(section.lines, notes)
    _say_what_stood(body.events, _within(section), notes)
    look_over(claims, notes)
    return claims, section, body


def _within(section: Section) -> range:
    """Return the numbers of the paragraphs that the claims take up, vanished ones included."""
    if not section.lines:
        return range(0)
    end = section.after[0].place.number if section.after else sys.maxsize
    return range(section.lines[0].place.number, end)


def _drawings(package: Package, body: Body, inside: range, notes: Notes) -> Iterator[Sheet]:
    """Yield the pictures around the claims, each part of the file once."""
    seen: set[str] = set()
    for event in body.events:
        name = package.pictures.get(event.detail, "")
        if event.kind != "image" or event.paragraph in inside or name in seen:
            continue
        seen.add(name)
        place = Place("paragraph", event.paragraph)
        if not name or package.archive is None:
            notes.leave_out("drawing", "its picture is not in the file", place)
            continue
        try:
            data = package.archive.read(name, MOST_FILE_BYTES)
            yield from sheets_of(data, name)
        except FormatError as error:
            # It is no part of the claims, which can be read without it.
            notes.leave_out("drawing", error.sentence.removesuffix("."), place)


def _say_what_stood(events: list[Event], inside: range, notes: Notes) -> None:
    for event in events:
        place = Place("paragraph", max(event.paragraph, 1))
        # An embedded file stands behind the paragraph that was counted last, and may be all claims.
        may_be_claims = not inside or event.paragraph + 1 == inside.start
        if event.paragraph not in inside and not (event.kind == EMBEDDED and may_be_claims):
            if event.kind == EMBEDDED:
                notes.leave_out(EMBEDDED, "it was not read, and stands outside the claims", place)
            continue
        if event.kind in _LEFT_OUT:
            notes.leave_out(event.kind, _LEFT_OUT[event.kind], place)
        elif event.kind in _CHECKS:
            notes.add(Severity.CHECK, event.kind, _CHECKS[event.kind], place)
        else:
            notes.add(Severity.QUESTION, event.kind, _QUESTIONS[event.kind], place)


def _say_which_text(
    changes: int, asked: TrackedChanges, draft: ClaimSet | None, notes: Notes
) -> None:
    if not changes:
        if asked is not TrackedChanges.ACCEPTED:
            sentence = "The file has no tracked changes; there is one text only."
            notes.add(Severity.NOTE, "tracked changes", sentence)
        return
    if asked is TrackedChanges.BOTH:
        sentence = (
            "The claims are the text with the tracked changes, the draft is the one before them."
            if draft
            else "The tracked changes leave the claims as they were; there is no draft."
        )
    else:
        text = "with" if asked is TrackedChanges.ACCEPTED else "without"
        sentence = f"The file has tracked changes; the text {text} them was read."
    notes.add(Severity.NOTE, "tracked changes", sentence)
