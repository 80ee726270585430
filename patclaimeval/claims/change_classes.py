"""Differences of two claim texts by what they change: wording and layout, or substance."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from patclaimeval.claims.terms import singular
from patclaimeval.claims.words import is_content


class Change(StrEnum):
    """What a difference is about."""

    SUBSTANCE = "substance"
    SIGNS = "signs"
    ARTICLES = "articles"
    CONNECTIVES = "connectives"
    FORMS = "forms"
    PUNCTUATION = "punctuation"


@dataclass(frozen=True, slots=True)
class ChangeClass:
    """A class of differences: its label on a page, and pairs of texts that differ in it alone."""

    change: Change
    label: str
    examples: tuple[tuple[str, str], ...]


CLASSES: Final = (
    ChangeClass(
        Change.SUBSTANCE,
        "Substance",
        (
            ("a pump of steel", "a pump of brass"),
            ("at least 5 mm", "at least 50 mm"),
            ("a valve and a lid", "a valve or a lid"),
            ("comprising a lid", "consisting of a lid"),
            ("a lid in the housing", "a lid on the housing"),
            ("as in claim 1", "as in claim 11"),
            ("is movable", "is not movable"),
            ("at -5 degrees", "at 5 degrees"),
        ),
    ),
    ChangeClass(
        Change.SIGNS,
        "Reference signs",
        (
            ("the upper (102, 200) is glued", "the upper is glued"),
            ("an opening (138) and a lid", "an opening (16) and a lid"),
            ("a member (27F)", "a member"),
        ),
    ),
    ChangeClass(
        Change.ARTICLES,
        "Articles and determiners",
        (("said layer", "the layer"), ("an apparatus", "the apparatus"), ("such lid", "a lid")),
    ),
    ChangeClass(
        Change.CONNECTIVES,
        "Connecting words",
        (
            ("a lid, wherein the lid", "a lid, in which the lid"),
            ("a pump comprising a lid", "a pump including a lid"),
            ("a layer that is formed", "a layer formed"),
        ),
    ),
    ChangeClass(
        Change.FORMS,
        "Number and form",
        (("the valves open", "the valve open"), ("a processor causes", "a processor cause")),
    ),
    ChangeClass(
        Change.PUNCTUATION,
        "Punctuation and layout",
        (
            ("a lid; a base", "a lid, a base"),
            ("comprising: (a) heating a fluid", "comprising: heating a fluid"),
            ("iii. heating a fluid", "heating a fluid"),
            ("a comfort enhancing part", "a comfort-enhancing part"),
        ),
    ),
)

_ARTICLES: Final = frozenset(
    (
        *("a", "an", "the", "said", "such", "this", "these", "that", "those"),
        *("aforesaid", "aforementioned"),
    )
)
_CONNECTING: Final = """
also and are as be been being by comprise comprised comprises comprising for from further
furthermore had has have having include included includes including is it its of so thereby
therein thereof thus to was were when whereby wherein where which while who whose will with
"""
# No "or", no "not", no "consisting", and no word of place: they change what is claimed.
_CONNECTIVES: Final = frozenset(_CONNECTING.split())
# "in which" and "in that" connect, "in" alone is a place.
_AFTER_IN: Final = frozenset({"which", "that"})
_MARKS: Final = frozenset(",.;:()[]{}\"'\u3001\u3002\uff0c\uff1a\uff1b\u2022*_")
_DASH: Final = "-"
_ALWAYS: Final = {
    **dict.fromkeys(_MARKS, Change.PUNCTUATION),
    **dict.fromkeys(_ARTICLES, Change.ARTICLES),
    **dict.fromkeys(_CONNECTIVES, Change.CONNECTIVES),
}
"""What a word is wherever it stands, but for those that depend on their neighbours."""
_LONGEST_SPECIAL: Final = 4
_LONGEST_SIGN: Final = 12
_LETTERS: Final = 2
_LONGEST_LABEL: Final = 3
_NUMERALS: Final = frozenset(["ii", "iii", "iv", "vi", "vii", "viii", "ix", "xi", "xii"])


def classify(
    keys: Sequence[str], other: Sequence[str], gaps: Sequence[tuple[int, int, int, int]]
) -> tuple[dict[int, Change], dict[int, Change]]:
    """Return the class of each token that differs, by its place, for both sides.

    Inputs: the token keys of two texts as `words.read_tokens` gives them; where they differ, as
    (low, high, start, stop): keys[low:high] stands where other[start:stop] stands. English words
    are read; in other languages what is no sign and no punctuation is of substance. Between two
    words of substance everything but reference signs is of substance too, and so is an article
    that leads such words, so that a phrase is marked as one; where the other side has nothing
    there, all but reference signs. What connects on one side is of substance where the other side
    has substance instead. In doubt a difference is of substance.
    """
    left, right = find_labels(keys), find_labels(other)
    found: tuple[dict[int, Change], dict[int, Change]] = {}, {}
    for low, high, start, stop in gaps:
        here, there = range(low, high), range(start, stop)
        words = (keys[low:high], other[start:stop])
        own = _side(keys, here, left, _forms(words[1], words[0]))
        others = _side(other, there, right, _forms(*words))
        found[0].update(_as_phrases(own, others))
        found[1].update(_as_phrases(others, own))
    return found


def _forms(words: Sequence[str], others: Sequence[str]) -> Counter[str]:
    """Count the singulars of content words that the other side does not have as they are."""
    if not words or not others:
        return Counter()
    elsewhere = set(others)
    return Counter(singular(word) for word in words if is_content(word) and word not in elsewhere)


def _side(
    keys: Sequence[str], places: range, placed: dict[int, Change], forms: Counter[str]
) -> dict[int, Change]:
    found: dict[int, Change] = {}
    for i in places:
        found[i] = placed.get(i) or _word(keys, i)
        if forms and found[i] == Change.SUBSTANCE and forms[form := singular(keys[i])]:
            forms[form] -= 1
            found[i] = Change.FORMS
    return found


def _word(keys: Sequence[str], place: int) -> Change:
    key = keys[place]
    if len(key) > _LONGEST_SPECIAL:
        return _ALWAYS.get(key, Change.SUBSTANCE)
    before = keys[place - 1] if place else ""
    after = keys[place + 1] if place + 1 < len(keys) else ""
    if key == _DASH:
        # A sign or a range of numbers, else a hyphen.
        return Change.SUBSTANCE if after[:1].isdigit() else Change.PUNCTUATION
    if _is_step(key, before, after):
        return Change.PUNCTUATION
    if key == "in" and after in _AFTER_IN:
        return Change.CONNECTIVES
    if key == "that" and (after in _CONNECTIVES or before == "in"):
        return Change.CONNECTIVES
    return _ALWAYS.get(key, Change.SUBSTANCE)


def _is_step(key: str, before: str, after: str) -> bool:
    """Whether a letter or numeral counts the steps of a list: "a. heating", "iii) cooling"."""
    is_letter = (len(key) == 1 and key.isalpha()) or key in _NUMERALS
    return is_letter and after in (".", ")") and not (before.isalnum() or before == "(")


def find_labels(keys: Sequence[str]) -> dict[int, Change]:
    """Return the tokens of reference signs, "(102, 200)", and of list labels, "(a)"."""
    found: dict[int, Change] = {}
    for begin, end in _brackets(keys):
        inside = keys[begin + 1 : end]
        before = keys[begin - 1] if begin else ""
        is_sign = any(key[:1].isdigit() for key in inside) or len("".join(inside)) == 1
        if is_content(before) and before.isalpha() and is_sign and all(map(_is_of_sign, inside)):
            found.update(dict.fromkeys(range(begin, end + 1), Change.SIGNS))
        elif not before[:1].isalnum() and len(inside) == 1 and _is_label(inside[0]):
            found.update(dict.fromkeys(range(begin, end + 1), Change.PUNCTUATION))
    return found


def _brackets(keys: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield where a pair of brackets with little between them opens and closes."""
    for begin, key in enumerate(keys):
        if key == "(":
            for end in range(begin + 2, min(begin + 2 + _LONGEST_SIGN, len(keys))):
                if keys[end] == ")":
                    yield begin, end
                    break
                if keys[end] == "(":
                    break


def _is_of_sign(key: str) -> bool:
    """Whether a token may be part of a reference sign: a number, a letter or two, a comma."""
    return key[:1].isdigit() or (key.isalpha() and len(key) <= _LETTERS) or key in ",-/;'"


def _is_label(key: str) -> bool:
    return key.isalnum() and len(key) <= _LONGEST_LABEL


def _as_phrases(classes: dict[int, Change], others: dict[int, Change]) -> dict[int, Change]:
    """Widen what is of substance to a phrase, in the light of what stands on the other side."""
    places = [i for i, change in classes.items() if change == Change.SUBSTANCE]
    if not places:
        is_exchanged = Change.SUBSTANCE in others.values()
        return {
            i: Change.SUBSTANCE if is_exchanged and change == Change.CONNECTIVES else change
            for i, change in classes.items()
        }
    first, last = places[0], places[-1]
    if not others:
        first, last = min(classes), max(classes)
    while classes.get(first - 1) == Change.ARTICLES:
        first -= 1
    return {
        i: Change.SUBSTANCE if first <= i <= last and change != Change.SIGNS else change
        for i, change in classes.items()
    }
