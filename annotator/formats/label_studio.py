"""Reads PatentEval's exports from Label Studio: which of two outputs is better, and why.

Label Studio's tables come with `[{'selected': 'left'}]` in place of JSON: `ast.literal_eval` reads
it, which evaluates no expressions, and the strict reader of JSON then takes or refuses the value.

Layout: Zuo et al., "PatentEval", NAACL 2024, the files of annotations of its two tasks: next
claims, and abstracts of claims. The claims take the place of the reference, the two outputs, claims
or abstracts, are its candidates. Which system
wrote an output is not in the file, and "output1" is a place on the screen, not a system.
"""

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final

from annotator.typology import MOST_TAGS, Tag, tag_of
from patclaimeval.text_io.shapes import Shape, checked, describe_type
from patclaimeval.text_io.streams import (
    BOM,
    ByteSource,
    FirstLines,
    FormatError,
    ReadNotes,
    Record,
    read_array,
    refuse_foreign,
)
from patclaimeval.text_io.strict_json import MAX_BYTES, StrictJsonError, loads, short

LEFT: Final = "left"
RIGHT: Final = "right"
_TURNED: Final = {LEFT: RIGHT, RIGHT: LEFT}


@dataclass(frozen=True, slots=True)
class PreferenceRecord:
    """One annotator's answers about two candidates of one reference, as they were shown.

    `annotator` is the name that an account may have, the program's before the number it gave.
    `judgement` is of the overall quality: 1 left is better, 0 equal, -1 right is. `error_tags`
    have `tag` (a code of the typology), `side` (left or right) and, where a span was marked,
    `start` and `end` in code points of that candidate. `other_errors` are the sides marked to have
    an error that has no tag; `highlights` counts marks that nobody made. Times know their zone.
    `fields` is the whole item as JSON text, keys in its order, with null for the three texts.
    """

    annotation: int
    annotator: str
    reference_claims: str
    left: str
    right: str
    judgement: int
    created_at: datetime
    updated_at: datetime
    ipc: str = ""
    error_tags: tuple[dict[str, Any], ...] = ()
    left_comment: str = ""
    right_comment: str = ""
    highlights: int = 0
    other_errors: tuple[str, ...] = ()
    fields: str = "{}"

    @property
    def comment(self) -> str:
        """What was written: of one side as it was written, of both with the side before each."""
        left = self.left_comment or self._undescribed(LEFT)
        right = self.right_comment or self._undescribed(RIGHT)
        return f"Left: {left}\nRight: {right}" if left and right else left or right

    def turned(self) -> "PreferenceRecord":
        """Return the same preference with the two sides changed about."""
        return replace(
            self,
            left=self.right,
            right=self.left,
            judgement=-self.judgement,
            left_comment=self.right_comment,
            right_comment=self.left_comment,
            other_errors=tuple(_TURNED[side] for side in self.other_errors),
            error_tags=tuple(tag | {"side": _TURNED[tag["side"]]} for tag in self.error_tags),
        )

    def _undescribed(self, side: str) -> str:
        is_named = side in self.other_errors
        return f"Another error of the {side} candidate, not described." if is_named else ""


MAX_CHARACTERS: Final = 1_000_000


class LiteralError(ValueError):
    """The text is no literal that is accepted; the message is why, without quoting it."""


def is_literal(text: str) -> bool:
    """Return whether a text is meant as a written list or object: it opens with a bracket."""
    return text.lstrip(" \t\r\n").startswith(("[", "{"))


def read_literal(text: str) -> Any:
    """Return the list or dict that a text writes in Python's way, or raise LiteralError.

    Input: any text. Output: a value that the strict reader of JSON accepts, too.
    """
    if len(text) > MAX_CHARACTERS:
        raise LiteralError(f"longer than {MAX_CHARACTERS:,} characters")
    try:
        return loads(json.dumps(ast.literal_eval(text.strip())).encode())
    except StrictJsonError as error:
        raise LiteralError(error.reason) from error
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError) as error:
        raise LiteralError("the list or object that it writes is not well formed") from error


