"""What a Label Studio export says of one of the two outputs: error tags, marks and the comment."""

from dataclasses import dataclass, field
from typing import Any, Final

from annotator.formats.shapes import Shape, type_words
from annotator.formats.strict_json import short
from annotator.typology import CLAIMS, MOST_TAGS, tag_of

LONGEST_COMMENT: Final = 9_000
# Words that the authors' program had coloured before anybody annotated: they say nothing of what
# the annotator thought, and some lie beyond the end of the text.
HIGHLIGHTS: Final = frozenset({"UNK", "PROFANITY", "RELATIVE", "UNCLEAR"})
# The published list ends with a choice that asks for a comment; the typology has no such tag.
OTHER: Final = "other"


@dataclass(slots=True)
class SideSaid:
    """What was said of one side, as it is gathered."""

    side: str
    error_tags: list[dict[str, Any]] = field(default_factory=list)
    comment: str = ""
    highlights: int = 0
    has_other_error: bool = False


def said_of_side(shape: Shape, number: str, side: str, claims: str) -> SideSaid:
    """Read dimensionN, markN and commentN of an annotation; problems are noted in the shape.

    Input: the annotation, "1" or "2", what that side is called here, and its claims. Output: tags
    by code, first those with a span; a tag that is marked somewhere is not named without a place.
    """
    said = SideSaid(side, comment=shape.text(f"comment{number}", LONGEST_COMMENT))
    named = _named(shape, f"dimension{number}", said)
    _read_marks(shape, f"mark{number}", claims, said)
    marked = {tag["tag"] for tag in said.error_tags}
    said.error_tags += [{"tag": c, "side": side} for c in dict.fromkeys(named) if c not in marked]
    if len(said.error_tags) > MOST_TAGS // 2:
        shape.wrong(f"dimension{number}", f"more than {MOST_TAGS // 2} error tags with the marks")
    return said


def _named(shape: Shape, name: str, said: SideSaid) -> list[str]:
    """Return the codes of the tags chosen: one text, or {"choices": [texts]}."""
    value = shape.given(name, is_required=False)
    if value is None or value == "":
        return []
    choices = [value]
    if isinstance(value, dict):
        inner = Shape(value, ("choices",), name)
        choices = inner.given("choices")
        shape.problems += inner.problems
        if inner.problems:
            return []
    if not isinstance(choices, list) or not all(isinstance(words, str) for words in choices):
        shape.wrong(name, f"a tag or a list of tags was expected, not {type_words(value)}")
        return []
    codes = []
    for words in choices:
        if words.strip().casefold().partition(" ")[0] == OTHER:
            said.has_other_error = True
        elif code := _code(words):
            codes.append(code)
        else:
            shape.wrong(name, f"{short(words)} is none of the claim tags")
    return codes


def _code(words: str) -> str:
    tag = tag_of(words)
    return tag.code if tag and CLAIMS in tag.tasks else ""


def _read_marks(shape: Shape, name: str, claims: str, said: SideSaid) -> None:
    value = shape.given(name, is_required=False)
    if value is None or value == "":
        return
    if not isinstance(value, list):
        shape.wrong(name, f"an array was expected, not {type_words(value)}")
        return
    for number, entry in enumerate(value, start=1):
        inner = Shape(entry, ("start", "end", "text", "labels"), f"{name}[{number}]")
        _read_mark(inner, claims, said)
        shape.problems += inner.problems


def _read_mark(mark: Shape, claims: str, said: SideSaid) -> None:
    start, end = mark.given("start"), mark.given("end")
    words, labels = mark.given("text"), mark.given("labels")
    if mark.problems:
        return
    if type(start) is not int or type(end) is not int or not 0 <= start < end:
        mark.wrong("start", "whole numbers with 0 <= start < end were expected")
    elif not isinstance(words, str):
        mark.wrong("text", f"a text was expected, not {type_words(words)}")
    elif not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        mark.wrong("labels", "an array of texts was expected")
    else:
        for label in labels:
            if label in HIGHLIGHTS:
                said.highlights += 1
            elif code := _code(label):
                _add_span(mark, claims, said, code)
            else:
                mark.wrong("labels", f"{short(label)} is neither a claim tag nor a known highlight")


def _add_span(mark: Shape, claims: str, said: SideSaid, code: str) -> None:
    """Add a tag with its place, which the browser counted in UTF-16 units."""
    start, end = mark.fields["start"], mark.fields["end"]
    units = claims.encode("utf-16-le")
    try:
        before = units[: 2 * start].decode("utf-16-le")
        inside = units[2 * start : 2 * end].decode("utf-16-le")
    except UnicodeDecodeError:
        before, inside = "", ""
    if 2 * end > len(units) or inside != mark.fields["text"]:
        mark.wrong("text", "these words do not stand there in the output")
        return
    at = len(before)
    tag = {"tag": code, "side": said.side, "start": at, "end": at + len(inside)}
    if tag not in said.error_tags:
        said.error_tags.append(tag)
