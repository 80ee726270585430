"""The error tags of PatentEval as data, and how tags given by people are cleaned for storing.

Source of names and groups: Zuo et al., "PatentEval", NAACL 2024; the definitions are this
project's own words. A tag may point at a span of a text. What is stored is the place, never the
text: the quote of a span is taken from the text whenever it is shown. Standard library only.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Final

CLAIMS: Final = "claims"
ABSTRACTS: Final = "abstracts"
CANDIDATE: Final = "candidate"
SIDES: Final = (CANDIDATE, "reference")
MOST_TAGS: Final = 100
LONGEST_REMARK: Final = 500
DATA_FILE: Final = Path(__file__).with_name("typology.toml")
_KEYS: Final = ("tag", "side", "start", "end", "remark")
_GAP: Final = re.compile(r"[\s\-\u2010-\u2015\u2212]+")


@dataclass(frozen=True, slots=True)
class Tag:
    """One kind of error: its stable code, published names, meaning, tasks and usual criteria."""

    code: str
    group: str
    name: str
    definition: str
    tasks: tuple[str, ...]
    criteria: tuple[str, ...]
    published_group: str
    published_name: str

    @property
    def published(self) -> str:
        """The label in the published Label Studio export: `Grammar - Punctuation Discrepancy`."""
        return " - ".join(part for part in (self.published_group, self.published_name) if part)


def _folded(text: str) -> str:
    """Return a text without case, with every run of space and dashes as one hyphen."""
    return _GAP.sub("-", text.strip().casefold())


def _read(task: str, rows: Sequence[Mapping[str, Any]]) -> tuple[Tag, ...]:
    return tuple(
        Tag(
            code=_folded(row["name"]),
            group=row["group"],
            name=row["name"],
            definition=row["definition"],
            tasks=(task,),
            criteria=tuple(row["criteria"]),
            published_group=row.get("published_group", row["group"]),
            published_name=row.get("published_name", row["name"]),
        )
        for row in rows
    )


_DATA: Final = tomllib.loads(DATA_FILE.read_text(encoding="utf-8"))
CLAIM_TAGS: Final[tuple[Tag, ...]] = _read(CLAIMS, _DATA[CLAIMS])
ABSTRACT_TAGS: Final[tuple[Tag, ...]] = _read(ABSTRACTS, _DATA[ABSTRACTS])
_BY_TASK: Final = {CLAIMS: CLAIM_TAGS, ABSTRACTS: ABSTRACT_TAGS}
_BY_NAME: Final[dict[str, Tag]] = {
    _folded(name): tag
    for tag in (*CLAIM_TAGS, *ABSTRACT_TAGS)
    for name in (tag.name, tag.published_name, tag.published, f"{tag.group} - {tag.name}")
}


# The tag of a kind of mark. A claim's own number is at fault where its sentence says so.
OF_A_NUMBER: Final = "number"
TAGS_OF_MARKS: Final = {
    "no-antecedent": "antecedent-reference-errors",
    "likely-basis": "antecedent-reference-errors",
    "sign": "terminological-inconsistency",
    "renamed": "terminological-inconsistency",
    "broken": "dependency-clarity-error",
    "preamble": "preamble-inconsistency-error",
    "misread": "dependency-clarity-error",
    OF_A_NUMBER: "claim-numbering-error",
}


def tag_of(text: str) -> Tag | None:
    """Return the tag of a code, name or published label, or None when there is no such tag.

    Case, the kind of dash and the amount of space do not count: `Format - Claim Numbering Error`
    and `claim-numbering-error` are the same tag.
    """
    return _BY_NAME.get(_folded(text))


def grouped(task: str = CLAIMS) -> tuple[tuple[str, tuple[Tag, ...]], ...]:
    """Return the tags of `claims` or `abstracts` as (group, its tags), in published order.

    Raises ValueError for another task.
    """
    if task not in _BY_TASK:
        raise ValueError(f"no tags for {task}; known are {', '.join(_BY_TASK)}")
    groups = groupby(_BY_TASK[task], key=lambda tag: tag.group)
    return tuple((group, tuple(tags)) for group, tags in groups)


def quote_of(stored: Mapping[str, Any], texts: Mapping[str, str]) -> str:
    """Return the text that a stored tag points at, or "" when it has no span.

    `stored` is one entry of `clean_tags`; `texts` holds the texts by side, as given there.
    """
    if "start" not in stored:
        return ""
    return texts[stored["side"]][stored["start"] : stored["end"]]


def clean_tags(
    sent: Sequence[Any], texts: Mapping[str, str], *, task: str = CLAIMS
) -> list[dict[str, Any]]:
    """Return error tags as they are stored, in the order sent, exact duplicates dropped.

    `sent` is a list; an entry is a code, name or published label, or a mapping with `tag` (the
    same) and optionally `side` (`candidate`, the default, or `reference`), `start` with `end`
    (whole numbers, 0 <= start < end <= length of that side's text, counted in Unicode code
    points, not in the UTF-16 units of a browser) and `remark` (at most 500 characters). `texts`
    holds the text of each side. Each result has `tag` (the code) and `side`, and `start`, `end`,
    `remark` where given; cleaning a result again changes nothing. Raises ValueError with a
    sentence that names the entry, counted from 1, when one is wrong or belongs to another task,
    or when more than 100 remain.
    """
    if not isinstance(sent, list | tuple):
        raise ValueError("Error tags are sent as a list.")
    unique: dict[tuple[Any, ...], dict[str, Any]] = {}
    for number, entry in enumerate(sent, start=1):
        try:
            stored = _clean(entry, texts, task)
        except ValueError as error:
            raise ValueError(f"Error tag {number}: {error}") from error
        unique.setdefault(tuple(stored.items()), stored)
        if len(unique) > MOST_TAGS:
            raise ValueError(f"A rating may have {MOST_TAGS} error tags; this has more.")
    return list(unique.values())


def _clean(entry: Any, texts: Mapping[str, str], task: str) -> dict[str, Any]:
    given: Mapping[str, Any] = {"tag": entry} if isinstance(entry, str) else entry
    if not isinstance(given, Mapping):
        raise ValueError("is neither the words of a tag nor an object with a tag.")
    if unknown := [str(key) for key in given if key not in _KEYS]:
        raise ValueError(f"has no place for {unknown[0][:40]!r}; known are {', '.join(_KEYS)}.")
    side = given.get("side", CANDIDATE)
    if side not in SIDES:
        raise ValueError(f"side is {' or '.join(SIDES)}.")
    return {
        "tag": _known_tag(given, task).code,
        "side": side,
        **_span(given, len(texts[side])),
        **_remark(given),
    }


def _known_tag(given: Mapping[str, Any], task: str) -> Tag:
    name = given.get("tag")
    if not isinstance(name, str):
        raise ValueError("the tag is missing; give its code or its name.")
    tag = tag_of(name)
    if tag is None or task not in tag.tasks:
        known = _BY_TASK[task]
        codes = ", ".join(tag.code for tag in known[:3])
        raise ValueError(f"{name[:40]!r} is none of the {len(known)} {task} tags ({codes}, ...).")
    return tag


def _span(given: Mapping[str, Any], length: int) -> dict[str, int]:
    ends = [given[key] for key in ("start", "end") if key in given]
    if not ends:
        return {}
    if len(ends) == 1:
        raise ValueError("start and end are given together or not at all.")
    if any(type(value) is not int for value in ends):
        raise ValueError("start and end are whole numbers.")
    start, end = ends
    if not 0 <= start < end <= length:
        raise ValueError(f"start and end must obey 0 <= start < end <= {length}, the text's end.")
    return {"start": start, "end": end}


def _remark(given: Mapping[str, Any]) -> dict[str, str]:
    remark = given.get("remark", "")
    if not isinstance(remark, str):
        raise ValueError("the remark is no text.")
    if len(remark) > LONGEST_REMARK:
        raise ValueError(f"a remark may have {LONGEST_REMARK} characters; this has {len(remark)}.")
    if "\x00" in remark:
        raise ValueError("the remark holds a NUL character.")
    # Half of a surrogate pair can neither be stored nor sent as UTF-8.
    if any("\ud800" <= character <= "\udfff" for character in remark):
        raise ValueError("the remark holds a broken character.")
    return {"remark": remark} if remark.strip() else {}
