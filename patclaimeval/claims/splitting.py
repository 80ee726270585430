"""Cuts the text of one claim into its limitations, losing no byte."""

import re
from bisect import bisect_left
from dataclasses import dataclass

# A feature ends after a semicolon and the conjunction that follows it, at a line break, after the
# colon that opens a list (of letters: "1: 2" is a ratio), and before "wherein", ", where",
# ", in which" or ", characterised in that", or what German and French have for them. Ideographic
# text has marks of its own; in Japanese an element ends with "to" and a preamble with "deatte". A
# label in brackets ("(a)") stays with what it labels.
_CUT = re.compile(
    r"[;\uff1b]\s*(?:(?:and|or)\b(?:/or\b)?\s*)?"
    r"|(?<=[a-z)]):\s+(?=[^\W\d]|[(\[\u2022*-])|(?<=comprising):\s*|\uff1a\s*|\n\s*"
    r"|(?<=[\s,])(?=where(?:in|by)\b)"
    r"|(?:(?<=,\s)|(?<=,\sand\s))(?=where\b|in which\b|characteri[sz]ed\b)"
    r"|(?<=,\s)(?=(?:wobei|worin|dadurch gekennzeichnet|dans (?:le|la|les)quel(?:le)?s?"
    r"|caract\u00e9ris\u00e9e?s? (?:en ce|par))\b)"
    r"|\uff0c\s*(?=\u5176\u4e2d|\u5176\u7279[\u5f81\u5fb5])|(?<=\u3068)\u3001|(?<=\u3067\u3042\u3063\u3066)\u3001",
    re.IGNORECASE,
)
# Behind the claim that is cited, or behind the words that name what is claimed, the first
# limitation begins: "The pump of claim 1, | further comprising a lid", "A pump comprising | a lid".
_BODY = re.compile(
    r"\bclaims?\s+\d[^,;:]{0,60}(?:,\s*+|\s++)(?:and\s++)?"
    r"(?=(?:further|additionally|also)?\s*+(?:compris|includ|having\b|consist))"
    r"|\A(?:(?!\bwhere|\bclaims?\s)[^;:]){0,300}?\s(?:comprising|comprises|consisting\s+of)\s+"
    r"(?=(?:an?|at\s+least|one|two|the|said)\s|[a-z]+ing\b)"
    r"|\s(?=further\s+(?:comprising|including)\b)",
    re.IGNORECASE,
)
# A comma before "a lid ..." or "said lid having ..." parts two limitations if the words up to the
# next comma on each side are many: fewer are an item of a list.
_COMMA = re.compile(
    r",\s*(?:and\s+)?(?=an?\s+\w|(?:said|the)\s+(?:[\w-]+\s+){1,5}"
    r"(?:being|having|including|comprising|is|are|has|have|includes?|comprises?)\b)",
    re.IGNORECASE,
)
_LONG = 5
# "when the lid is open, the valve ..." is one limitation.
_CONDITION = re.compile(
    r"\b(?:when|whenever|upon|if|while|during|after|before|in\s+response)\b", re.IGNORECASE
)
# One for each run of letters and digits.
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Feature:
    """One limitation of a claim: text == claim_text[start:end], separators included."""

    text: str
    start: int
    end: int


def split_features(text: str) -> tuple[Feature, ...]:
    """Cut the words of one claim into features.

    Input: the text of one claim. Output: features in order whose texts joined give the input,
    byte for byte; a piece that holds no letter or digit joins the one before it; () for "".
    """
    if not text:
        return ()
    cuts = [0]
    words = [match.start() for match in _WORD.finditer(text)]
    last = words[-1] if words else -1
    # The first word after the latest cut: places only move forward, so time stays linear.
    place = 0
    for end in sorted({match.end() for cut in (_CUT, _BODY) for match in cut.finditer(text)}):
        while place < len(words) and words[place] < cuts[-1]:
            place += 1
        if place < len(words) and words[place] < end <= last:
            cuts.append(end)
    cuts = _with_long_parts(text, words, cuts)
    ends = [*cuts[1:], len(text)]
    return tuple(Feature(text[a:b], a, b) for a, b in zip(cuts, ends, strict=True))


def _with_long_parts(text: str, words: list[int], cuts: list[int]) -> list[int]:
    """Return the cuts with those at commas that leave at least _LONG words on each side."""
    found = [(match.start(), match.end()) for match in _COMMA.finditer(text)]
    if not found:
        return cuts
    # What ends a stretch of words: a cut, or any comma.
    borders = sorted({*cuts, len(text), *(match.start() for match in re.finditer(",", text))})
    chosen = []
    for comma, end in found:
        start = borders[bisect_left(borders, comma) - 1]
        after = borders[bisect_left(borders, end)]
        is_long = min(_count(words, start, comma), _count(words, end, after)) >= _LONG
        if is_long and not _CONDITION.search(text, start, comma):
            chosen.append(end)
    return sorted({*cuts, *chosen})


def _count(words: list[int], start: int, end: int) -> int:
    """Return how many words begin in a stretch of the text."""
    return bisect_left(words, end) - bisect_left(words, start)


def listed_elements(text: str) -> tuple[str, ...]:
    """Cut the words of one claim at its semicolons; joined by ";" they give the input.

    Coarser than `split_features`: one element is one line of a claim's list, with the clauses
    that belong to it. A claim without a list has one element.
    """
    return tuple(text.split(";"))