LONGEST_COMMENT: Final = 9_000
# Words that the authors' program had coloured before anybody annotated: they show nothing of what
# the annotator thought, and some lie beyond the end of the text.
HIGHLIGHTS: Final = frozenset({"UNK", "PROFANITY", "RELATIVE", "UNCLEAR"})
# The published list ends with a choice that asks for a comment; the typology has no such tag.
OTHER: Final = "other"


@dataclass(slots=True)
class SideAnswers:
    """The answers about one side, as they are gathered."""

    side: str
    error_tags: list[dict[str, Any]] = field(default_factory=list)
    comment: str = ""
    highlights: int = 0
    has_other_error: bool = False


def read_side(shape: Shape, number: str, side: str, claims: str) -> SideAnswers:
    """Read dimensionN, markN and commentN of an annotation; problems are noted in the shape.

    Input: the annotation, "1" or "2", what that side is called here, and its claims. Output: tags
    by code, first those with a span; a tag that is marked somewhere is not named without a place.
    """
    found = SideAnswers(side, comment=shape.text(f"comment{number}", LONGEST_COMMENT))
    named = _named(shape, f"dimension{number}", found)
    _read_marks(shape, f"mark{number}", claims, found)
    marked = {tag["tag"] for tag in found.error_tags}
    found.error_tags += [{"tag": c, "side": side} for c in dict.fromkeys(named) if c not in marked]
    if len(found.error_tags) > MOST_TAGS // 2:
        shape.wrong(f"dimension{number}", f"more than {MOST_TAGS // 2} error tags with the marks")
    return found


def _named(shape: Shape, name: str, found: SideAnswers) -> list[str]:
    """Return the codes of the tags chosen: one text, or {"choices": [texts]}."""
    value = shape.given(name, is_required=False)
    if value is None or value == "":
        return []
    choices = [value]
    if isinstance(value, dict):
        inner = Shape(value, ("choices",), name)
        choices = inner.given("choices")
        shape.problems += inner.problems
        if inner.problems:
            return []
    if not isinstance(choices, list) or not all(isinstance(choice, str) for choice in choices):
        shape.wrong(name, f"a tag or a list of tags was expected, not {describe_type(value)}")
        return []
    codes = []
    for choice in choices:
        if _is_other(choice):
            found.has_other_error = True
        elif code := _code(choice):
            codes.append(code)
        else:
            shape.wrong(name, f"{short(choice)} is none of the error tags")
    return codes


# Of an abstract each label explains itself: "Incomplete Coverage (Missing Key Components)".
_EXPLANATION: Final = re.compile(r"\s*\([^()]*\)\s*$")


def _tag(name: str) -> Tag | None:
    return tag_of(name) or tag_of(_EXPLANATION.sub("", name))


def _code(name: str) -> str:
    tag = _tag(name)
    return tag.code if tag else ""


def _is_other(choice: str) -> bool:
    return choice.strip().casefold().partition(" ")[0] == OTHER


def label_of(name: str) -> str:
    """Return the published label of a tag without its explanation; "Other" for what has no tag."""
    tag = _tag(name)
    return tag.published if tag else OTHER.capitalize() if _is_other(name) else name


def _read_marks(shape: Shape, name: str, claims: str, found: SideAnswers) -> None:
    value = shape.given(name, is_required=False)
    if value is None or value == "":
        return
    if not isinstance(value, list):
        shape.wrong(name, f"an array was expected, not {describe_type(value)}")
        return
    for number, entry in enumerate(value, start=1):
        inner = Shape(entry, ("start", "end", "text", "labels"), f"{name}[{number}]")
        _read_mark(inner, claims, found)
        shape.problems += inner.problems


def _read_mark(mark: Shape, claims: str, found: SideAnswers) -> None:
    start, end = mark.given("start"), mark.given("end")
    text, labels = mark.given("text"), mark.given("labels")
    if mark.problems:
        return
    if type(start) is not int or type(end) is not int or not 0 <= start < end:
        mark.wrong("start", "whole numbers with 0 <= start < end were expected")
    elif not isinstance(text, str):
        mark.wrong("text", f"a text was expected, not {describe_type(text)}")
    elif not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        mark.wrong("labels", "an array of texts was expected")
    else:
        for label in labels:
            if label in HIGHLIGHTS:
                found.highlights += 1
            elif code := _code(label):
                _add_span(mark, claims, found, code)
            else:
                mark.wrong(
                    "labels", f"{short(label)} is neither an error tag nor a known highlight"
                )


