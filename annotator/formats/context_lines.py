"""Context in claims-jsonl: lines of their own, right after the line of their reference.

Some hold paragraphs, the others a drawing each, so that no line is longer than a line may be.
"""

import binascii
import json
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

from patclaimeval.documents.bounds import (
    LONGEST_NAME,
    LONGEST_PASSAGE,
    MOST_CHARACTERS,
    MOST_PASSAGES,
    MOST_SHEETS,
    MOST_SHEETS_BYTES,
)
from patclaimeval.documents.confined import read_pictures
from patclaimeval.documents.context import PARTS, Context, Paragraph, Sheet
from patclaimeval.documents.references import ReferenceRecord
from patclaimeval.text_io.shapes import Shape, describe_type, is_blank
from patclaimeval.text_io.streams import BadRecord, FormatError, Record
from patclaimeval.text_io.strict_json import MAX_BYTES, short

OF: Final = "context_of"
_FIELDS: Final = (OF, "paragraphs", "drawing")
_PARAGRAPH: Final = ("part", "label", "is_heading", "text")
_DRAWING: Final = ("name", "image")
_LONGEST_LABEL: Final = 200
# What stands around the paragraphs of a line, its line end included.
_AROUND: Final = 4_096
Problems = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class ContextLine:
    """What one line adds to the context of a reference: paragraphs, or a drawing as it was sent."""

    reference_id: str
    paragraphs: tuple[Paragraph, ...]
    image: tuple[str, bytes] | None
    line: int


@dataclass(slots=True)
class Gathered:
    """A reference and the lines of its context so far."""

    record: ReferenceRecord
    lines: list[ContextLine] = field(default_factory=list)


def is_context(value: Any) -> bool:
    """Return whether a line is one of context."""
    return isinstance(value, dict) and OF in value


def context_line(record: Record) -> tuple[ContextLine, Problems]:
    """Return what a line of context holds, and what is wrong with it."""
    shape = Shape(record.value, _FIELDS)
    name = shape.identifier(OF)
    if ("paragraphs" in shape.fields) == ("drawing" in shape.fields):
        shape.wrong("paragraphs", "either paragraphs or a drawing was expected")
        return ContextLine(name, (), None, record.line), shape.problems
    if "drawing" in shape.fields:
        image, problems = _image(shape.fields["drawing"])
        return ContextLine(name, (), image, record.line), shape.problems + problems
    paragraphs, problems = _paragraphs(shape.fields["paragraphs"])
    return ContextLine(name, paragraphs, None, record.line), shape.problems + problems


def _paragraphs(value: Any) -> tuple[tuple[Paragraph, ...], Problems]:
    if not isinstance(value, list):
        return (), [("paragraphs", f"an array was expected, not {describe_type(value)}")]
    found, problems = [], []
    for number, entry in enumerate(value, start=1):
        inner = Shape(entry, _PARAGRAPH, f"paragraphs[{number}]")
        part = inner.fields.get("part")
        if inner.is_object and part not in PARTS:
            inner.wrong("part", f"{' or '.join(PARTS)} was expected")
        is_heading = inner.fields.get("is_heading", False)
        if not isinstance(is_heading, bool):
            inner.wrong("is_heading", "true or false was expected")
        text = inner.text("text", LONGEST_PASSAGE)
        if inner.is_object and is_blank(text):
            inner.wrong("text", "blank: nothing in it can be seen")
        label = inner.text("label", _LONGEST_LABEL)
        found.append(Paragraph(str(part), text, label, bool(is_heading)))
        problems += inner.problems
    return tuple(found), problems


def _image(value: Any) -> tuple[tuple[str, bytes] | None, Problems]:
    shape = Shape(value, _DRAWING, "drawing")
    name = shape.text("name", LONGEST_NAME) or "sheet"
    sent = shape.given("image")
    if shape.is_object and not isinstance(sent, str):
        shape.wrong("image", "the picture in base64 was expected")
    if shape.problems:
        return None, shape.problems
    if not name.isprintable():
        shape.wrong("name", "a sign in it cannot be seen")
    try:
        data = b64decode(sent, validate=True)
    except (binascii.Error, ValueError):
        shape.wrong("image", "is not base64")
        return None, shape.problems
    return (name, data), shape.problems


