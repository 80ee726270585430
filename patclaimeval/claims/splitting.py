"""Cuts the text of one claim into its limitations, losing no byte."""

import re
from dataclasses import dataclass

# A feature ends after a semicolon and the conjunction that follows it, at a line break, after the
# colon that opens a list (of letters: "1: 2" is a ratio), and before "wherein", ", where",
# ", in which" or ", characterised in that", or what German and French have for them. Ideographic
# text has marks of its own; in Japanese an element ends with "to" and a preamble with "deatte". A
# label in brackets ("(a)") stays with what it labels.
_CUT = re.compile(
    r"[;\uff1b]\s*(?:(?:and|or)\b(?:/or\b)?\s*)?"
    r"|(?<=[a-z)]):\s+(?=[^\W\d]|[(\[\u2022*-])|(?<=comprising):\s*|\uff1a\s*|\n\s*"
    r"|(?<=[\s,])(?=where(?:in|by)\b)|(?<=,\s)(?=where\b|in which\b|characteri[sz]ed\b)"
    r"|(?<=,\s)(?=(?:wobei|worin|dadurch gekennzeichnet|dans (?:le|la|les)quel(?:le)?s?"
    r"|caract\u00e9ris\u00e9e?s? (?:en ce|par))\b)"
    r"|\uff0c\s*(?=\u5176\u4e2d|\u5176\u7279[\u5f81\u5fb5])|(?<=\u3068)\u3001|(?<=\u3067\u3042\u3063\u3066)\u3001",
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
