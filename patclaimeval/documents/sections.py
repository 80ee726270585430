"""Finds the claims of a document by its headings, in five languages, or asks.

They are English, German, French, Chinese (simplified and traditional) and Japanese.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from patclaimeval.documents.records import (
    Notes,
    Passage,
    Place,
    ReadOptions,
    Severity,
    list_numbers,
)


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A paragraph or line of the source, its automatic number apart from its text.

    `opens` is the number where the automatic number is one that a claim can have; `in_list` names
    the list that counts it, so that the steps of a claim are not taken for claims. One that `joins`
    goes on where the line before it ends.
    """

    text: str
    place: Place
    label: str = ""
    opens: int | None = None
    in_list: str = ""
    is_heading: bool = False
    joins: bool = False

    @property
    def shown(self) -> str:
        """The line as a reader sees it."""
        return f"{self.label} {self.text}" if self.label else self.text


_CLAIMS_HEADINGS: Final = {
    "en": re.compile(
        r"(?:(?:the )?(?:amended |pending |patent )?claims?|(?:listing|list|set|copy) of (?:the )?"
        r"(?:amended |pending )?claims|amendments? to the claims|(?:in the )?claims?"
        r"|what is claimed(?: is| as new.*)?|what (?:i|we) claim(?: is)?|(?:i|we)(?: hereby)? claim"
        r"|(?:the )?invention(?: which is)? claimed is|it is claimed|(?:i|we) claim as (?:my|our) "
        r"invention|having .{0,200}what is claimed(?: as new.*| is)?|claimed is)"
    ),
    "de": re.compile(
        r"(?:(?:patent|schutz|neue |geänderte )?(?:patent|schutz)?anspr(?:ü|ue)che?|haupt- und "
        r"hilfsanspr(?:ü|ue)che)"
    ),
    "fr": re.compile(r"(?:les )?revendications?(?: modifiées)?|ce qui est revendiqué(?: est)?"),
    "ja": re.compile("(?:(?:補正|訂正)?特許|実用新案登録)?請求の範囲"),
    "zh": re.compile(
        "(?:修改后的|修改後的)?(?:权利要求书?|權利要求書?|申請專利範圍|专利权利要求书)"
    ),
}
_NAMES_CLAIMS: Final = ("claim", "anspr", "revendi", "請求の範囲", "利要求", "專利範圍")
_ENDS: Final = re.compile(
    r"(?:abstract(?: of the (?:disclosure|invention))?|(?:detailed )?description|drawings?"
    r"|figures?|specification|remarks(?: ?/ ?arguments)?|arguments|conclusion|sequence listing"
    r"|(?:list of )?reference (?:signs|numerals|characters)(?: list)?|what is described.*"
    r"|zusammenfassung|beschreibung|zeichnung(?:en)?|bezugszeichen(?:liste)?|figuren"
    r"|abr[ée]g[ée](?: descriptif)?|dessins?|liste des r[ée]f[ée]rences|\*(?: ?\*){2,}"
    r"|要約書?|明細書|発明の(?:詳細な説明|名称)|考案の(?:詳細な説明|名称)|図面(?:の簡単な説明)?"
    r"|说明书(?:摘要|附图)?|說明書(?:摘要|附圖)?|摘要(?:附图|附圖)?|发明名称|發明名稱|附图说明|圖式"
    r"|\d+/\d+)"
)
# "P A T E N T A N S P R Ü C H E", as some type it.
_SPACED: Final = re.compile(r"(?:\w[ \u3000]+){4,}\w|(?:[\u3040-\u9fff][ \u3000]+)+[\u3040-\u9fff]")
# Japanese applications name their parts so: "【書類名】特許請求の範囲".
_PART_NAME: Final = re.compile("^【\\s*書類名\\s*】\\s*")
# A heading and claim 1 in one paragraph: "What is claimed is: 1. A pump".
_RUN_IN: Final = re.compile(
    r"(?P<head>[^.:;\d]{4,120}):\s+(?=(?:claim )?1\s*[.):]\s)", re.IGNORECASE
)
# 权利要求, 權利要求, 请求项 and 請求項, each with a number: "【請求項１】", "权利要求1".
# Without such a word a number in these brackets is that of a paragraph.
HAN_MARK: Final = (
    r"[(\uff08\u3010\uff3b]?(?:[权權]利要求|[请請]求[项項])\s*{number}\d{{1,4}})"
    r"(?:\s{{0,2}}[.:\uff1a\uff0e\u3001)\uff09\u3011\uff3d]|(?=\s|$))"
)
_NUMBERED: Final = re.compile(
    r"\s*(?:[(\uff08]?(?:claim|anspruch|revendication)?\s*(?P<number>\d{1,4})"
    r"(?:\s{0,2}(?:[.):\uff1a\uff0e\u3001\uff09]|(?:-|\u2013|to)\s*\d)|(?=\s+[A-Z]))"
    rf"|{HAN_MARK.format(number='(?P<han>')})",
    re.IGNORECASE,
)
# Sentences such as "This listing of claims replaces all prior versions" stand before claim 1.
_MOST_BEFORE: Final = 6