def with_context(found: Iterable[ReferenceRecord | ContextLine]) -> Iterator[ReferenceRecord]:
    """Yield the references, each with the context of the lines after it.

    Raises FormatError for a picture that cannot be read, and for more than may be stored.
    """
    held: Gathered | None = None
    for one in found:
        if isinstance(one, ContextLine):
            assert held is not None, "a line of context names the reference before it"
            held.lines.append(one)
            continue
        if held is not None:
            yield _whole(held)
        held = Gathered(one)
    if held is not None:
        yield _whole(held)


def _whole(held: Gathered) -> ReferenceRecord:
    if not held.lines:
        return held.record
    paragraphs = tuple(one for line in held.lines for one in line.paragraphs)
    images = [(line, *line.image) for line in held.lines if line.image]
    why = _too_much(paragraphs, sum(len(data) for *_, data in images), len(images))
    if why:
        raise _bad(held.lines[-1].line, why)
    sheets: tuple[Sheet, ...] = ()
    if images:
        try:
            # What a file is called ends in its kind, and a name may hold a point itself.
            sheets = read_pictures([(f"{name}.image", data) for _, name, data in images])
        except FormatError as error:
            raise _bad(images[0][0].line, error.sentence.removesuffix(".")) from None
    return replace(held.record, context=Context(paragraphs, sheets))


def _bad(line: int, why: str) -> FormatError:
    return FormatError(
        f"The context that ends or begins at line {line:,} cannot be stored: {why}.",
        [BadRecord(line, OF, why)],
    )


def _too_much(paragraphs: tuple[Paragraph, ...], size: int, sheets: int) -> str:
    if len(paragraphs) > MOST_PASSAGES:
        return f"at most {MOST_PASSAGES:,} paragraphs are stored of one reference"
    if sum(len(one.text) for one in paragraphs) > MOST_CHARACTERS:
        return f"at most {MOST_CHARACTERS:,} characters are stored of one reference"
    if sheets > MOST_SHEETS or size > MOST_SHEETS_BYTES:
        return (
            f"at most {MOST_SHEETS} drawings and {MOST_SHEETS_BYTES:,} bytes of them are stored of "
            "one reference"
        )
    return ""


def lines_of(reference_id: str, context: Context) -> Iterator[bytes]:
    """Yield the lines of a context, which are read as the same."""
    batch: list[dict[str, Any]] = []
    size = 0
    for one in context.paragraphs:
        entry = _stated(one)
        length = len(json.dumps(entry, ensure_ascii=False).encode()) + 2
        if batch and size + length > MAX_BYTES - _AROUND:
            yield _line(reference_id, paragraphs=batch)
            batch, size = [], 0
        batch.append(entry)
        size += length
    if batch:
        yield _line(reference_id, paragraphs=batch)
    for sheet in context.sheets:
        image = b64encode(sheet.png).decode()
        yield _line(reference_id, drawing={"name": sheet.name, "image": image})


def _stated(one: Paragraph) -> dict[str, Any]:
    stated: dict[str, Any] = {"part": one.part}
    if one.label:
        stated["label"] = one.label
    if one.is_heading:
        stated["is_heading"] = True
    return stated | {"text": one.text}


def _line(reference_id: str, **more: Any) -> bytes:
    return json.dumps({OF: reference_id, **more}, ensure_ascii=False).encode() + b"\n"


def follows(line: ContextLine, latest: str) -> str:
    """Return why a line of context does not belong where it stands; "" where it does."""
    if line.reference_id == latest:
        return ""
    before = f"after that of {short(latest)}" if latest else "before any reference"
    return f"stands {before}; context follows the line of its reference"
