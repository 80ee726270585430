"""The reader of PatentEval's export from Label Studio: which of two next claims is better, and why.

Layout: Zuo et al., "PatentEval", NAACL 2024, the file of annotations of the next-claim task. The
claims so far take the place of the reference, the two outputs are its candidates. Which system
wrote an output is not in the file, and "output1" is a place on the screen, not a system.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

from annotator.claims.compact_keys import FirstLines
from annotator.formats.json_streams import Record, read_array
from annotator.formats.label_studio_tags import said_of_side
from annotator.formats.preference_records import LEFT, RIGHT, PreferenceRecord
from annotator.formats.python_literals import LiteralError, is_literal, read_literal
from annotator.formats.records import ByteSource, ReadNotes
from annotator.formats.shapes import Shape, checked, type_words
from annotator.formats.strict_json import MAX_BYTES

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
        said = json.dumps(item, sort_keys=True)
        earlier = first_items.enter(found.annotation, record.item or 0, said)
        if earlier and earlier[1]:
            notes.duplicates += 1
            return None, []
        if earlier:
            why = f"item {earlier[0]} has the same number, and says something else"
            return None, [("annotation_id", why)]
        return replace(found, fields=_without_texts(item)), []

    return checked(read_array(file, notes, max_bytes=max_bytes), build, notes)


def _preference(shape: Shape) -> PreferenceRecord | None:
    """Return the record, or None when its fields are too wrong to make one; problems are noted."""
    if not shape.is_object:
        return None
    _read_written(shape)
    claims, left, right = (shape.claims(name) for name in TEXTS)
    sides = (said_of_side(shape, "1", LEFT, left), said_of_side(shape, "2", RIGHT, right))
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
        other_errors=tuple(said.side for said in sides if said.has_other_error),
    )


def _without_texts(item: Mapping[str, Any]) -> str:
    """Return an item as it was written, as JSON text; the texts are kept elsewhere."""
    return json.dumps({**item, **dict.fromkeys(TEXTS)}, ensure_ascii=False, separators=(",", ":"))


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
        what = "a negative number" if type(value) is int else type_words(value)
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
