"""Lines of a PDF put together into paragraphs: divided words joined, claims begun anew."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import Final

from patclaimeval.documents.pdf.layout import Line
from patclaimeval.documents.records import Place
from patclaimeval.documents.sections import HAN_MARK, SourceLine, claims_heading, ends_claims

# PDFium writes a hyphen at the end of a line as U+0002 or U+FFFE.
HYPHENS: Final = "-\u2010\u00ad\u0002\ufffe"
_CLAIM: Final = re.compile(
    r"(?:claim\s*)?\(?(\d{1,4})\s?[.):](?=[\s\u3040-\u30ff\u3400-\u9fff]|$)"
    rf"|(\d{{1,4}})\s?[\uff0e\u3001]|{HAN_MARK.format(number='(')}",
    re.IGNORECASE,
)
_ENDS: Final = re.compile(r"(?:[.;:\u3002\uff1b\uff1a]|[;,]\s*(?:and|or|und|oder|et|ou))$")
_ITEM: Final = re.compile(r"(?:\(?[a-z]{1,2}[).]|\(?[ivx]{1,4}[).]|[-\u2022\u2013])\s")
_WORD: Final = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_DIVIDED: Final = re.compile(rf"([^\W\d_]+)[{HYPHENS}]$")
_NO_SPACE: Final = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\u3000-\u30ff]")
# More space than between lines of a paragraph, more indent than a slip.
_WIDE_GAP: Final = 1.45
_INDENT: Final = 0.8


@dataclass(slots=True)
class Flow:
    """Paragraphs out of lines, and where words were divided that stand nowhere else."""

    paragraphs: list[SourceLine] = field(default_factory=list)
    keeps_hyphens: bool = False
    unsure: list[Place] = field(default_factory=list)


def paragraphs_of(lines: Sequence[Line]) -> Flow:
    """Return the paragraphs of a text.

    Input: its lines in the order of reading, heads and numbers of lines taken out. Output: one
    SourceLine a paragraph, placed where it begins. A paragraph begins after a wide gap, with a new
    indent, with the next number of a claim, or after a line that ends before the edge with a mark.
    A word divided at the end of a line is joined or keeps its hyphen as the text has it elsewhere;
    where it has neither, as most of those are that it has.
    """
    words = _words(lines)
    flow = Flow(keeps_hyphens=_keeps_hyphens(lines, words))
    pitch = median(gaps) if (gaps := [line.gap for line in lines if line.gap > 0]) else 0.0
    rights = _right_edges(lines)
    expected = 1
    parts: list[str] = []
    place = Place("line", 0)
    for before, line in zip([None, *lines], lines, strict=False):
        number = _claim_number(line, expected)
        edge = rights.get((line.page, line.column), line.right)
        if before is None or number or _begins(parts, before, line, pitch, edge):
            if parts:
                flow.paragraphs.append(SourceLine("".join(parts), place))
            parts, place = [line.text], Place("line", line.number, line.page)
        else:
            # Only its end is looked at: a paragraph may be as long as the document.
            parts[-1] = _continued(parts[-1], line, words, flow)
            parts.append(line.text)
        expected = number + 1 if number else expected
    if parts:
        flow.paragraphs.append(SourceLine("".join(parts), place))
    return flow


def _claim_number(line: Line, expected: int) -> int:
    """Return the number with which a line begins, if it is the next of a claim; else 0."""
    found = _CLAIM.match(line.text)
    if not found:
        return 0
    number = int(found[1] or found[2] or found[3])
    return number if number in (1, expected) else 0


def _begins(parts: Sequence[str], before: Line, line: Line, pitch: float, edge: float) -> bool:
    if claims_heading(line.text) or ends_claims(line.text):
        return True
    if claims_heading(before.text) or ends_claims(before.text) or _ITEM.match(line.text):
        return True
    is_beside = (before.page, before.column) == (line.page, line.column)
    if is_beside and pitch and line.gap > _WIDE_GAP * pitch:
        return True
    has_ended = _ENDS.search("".join(parts[-2:])) is not None
    if not is_beside:
        return has_ended and _is_short(before, edge + before.right - line.right)
    indent = line.left - before.left
    return has_ended and (indent > _INDENT * line.height or _is_short(before, edge))


def _is_short(line: Line, edge: float) -> bool:
    return line.right < edge - 3 * line.height


def _right_edges(lines: Sequence[Line]) -> dict[tuple[int, int], float]:
    found: dict[tuple[int, int], float] = {}
    for line in lines:
        key = (line.page, line.column)
        found[key] = max(found.get(key, 0.0), line.right)
    return found


def _words(lines: Sequence[Line]) -> Counter[str]:
    """Count the words that stand whole within lines."""
    found: Counter[str] = Counter()
    for line in lines:
        inner = _WORD.findall(line.text.lower())
        is_divided = line.text[-1:] in HYPHENS
        found.update(inner[:-1] if is_divided else inner)
    return found


def _forms(text: str, following: str, words: Counter[str]) -> tuple[str, str, int, int] | None:
    """Return the two halves of a divided word, and how often it stands with a hyphen and as one."""
    divided = _DIVIDED.search(text)
    after = _WORD.match(following)
    if not divided or not after:
        return None
    head, tail = divided[1], after[0]
    return head, tail, words[f"{head}-{tail}".lower()], words[f"{head}{tail}".lower()]


def _keeps_hyphens(lines: Sequence[Line], words: Counter[str]) -> bool:
    """Return whether more of the words divided here have a hyphen of their own than have none.

    Word processors divide at the hyphens of compounds only, unless they are told to hyphenate.
    """
    own = none = 0
    for before, line in pairwise(lines):
        found = _forms(before.text, line.text, words)
        if found:
            own += found[2] > found[3]
            none += found[3] > found[2]
    return own > none


def _continued(text: str, line: Line, words: Counter[str], flow: Flow) -> str:
    """Return a line as it stands before the one that continues it: without its hyphen, or so."""
    found = _forms(text, line.text, words)
    if found is None:
        if text[-1:] in "\u0002\ufffe\u00ad":
            text = text[:-1] + "-"
        is_close = _NO_SPACE.match(text[-1:]) and _NO_SPACE.match(line.text[:1])
        return text + ("" if is_close or text.endswith(("-", "/")) else " ")
    _, tail, hyphenated, as_one = found
    is_known = hyphenated != as_one
    keeps = hyphenated > as_one if is_known else flow.keeps_hyphens
    if not is_known:
        flow.unsure.append(Place("line", line.number, line.page))
    return text[:-1] + ("-" if keeps or not tail[:1].islower() else "")