def _plain(text: str) -> str:
    """Return a line as headings are compared: lower case, no outer marks, no wide spacing."""
    line = _PART_NAME.sub("", text.strip()).strip("\u3010\u3011\uff3b\uff3d")
    if _SPACED.fullmatch(line):
        line = re.sub(r"\s", "", line)
    line = re.sub(r"^(?:[IVX]+|[A-Z]|\d{1,2})[.)]\s+", "", line)
    return re.sub(r"\s+", " ", line.lower()).strip(" .:;-\u2013\u2014#_")


def claims_heading(text: str) -> str:
    """Return the language of a line that is a heading of claims and nothing else; "" for others."""
    # Of hundreds of thousands of lines few are looked at closely.
    compact = text[:300].lower().replace(" ", "").replace("\u3000", "")
    if len(text) > 300 or not any(word in compact for word in _NAMES_CLAIMS):
        return ""
    plain = _plain(text)
    return next((lang for lang, known in _CLAIMS_HEADINGS.items() if known.fullmatch(plain)), "")


def ends_claims(text: str) -> bool:
    """Return whether a line is the heading of what may follow the claims."""
    return len(text) <= 80 and _ENDS.fullmatch(_plain(text) or text.strip()) is not None


def numbered(line: SourceLine) -> int | None:
    """Return the number with which a line begins like a claim."""
    if line.opens is not None:
        return line.opens
    found = _NUMBERED.match(line.text)
    return int(found["number"] or found["han"]) if found and not line.label else None


@dataclass(frozen=True, slots=True)
class Section:
    """The lines that are claims, the language of their heading, and the lines around them."""

    lines: tuple[SourceLine, ...] = ()
    language: str = ""
    before: tuple[SourceLine, ...] = ()
    after: tuple[SourceLine, ...] = ()


def find_section(lines: Sequence[SourceLine], options: ReadOptions, notes: Notes) -> Section:
    """Return the claims section of a document; without lines where somebody has to be asked.

    Inputs: all lines in order, and where the person said that the claims begin and end. Output: the
    lines after the heading up to the next one that is known to follow claims. A document that
    begins with claim 1 needs no heading. Findings say what was taken, or ask.
    """
    lines = _split_run_in(lines)
    if options.first is not None or options.last is not None:
        return _chosen(lines, options)
    starts = _starts(lines)
    if not starts and _begins_with_claims(lines):
        notes.add(Severity.NOTE, "no heading", "No heading of claims; the file begins with them.")
        return _section(lines, 0, 0, notes)
    if not starts:
        notes.add(
            Severity.QUESTION,
            "where claims begin",
            "No heading of claims was found (Claims, What is claimed is, Patentansprüche, "
            "Revendications, 特許請求の範囲, 权利要求书). "
            f"Say at which {_unit(lines)} the claims begin.",
        )
        return Section(before=tuple(lines))
    if len(starts) > 1:
        where = list_numbers(lines[start].place.number for start, _ in starts)
        notes.add(
            Severity.QUESTION,
            "where claims begin",
            f"Claims follow more than one heading, at {_unit(lines)}s {where}. Say at which "
            f"{_unit(lines)} the claims begin and end.",
        )
        return Section(before=tuple(lines))
    return _section(lines, *starts[0], notes)


def _unit(lines: Sequence[SourceLine]) -> str:
    return lines[0].place.unit if lines else "line"


def _split_run_in(lines: Sequence[SourceLine]) -> list[SourceLine]:
    found: list[SourceLine] = []
    for line in lines:
        match = _RUN_IN.match(line.text) if not line.label and ":" in line.text else None
        if match and claims_heading(match["head"]):
            found.append(replace(line, text=match["head"], is_heading=True))
            found.append(replace(line, text=line.text[match.end() :]))
        else:
            found.append(line)
    return found