def _add_span(mark: Shape, claims: str, found: SideAnswers, code: str) -> None:
    """Add a tag with its place, which the browser counted in UTF-16 units."""
    start, end = mark.fields["start"], mark.fields["end"]
    units = claims.encode("utf-16-le")
    try:
        before = units[: 2 * start].decode("utf-16-le")
        inside = units[2 * start : 2 * end].decode("utf-16-le")
    except UnicodeDecodeError:
        before, inside = "", ""
    if 2 * end > len(units) or inside != mark.fields["text"]:
        mark.wrong("text", "these words do not stand there in the output")
        return
    at = len(before)
    tag = {"tag": code, "side": found.side, "start": at, "end": at + len(inside)}
    if tag not in found.error_tags:
        found.error_tags.append(tag)


FIELDS: Final = (
    "input_claim",
    "output1",
    "output2",
    "comparison",
    "dimension1",
    "dimension2",
    "mark1",
    "mark2",
    "comment1",
    "comment2",
    "annotator",
    "annotation_id",
    "created_at",
    "updated_at",
    "domain",
    "id",
    "dependency",
    "length1",
    "length2",
    "lead_time",
    "agreement",
)
# The reference, the left and the right candidate.
TEXTS: Final = FIELDS[:3]
# Where an export goes through a table, lists and objects become texts.
_WRITTEN: Final = ("comparison", "dimension1", "dimension2", "mark1", "mark2")
_JUDGEMENTS: Final = {LEFT: 1, RIGHT: -1}
HEAD_BYTES: Final = 4096
_FIRST_FIELD: Final = re.compile(rb'\[\s*\{\s*"([a-z0-9_]+)"')


def beginning_of(head: bytes) -> bytes:
    """Return a file's first bytes without byte order mark and blanks; raise FormatError for none.

    Raises it too for what is no UTF-8 text.
    """
    refuse_foreign(head)
    body = head.removeprefix(BOM).lstrip(b" \t\r\n")
    if not body:
        raise FormatError("The file holds 0 records.")
    return body


def json_format(body: bytes, export: str, *, array: str, lines: str) -> str:
    """Return the name of the format that a file of JSON begins in, "" where it is no JSON.

    `export` names PatentEval's export, an array whose first field is one of FIELDS; `array` any
    other array, and `lines` one object a line.
    """
    if body.startswith(b"["):
        first = _FIRST_FIELD.match(body)
        return export if first is not None and first[1].decode() in FIELDS else array
    return lines if body.startswith(b"{") else ""


def read(
    file: ByteSource, notes: ReadNotes | None = None, *, max_bytes: int = MAX_BYTES
) -> Iterator[PreferenceRecord]:
    """Yield one PreferenceRecord an annotation, in file order, texts unchanged.

    Input: a file open for bytes that holds a JSON array; `comparison` is [{"selected": "left" or
    "right"}], and absent, null or empty for a tie. Lists and objects may be written as Python
    texts. In `fields` alone are, for there is no other place: id, dependency, lengths, lead time,
    agreement. Raises FormatError with up to 100 bad items, or for 0 records. A caller that stores
    while it reads must therefore undo on FormatError.
    """
    notes = notes if notes is not None else ReadNotes()
    first_items = FirstLines()

    def build(record: Record) -> tuple[PreferenceRecord | None, list[tuple[str, str]]]:
        shape = Shape(record.value, FIELDS)
        item = shape.fields
        found = _preference(shape)
        if found is None or shape.problems:
            return None, shape.problems
        text = json.dumps(item, sort_keys=True)
        earlier = first_items.enter(found.annotation, record.item or 0, text)
        if earlier and earlier[1]:
            notes.duplicates += 1
            return None, []
        if earlier:
            why = f"item {earlier[0]} has the same number, and says something else"
            return None, [("annotation_id", why)]
        # As it was written, but for the texts, which are stored elsewhere.
        rest = {**item, **dict.fromkeys(TEXTS)}
        fields = json.dumps(rest, ensure_ascii=False, separators=(",", ":"))
        return replace(found, fields=fields), []

    return checked(read_array(file, notes, max_bytes=max_bytes), build, notes)


