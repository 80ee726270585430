"""The writer of PatentEval's export from Label Studio: the layout that `label_studio.py` reads.

Layout: Zuo et al., "PatentEval", NAACL 2024. It knows one answer a pair, which claims are better on
the whole, and no criteria; a tag's remark, and a tag on the reference, have no place in it.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from annotator.formats.label_studio import (
    HIGHLIGHTS,
    LEFT,
    RIGHT,
    is_literal,
    label_of,
    read_literal,
)
from annotator.typology import tag_of
from patclaimeval.text_io.text import time_text

_SIDES: Final = (("1", LEFT), ("2", RIGHT))
_SELECTED: Final = {1: LEFT, -1: RIGHT}
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class StatedPair:
    """A preference with its texts; tags as they are stored, times with their zone."""

    task: int
    annotation: int
    annotator: int
    ipc: str
    claims: str
    left: str
    right: str
    judgement: int
    error_tags: Sequence[Mapping[str, Any]]
    comment: str
    created_at: datetime
    updated_at: datetime


def write(items: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """Yield a JSON array with one item a line; the empty array for no items.

    Input: items of the layout. Output: UTF-8 without a byte order mark.
    """
    before = b"[\n"
    for item in items:
        yield before + json.dumps(item, ensure_ascii=False).encode()
        before = b",\n"
    yield b"[]\n" if before == b"[\n" else b"\n]\n"


def write_tasks(items: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """Yield a JSON array of tasks that Label Studio imports with their annotations.

    Input: items of the layout, which Label Studio itself only exports. Output: as of `write`.
    """
    return write(map(task_of, items))


def task_of(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return an item as a task with one annotation, for the labels of `docs/label-studio.xml`.

    Highlights of a program are left out: nobody made them.
    """
    answers = {key: _decoded(item.get(key)) for key in _ANSWERS}
    chosen = answers["comparison"] or []
    result = [_region("comparison", "output1,output2", "pairwise", choice) for choice in chosen]
    for number, _ in _SIDES:
        named = answers[f"dimension{number}"]
        choices = named["choices"] if isinstance(named, dict) else [named] if named else []
        marks = [mark for mark in answers[f"mark{number}"] or () if not _is_highlight(mark)]
        comment = item.get(f"comment{number}")
        values: list[tuple[str, str, dict[str, Any]]] = []
        if choices:
            values.append(("dimension", "choices", {"choices": _labels(choices)}))
        values += [("mark", "labels", mark | {"labels": _labels(mark["labels"])}) for mark in marks]
        if comment:
            values.append(("comment", "textarea", {"text": [comment]}))
        result += [
            _region(f"{name}{number}", f"output{number}", kind, value)
            for name, kind, value in values
        ]
    data = {key: value for key, value in item.items() if key not in _ANSWERS}
    return {"data": data, "annotations": [{"result": result}]}


_ANSWERS: Final = ("comparison", "dimension1", "dimension2", "mark1", "mark2")


def _region(name: str, text: str, kind: str, value: Mapping[str, Any]) -> dict[str, Any]:
    return {"from_name": name, "to_name": text, "type": kind, "value": dict(value)}


def _labels(names: Iterable[str]) -> list[str]:
    """Return labels as the labelling interface offers them, highlights of a program left out."""
    return [label_of(name) for name in names if name not in HIGHLIGHTS]


def _decoded(value: Any) -> Any:
    """Return an answer that a table wrote as a text as the list or object that it was."""
    is_written = isinstance(value, str) and is_literal(value)
    return read_literal(value) if is_written else value


def item_of(pair: StatedPair) -> dict[str, Any]:
    """Return a preference as an item of the layout, keys in the order of the published file.

    Input: a preference. Output: `lengthN` counts words, `comparison` is absent for a tie, what
    was marked is counted in UTF-16 units and has its words beside it, the comment is the first.
    """
    return {
        **({"domain": pair.ipc} if pair.ipc else {}),
        "length1": len(_WORD.findall(pair.left)),
        "length2": len(_WORD.findall(pair.right)),
        "output1": pair.left,
        "output2": pair.right,
        "input_claim": pair.claims,
        "id": pair.task,
        **answer_fields(pair),
        "annotator": pair.annotator,
        "annotation_id": pair.annotation,
        "created_at": time_text(pair.created_at),
        "updated_at": time_text(pair.updated_at),
    }


def revised(item: Mapping[str, Any], pair: StatedPair) -> dict[str, Any]:
    """Return an item that was read, with what its preference is now.

    Input: the item, and the preference the same way round. Output: its numbers, lengths and
    highlights stay; its answer, tags, comments and time of change are those of the preference.
    """
    stays = {
        key: value
        for key, value in item.items()
        if not key.startswith(("comparison", "dimension", "comment"))
    }
    answers = answer_fields(pair)
    for number, _ in _SIDES:
        name = f"mark{number}"
        coloured = [mark for mark in _listed(item.get(name)) if _is_highlight(mark)]
        if marks := coloured + answers.pop(name, []):
            answers[name] = marks
        else:
            stays.pop(name, None)
    return {**stays, **answers, "updated_at": time_text(pair.updated_at)}


def answer_fields(pair: StatedPair) -> dict[str, Any]:
    """Return the fields of the answers: comparison, marks, dimensions and comment."""
    fields: dict[str, Any] = {}
    texts = {LEFT: pair.left, RIGHT: pair.right}
    for number, side in _SIDES:
        marks = [
            _mark(tag, texts[side])
            for tag in pair.error_tags
            if tag["side"] == side and "start" in tag
        ]
        if marks:
            fields[f"mark{number}"] = marks
    for number, side in _SIDES:
        tags = (tag for tag in pair.error_tags if tag["side"] == side and "start" not in tag)
        if named := list(dict.fromkeys(_published(tag) for tag in tags)):
            fields[f"dimension{number}"] = named[0] if len(named) == 1 else {"choices": named}
    if pair.judgement:
        fields["comparison"] = [{"selected": _SELECTED[pair.judgement]}]
    if pair.comment:
        fields["comment1"] = pair.comment
    return fields


def _mark(tag: Mapping[str, Any], text: str) -> dict[str, Any]:
    start, end = (len(text[: tag[name]].encode("utf-16-le")) // 2 for name in ("start", "end"))
    quote = text[tag["start"] : tag["end"]]
    return {"end": end, "text": quote, "start": start, "labels": [_published(tag)]}


def _published(tag: Mapping[str, Any]) -> str:
    known = tag_of(tag["tag"])
    return known.published if known else str(tag["tag"])


def _listed(value: Any) -> list[Any]:
    found = _decoded(value)
    return found if isinstance(found, list) else []


def _is_highlight(mark: Any) -> bool:
    return isinstance(mark, dict) and set(mark.get("labels", ())) <= HIGHLIGHTS
