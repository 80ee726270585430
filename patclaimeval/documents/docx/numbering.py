"""Automatic numbers of Word paragraphs, rendered as a reader sees them.

Rules: ISO/IEC 29500-1, 17.9. A list (`w:num`) counts by its abstract list, which several lists may
share; a list that restates a start begins anew where it is first used.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from patclaimeval.documents.docx.package import child, is_on, value_of, word
from patclaimeval.documents.sections import HAN_MARK
from patclaimeval.documents.xml_trees import local_name

LEVELS: Final = 9
_PLACEHOLDER: Final = re.compile(r"%([1-9])")
_CLAIM_LABEL: Final = re.compile(
    r"(?:(?:claim|anspruch|revendication)\s*)?\(?([1-9]\d{0,3})\s?[.):\u3001\uff0e]?"
    rf"|{HAN_MARK.format(number='(')}",
    re.IGNORECASE,
)
_BULLET: Final = "\u2022"
_ROMAN: Final = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l")),
    *((40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)
_HAN: Final = "〇一二三四五六七八九"


def roman(number: int) -> str:
    """Return 1 to 3,999 in lower-case Roman numerals."""
    found = ""
    for value, letters in _ROMAN:
        found += letters * (number // value)
        number %= value
    return found


def letters(number: int) -> str:
    """Return a, b, ... z, aa, bb, ... as Word does."""
    return chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)


def han(number: int) -> str:
    """Return 1 to 99 in Han numerals as they are counted (十, 十一, 二十)."""
    tens, ones = divmod(number, 10)
    head = "" if tens == 0 else "十" if tens == 1 else _HAN[tens] + "十"
    return head + (_HAN[ones] if ones else "")


def formatted(number: int, kind: str) -> str | None:
    """Return a number in a Word number format; None for one that is not rendered here."""
    match kind:
        case "decimal":
            return str(number)
        case "decimalZero":
            return f"{number:02}"
        case "lowerLetter":
            return letters(number) if number > 0 else ""
        case "upperLetter":
            return letters(number).upper() if number > 0 else ""
        case "lowerRoman":
            return roman(number)
        case "upperRoman":
            return roman(number).upper()
        case "decimalFullWidth" | "decimalFullWidth2":
            return str(number).translate({48 + i: 0xFF10 + i for i in range(10)})
        case (
            "chineseCounting"
            | "chineseCountingThousand"
            | "japaneseCounting"
            | ("taiwaneseCountingThousand")
        ) if 0 < number < 100:
            return han(number)
        case "none":
            return ""
    return None


@dataclass(frozen=True, slots=True)
class Level:
    """One level of a list: where it starts, how it counts, and the text of its numbers."""

    start: int = 1
    kind: str = "decimal"
    text: str = ""
    restarts_after: int | None = None
    is_legal: bool = False
    style: str = ""


@dataclass(frozen=True, slots=True)
class Label:
    """The automatic number of one paragraph; `unread` names a format that is not rendered."""

    text: str = ""
    opens: int | None = None
    in_list: str = ""
    unread: str = ""


@dataclass(slots=True)
class _List:
    abstract: str
    starts: dict[int, int] = field(default_factory=dict)
    own_levels: dict[int, Level] = field(default_factory=dict)
    is_begun: bool = False


class Numbering:
    """Counts the automatic numbers of a document's paragraphs, in their order."""

    def __init__(self, numbering: Any, styles: Any) -> None:
        self._abstracts: dict[str, dict[int, Level]] = {}
        self._links: dict[str, str] = {}
        self._lists: dict[str, _List] = {}
        self._styles: dict[str, tuple[str, str, int | None]] = {}
        self._style_links: dict[str, str] = {}
        self._counts: dict[str, list[int | None]] = {}
        self.default_style = ""
        self.headings: set[str] = set()
        for element in numbering if numbering is not None else ():
            self._take(element)
        for element in styles if styles is not None else ():
            if local_name(element) == "style":
                self._take_style(element)

    def _take(self, element: Any) -> None:
        name = local_name(element)
        if name == "abstractNum":
            key = word(element, "abstractNumId") or ""
            self._abstracts[key] = dict(_levels(element))
            link = child(element, "numStyleLink")
            if link is not None:
                self._links[key] = word(link, "val") or ""
        elif name == "num":
            abstract = child(element, "abstractNumId")
            found = _List((word(abstract, "val") if abstract is not None else "") or "")
            for override in (item for item in element if local_name(item) == "lvlOverride"):
                level = _whole(word(override, "ilvl"), 0)
                start = child(override, "startOverride")
                if start is not None:
                    found.starts[level] = _whole(word(start, "val"), 1)
                found.own_levels.update(_levels(override))
            self._lists[word(element, "numId") or ""] = found

    def _take_style(self, element: Any) -> None:
        key = word(element, "styleId") or ""
        name = child(element, "name")
        based = child(element, "basedOn")
        shown = ((word(name, "val") if name is not None else "") or "").lower()
        if re.match(r"(?:heading|title|überschrift|titre)\b", shown):
            self.headings.add(key)
        if word(element, "type") == "paragraph" and is_on_attribute(word(element, "default")):
            self.default_style = key
        number = child(element, "pPr", "numPr")
        if number is not None and word(element, "type") == "numbering":
            self._style_links[key] = value_of(number, "numId")
        level = child(number, "ilvl") if number is not None else None
        self._styles[key] = (
            (word(based, "val") if based is not None else "") or "",
            value_of(number, "numId") if number is not None else "",
            _whole(word(level, "val"), 0) if level is not None else None,
        )

    def label(self, properties: Any, style: str) -> Label:
        """Count a paragraph and return its number; it is empty where the paragraph has none.

        Inputs: the paragraph's properties (`w:pPr`, or None) and its style. To be called once for
        each paragraph that is there, in order.
        """
        numbered = child(properties, "numPr") if properties is not None else None
        own = child(numbered, "numId") if numbered is not None else None
        key, level = self._of_style(style)
        if own is not None:
            key = word(own, "val") or ""
        if numbered is not None and child(numbered, "ilvl") is not None:
            level = _whole(word(child(numbered, "ilvl"), "val"), 0)
        found = self._lists.get(key)
        if found is None or key == "0":
            return Label()
        return self._counted(found, min(max(level or 0, 0), LEVELS - 1))

    def _of_style(self, style: str) -> tuple[str, int | None]:
        seen: set[str] = set()
        name = style or self.default_style
        while name in self._styles and name not in seen:
            seen.add(name)
            base, key, level = self._styles[name]
            if key:
                levels = self._levels_of(self._lists.get(key))
                of_style = (i for i, item in levels.items() if item.style == style and style)
                return key, next(of_style, level)
            name = base
        return "", None

    def _levels_of(self, found: _List | None) -> dict[int, Level]:
        if found is None:
            return {}
        return self._abstracts.get(self._abstract_of(found), {}) | found.own_levels

    def _abstract_of(self, found: _List) -> str:
        """Return the list that counts: some only name a style whose list does."""
        link = self._links.get(found.abstract, "")
        linked = self._lists.get(self._style_links.get(link, ""))
        return linked.abstract if linked else found.abstract

    def _counted(self, found: _List, level: int) -> Label:
        levels = self._levels_of(found)
        abstract = self._abstract_of(found)
        counts = self._counts.setdefault(abstract, [None] * LEVELS)
        if not found.is_begun:
            found.is_begun = True
            for place, start in found.starts.items():
                if 0 <= place < LEVELS:
                    counts[place] = start - 1
        own = levels.get(level, Level())
        before = counts[level]
        counts[level] = own.start if before is None else before + 1
        for place in range(level):
            if counts[place] is None:
                counts[place] = levels.get(place, Level()).start
        for deeper in range(level + 1, LEVELS):
            after = levels.get(deeper, Level()).restarts_after
            if after is None or (after > 0 and level < after):
                counts[deeper] = None
        return self._rendered(levels, counts, level, abstract)

    def _rendered(
        self, levels: dict[int, Level], counts: list[int | None], level: int, abstract: str
    ) -> Label:
        own = levels.get(level, Level())
        if own.kind == "bullet":
            return Label(_BULLET, in_list=f"{abstract}/{level}")
        unread = ""

        def number(match: re.Match[str]) -> str:
            nonlocal unread
            place = int(match[1]) - 1
            other = levels.get(place, Level())
            kind = "decimal" if own.is_legal and place < level else other.kind
            text = formatted(counts[place] or 0, kind)
            if text is None:
                unread = kind
                text = str(counts[place] or 0)
            return text

        text = _PLACEHOLDER.sub(number, own.text).strip()
        match = _CLAIM_LABEL.fullmatch(text)
        return Label(
            text, int(match[1] or match[2]) if match else None, f"{abstract}/{level}", unread
        )


def is_on_attribute(value: str | None) -> bool:
    """Return whether an attribute of type on-off is on."""
    return value in ("1", "true", "on")


def _levels(element: Any) -> Iterator[tuple[int, Level]]:
    for item in element:
        if local_name(item) != "lvl":
            continue
        restart = child(item, "lvlRestart")
        yield (
            _whole(word(item, "ilvl"), 0),
            Level(
                _whole(value_of(item, "start"), 1),
                value_of(item, "numFmt") or "decimal",
                value_of(item, "lvlText"),
                _whole(word(restart, "val"), 0) if restart is not None else None,
                is_on(child(item, "isLgl")),
                value_of(item, "pStyle"),
            ),
        )


def _whole(text: str | None, default: int) -> int:
    return int(text) if text and text.isdigit() and len(text) < 9 else default