def _preference(shape: Shape) -> PreferenceRecord | None:
    """Return the record, or None when its fields are too wrong to make one; problems are noted."""
    if not shape.is_object:
        return None
    _read_written(shape)
    claims, left, right = (shape.claims(name) for name in TEXTS)
    sides = (read_side(shape, "1", LEFT, left), read_side(shape, "2", RIGHT, right))
    created, updated = (_time(shape, name) for name in ("created_at", "updated_at"))
    annotation = _whole(shape, "annotation_id")
    annotator = _whole(shape, "annotator")
    judgement = _judgement(shape)
    ipc = shape.text("domain", 40)
    _check_others(shape)
    if created and updated and updated < created:
        shape.wrong("updated_at", "before created_at")
    if annotation is None or annotator is None or not created or not updated:
        return None
    return PreferenceRecord(
        annotation=annotation,
        annotator=f"label-studio-{annotator}",
        reference_claims=claims,
        left=left,
        right=right,
        judgement=judgement,
        created_at=created,
        updated_at=updated,
        ipc=ipc,
        error_tags=(*sides[0].error_tags, *sides[1].error_tags),
        left_comment=sides[0].comment,
        right_comment=sides[1].comment,
        highlights=sides[0].highlights + sides[1].highlights,
        other_errors=tuple(one.side for one in sides if one.has_other_error),
    )


def _read_written(shape: Shape) -> None:
    """Put in place of a text that writes a list or object what it writes."""
    fields: dict[str, Any] = dict(shape.fields)
    for name in _WRITTEN:
        value = fields.get(name)
        if isinstance(value, str) and is_literal(value):
            try:
                fields[name] = read_literal(value)
            except LiteralError as error:
                shape.wrong(name, str(error))
                fields[name] = None
    shape.fields = fields


def _judgement(shape: Shape) -> int:
    value = shape.given("comparison", is_required=False)
    if value is None or value in ([], ""):
        return 0
    if not isinstance(value, list) or len(value) != 1:
        shape.wrong("comparison", "a list of one choice was expected, or an empty one for a tie")
        return 0
    inner = Shape(value[0], ("selected",), "comparison[1]")
    selected = inner.given("selected")
    if inner.is_object and "selected" in inner.fields and selected not in (LEFT, RIGHT):
        inner.wrong("selected", "left or right was expected")
    shape.problems += inner.problems
    return 0 if inner.problems else _JUDGEMENTS[selected]


def _time(shape: Shape, name: str) -> datetime | None:
    value = shape.given(name)
    if name in shape.fields:
        try:
            found = datetime.fromisoformat(value)
            if found.tzinfo is not None:
                return found.astimezone(UTC)
        except (TypeError, ValueError, OverflowError):
            pass
        shape.wrong(name, "a time with its zone was expected, such as 2024-03-22T16:32:50Z")
    return None


def _whole(shape: Shape, name: str, *, is_required: bool = True) -> int | None:
    value = shape.given(name, is_required=is_required)
    if type(value) is int and value >= 0:
        return value
    if name in shape.fields and (value is not None or is_required):
        what = "a negative number" if type(value) is int else describe_type(value)
        shape.wrong(name, f"a whole number from 0 was expected, not {what}")
    return None


def _check_others(shape: Shape) -> None:
    """Refuse wrong values of the fields that mean nothing here, too: they show a damaged file."""
    for name in ("id", "length1", "length2"):
        _whole(shape, name, is_required=False)
    shape.text("dependency", 40)
    for name in ("lead_time", "agreement"):
        value = shape.given(name, is_required=False)
        if value is not None and (type(value) not in (int, float) or value < 0):
            shape.wrong(name, "a number from 0 was expected")
