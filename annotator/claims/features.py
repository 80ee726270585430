"""Owns the cut of one claim into features: preamble, listed elements, wherein clauses."""

import re
from dataclasses import dataclass

from annotator.claims.parsing import Claim

# A feature ends after a semicolon and the conjunction that follows it, at a line break, after the
# colon that opens a list (of letters: "1: 2" is a ratio), and before "wherein", ", where",
# ", in which" or ", characterised in that". Ideographic text has marks of its own. A label in
# brackets ("(a)") stays with what it labels.
_CUT = re.compile(
    r"[;\uff1b]\s*(?:(?:and|or)\b(?:/or\b)?\s*)?"
    r"|(?<=[a-z)]):\s+(?=[^\W\d]|[(\[\u2022*-])|(?<=comprising):\s*|\uff1a\s*|\n\s*"
    r"|(?<=[\s,])(?=where(?:in|by)\b)|(?<=,\s)(?=where\b|in which\b|characteri[sz]ed\b)"
    r"|\uff0c\s*(?=\u5176\u4e2d|\u5176\u7279\u5f81)",
    re.IGNORECASE,
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
    for match in _CUT.finditer(text):
        while place < len(words) and words[place] < cuts[-1]:
            place += 1
        if place < len(words) and words[place] < match.end() <= last:
            cuts.append(match.end())
    ends = [*cuts[1:], len(text)]
    return tuple(Feature(text[a:b], a, b) for a, b in zip(cuts, ends, strict=True))


def listed_elements(text: str) -> tuple[str, ...]:
    """Cut the words of one claim at its semicolons; joined by ";" they give the input.

    Coarser than `split_features`: one element is one line of a claim's list, with the clauses
    that belong to it. A claim without a list has one element.
    """
    return tuple(text.split(";"))


def count_elements(claims: tuple[Claim, ...]) -> int:
    """Count the elements of a claim set: the lines of every list, and one per other claim.

    This is the number by which the share of dropped features is measured. Range: 0 and up.
    """
    return sum(len(listed_elements(claim.text)) for claim in claims)
