"""Reader and writer of claims-jsonl: one reference with its candidates a line.

Lines of its context may follow, as `context_lines.py` has them.
"""

import json
from collections.abc import Iterator
from typing import Final

from annotator.formats.context_lines import (
    OF,
    ContextLine,
    context_line,
    follows,
    is_context,
    with_context,
)
from patclaimeval.documents.references import LONGEST, CandidateRecord, ReferenceRecord
from patclaimeval.text_io.shapes import Shape, checked, describe_type
from patclaimeval.text_io.streams import ByteSource, FirstLines, ReadNotes, Record, read_lines
from patclaimeval.text_io.strict_json import MAX_BYTES, short

_REFERENCE_FIELDS: Final = (
    "reference_id",
    "office",
    "ipc",
    "language",
    "title",
    "family",
    "reference_claims",
    "candidates",
    "draft_claims",
    "may_train",
)
_CANDIDATE_FIELDS: Final = ("candidate_id", "system", "claims")


def read(
    file: ByteSource, notes: ReadNotes | None = None, *, max_bytes: int = MAX_BYTES
) -> Iterator[ReferenceRecord]:
    """Yield the references of a claims-jsonl file in file order, without holding the file.

    Input: a file open for bytes at its beginning; `notes` is filled while it is read. Output: one
    ReferenceRecord a line, texts unchanged. Raises FormatError with up to 100 bad records when the
    file has any (field unknown or missing, wrong type, blank claims, an id that means two
    things), or has no record; a line that only repeats an earlier one is counted in `notes` and
    passed over. A caller that stores while it reads must therefore undo on FormatError.
    """
    notes = notes if notes is not None else ReadNotes()
    first_lines = FirstLines()
    latest = ""
    is_repeated = False

    def build(
        record: Record,
    ) -> tuple[ReferenceRecord | ContextLine | None, list[tuple[str, str]]]:
        nonlocal latest, is_repeated
        if is_context(record.value):
            # It is a part of the record before.
            notes.records -= 1
            line, problems = context_line(record)
            if why := follows(line, latest) if line.reference_id else "":
                problems.append((OF, why))
            return (None if problems or is_repeated else line), problems
        reference, problems = _reference(record)
        name = latest = reference.reference_id
        is_repeated = False
        earlier = first_lines.enter(name, record.line, reference) if name else None
        if earlier and earlier[1] and not problems:
            notes.duplicates += 1
            is_repeated = True
            return None, []
        if earlier:
            why = f"{short(name)} stands on line {earlier[0]} already, and says something else here"
            problems.append(("reference_id", why))
        return (None if problems else reference), problems

    return with_context(checked(read_lines(file, notes, max_bytes=max_bytes), build, notes))


def _reference(record: Record) -> tuple[ReferenceRecord, list[tuple[str, str]]]:
    shape = Shape(record.value, _REFERENCE_FIELDS)
    candidates, problems = _candidates(shape)
    reference = ReferenceRecord(
        reference_id=shape.identifier("reference_id"),
        reference_claims=shape.claims("reference_claims"),
        candidates=candidates,
        **{name: shape.text(name, longest) for name, longest in LONGEST.items()},
        context=None,
        draft_claims=_draft(shape),
        may_train=_may_train(shape),
        line=record.line,
    )
    return reference, shape.problems + problems


def _draft(shape: Shape) -> str:
    """Draft claims may be left out, but where they are stated they must show something."""
    return "" if shape.fields.get("draft_claims") is None else shape.claims("draft_claims")


def _may_train(shape: Shape) -> bool | None:
    value = shape.given("may_train", is_required=False)
    if value is None or isinstance(value, bool):
        return value
    shape.wrong("may_train", f"true or false was expected, not {describe_type(value)}")
    return None


def _candidates(shape: Shape) -> tuple[tuple[CandidateRecord, ...], list[tuple[str, str]]]:
    value = shape.given("candidates")
    if not isinstance(value, list):
        if "candidates" in shape.fields:
            shape.wrong("candidates", f"an array was expected, not {describe_type(value)}")
        return (), []
    if not value:
        shape.wrong("candidates", "empty: a reference without candidates cannot be rated")
    found: list[CandidateRecord] = []
    problems: list[tuple[str, str]] = []
    seen: set[str] = set()
    for number, entry in enumerate(value, start=1):
        inner = Shape(entry, _CANDIDATE_FIELDS, f"candidates[{number}]")
        candidate = CandidateRecord(
            candidate_id=inner.identifier("candidate_id"),
            claims=inner.claims("claims"),
            system=inner.text("system", 200),
        )
        if candidate.candidate_id in seen:
            named = short(candidate.candidate_id)
            inner.wrong("candidate_id", f"{named} stands twice in this reference")
        if candidate.candidate_id:
            seen.add(candidate.candidate_id)
        found.append(candidate)
        problems += inner.problems
    return tuple(found), problems


def line_of(record: ReferenceRecord) -> bytes:
    """Return the line of a reference with at least one candidate, which `read` reads as the same.

    What is "" or None, as nothing was stated, is left out.
    """
    stated = {name: getattr(record, name) for name in (*LONGEST, "draft_claims", "may_train")}
    line = {
        "reference_id": record.reference_id,
        **{name: value for name, value in stated.items() if value not in ("", None)},
        "reference_claims": record.reference_claims,
        "candidates": [
            {
                "candidate_id": one.candidate_id,
                **({"system": one.system} if one.system else {}),
                "claims": one.claims,
            }
            for one in record.candidates
        ],
    }
    return json.dumps(line, ensure_ascii=False).encode() + b"\n"