def _chosen(lines: Sequence[SourceLine], options: ReadOptions) -> Section:
    first = options.first or 1
    last = options.last if options.last is not None else lines[-1].place.number if lines else 0
    inside = [line for line in lines if first <= line.place.number <= last]
    while inside and (not inside[0].text.strip() or claims_heading(inside[0].shown)):
        inside.pop(0)
    before = tuple(line for line in lines if line.place.number < first)
    after = tuple(line for line in lines if line.place.number > last)
    return Section(tuple(inside), "", before, after)


def _starts(lines: Sequence[SourceLine]) -> list[tuple[int, int]]:
    """Return for each heading that claims follow where it stands and where the claims begin."""
    starts: list[tuple[int, int]] = []
    for place, line in enumerate(lines):
        if not claims_heading(line.shown):
            continue
        begin = _first_numbered(lines, place + 1)
        if begin is None:
            continue
        if starts and starts[-1][1] == begin:
            # "CLAIMS", "What is claimed is:": two headings of one section.
            continue
        starts.append((place, begin))
    return starts or _unnumbered(lines)


def _first_numbered(lines: Sequence[SourceLine], start: int) -> int | None:
    seen = 0
    for place in range(start, len(lines)):
        line = lines[place]
        if not line.text.strip() and line.opens is None:
            continue
        if numbered(line) is not None:
            return place
        if ends_claims(line.shown) or seen >= _MOST_BEFORE:
            return None
        seen += 1
    return None


def _unnumbered(lines: Sequence[SourceLine]) -> list[tuple[int, int]]:
    """Return the one heading under which a single claim without a number stands, as in designs."""
    headings = [place for place, line in enumerate(lines) if claims_heading(line.shown)]
    if not headings:
        return []
    last = headings[-1]
    body = [place for place in range(last + 1, len(lines)) if lines[place].text.strip()]
    if not body or ends_claims(lines[body[0]].shown) or len(headings) > 2:
        return []
    return [(headings[0] if len(headings) == 1 else last, body[0])]


def _begins_with_claims(lines: Sequence[SourceLine]) -> bool:
    first = next((line for line in lines if line.text.strip() or line.opens is not None), None)
    return first is not None and numbered(first) is not None


def _section(lines: Sequence[SourceLine], heading: int, begin: int, notes: Notes) -> Section:
    end = next(
        (
            place
            for place in range(begin + 1, len(lines))
            if ends_claims(lines[place].shown) and numbered(lines[place]) is None
        ),
        len(lines),
    )
    preface = [line for line in lines[heading:begin] if line.text.strip()]
    for line in preface:
        if not claims_heading(line.shown):
            notes.leave_out(
                "text before the first claim", "it stands between heading and claims", line.place
            )
    inside = []
    for line in lines[begin:end]:
        if claims_heading(line.shown):
            notes.leave_out("heading", "a heading among the claims is none of them", line.place)
            continue
        if line.is_heading and numbered(line) is None and line.text.strip():
            sentence = "A heading stands among the claims and was taken for a part of them."
            notes.add(Severity.CHECK, "heading among claims", sentence, line.place)
        inside.append(line)
    language = claims_heading(lines[heading].shown)
    return Section(tuple(inside), language, tuple(lines[:heading]), tuple(lines[end:]))


_ABSTRACT: Final = re.compile(
    r"abstract.*|zusammenfassung|abr[ée]g[ée].*|要約書?|(?:说明书|說明書)?摘要"
)
_ABSTRACT_WORDS: Final = ("abstr", "zusammenf", "abr", "要約", "摘要")
_PARAGRAPH_NUMBER: Final = re.compile(
    "\\s*[\\[\uff3b\u3010]\\s*(\\d{4,5})\\s*[\\]\uff3d\u3011]\\s*"
)


def _begins_abstract(text: str) -> bool:
    # Of hundreds of thousands of lines few are looked at closely.
    compact = text[:60].lower().replace(" ", "").replace("\u3000", "")
    may_be = any(word in compact for word in _ABSTRACT_WORDS)
    return may_be and _ABSTRACT.fullmatch(_plain(text)) is not None


def context_of(section: Section) -> tuple[Passage, ...]:
    """Return description and abstract: what stands around the claims, blank lines left out."""
    found: list[Passage] = []
    part = "description"
    for line in (*section.before, *section.after):
        text = line.text.strip()
        if not text:
            continue
        is_heading = line.is_heading or ends_claims(text)
        begins_abstract = _begins_abstract(text)
        if is_heading or begins_abstract:
            part = "abstract" if begins_abstract else "description"
        number = _PARAGRAPH_NUMBER.match(text)
        label = line.label or (number[1] if number else "")
        body = text[number.end() :] if number else text
        found.append(Passage(part, body, line.place, label.strip("[]"), is_heading))
    return tuple(found)
