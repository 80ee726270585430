"""The words of a limitation as they are compared: by stem, and where they stand in the text."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from patclaimeval.claims.definite_phrases import ORDINALS
from patclaimeval.claims.parsing import citations
from patclaimeval.claims.words import (
    CRAFT_WORDS,
    HEDGE_WORDS,
    Tokens,
    is_content,
    read_tokens,
    stem,
)

ARTICLES: Final = frozenset(("a", "an", "the", "said"))
MARKS: Final = frozenset(",;:.")
# "The pump device" is the pump.
_LIGHT_WORDS: Final = """
apparatus arrangement assembly composition device element material means member part portion serve
system unit
"""
LIGHT_NOUNS: Final = frozenset(map(stem, _LIGHT_WORDS.split()))
# Alone they say nothing: "a lid disposed on", "a lid on".
_LIMITLESS_WORDS: Final = """
disposed existing located method out placed positioned process whether
"""
_LIMITLESS: Final = frozenset(_LIMITLESS_WORDS.split())
HEDGES: Final = frozenset(
    ("about", "approximately", "substantially", "essentially", "generally", "roughly", "nearly")
)
_CITING_WORDS: Final = """
claim claims claimed according accordance recited defined set forth described as in to of any one or
and through the preceding previous
"""
_CITING: Final = frozenset(_CITING_WORDS.split())
# What is quoted neither begins nor ends with them.
_AT_BORDERS: Final = MARKS | {"and", "or"}
_LONGEST_TAIL: Final = 3


@dataclass(frozen=True, slots=True)
class Wording:
    """The tokens of a limitation, or of the places where it stands, with their places in the text.

    `keys` are the tokens as written, folded; `stems` what they are compared by.
    """

    text: str
    starts: list[int]
    ends: list[int]
    keys: list[str]
    stems: list[str]
    counts: Counter[str]
    """How often each key and each stem stands there."""


def read_wording(text: str, start: int, end: int) -> Wording:
    """Return the tokens of a span of a claim set."""
    part = without_escapes(text[start:end])
    found = read_tokens(part)
    places: Iterable[int] = range(len(found.keys))
    if "claim" in part or any(map(str.isdigit, part)):
        cited = _citing_places(part, found)
        places = [place for place in places if place not in cited]
    keys = [found.keys[place] for place in places]
    stems = list(map(_key, keys))
    return Wording(
        text,
        [start + found.starts[place] for place in places],
        [start + found.ends[place] for place in places],
        keys,
        stems,
        _count(keys, stems),
    )


def _citing_places(text: str, tokens: Tokens) -> set[int]:
    """Return the tokens of citations, "according to claim 1": claims are compared by their tree."""
    found: set[int] = set()
    for one in citations(text):
        first, stop = (bisect_left(tokens.starts, place) for place in (one.start, one.end))
        found.update(range(first, stop))
        while first and first - 1 not in found and tokens.keys[first - 1] in _CITING:
            first -= 1
            found.add(first)
    return found


def _count(keys: Sequence[str], stems: Sequence[str]) -> Counter[str]:
    """Count keys and stems; a word that is its own stem counts once."""
    counts = Counter(stems)
    counts.update(key for key, word in zip(keys, stems, strict=True) if key != word)
    return counts


def rename(wording: Wording, renamed: Mapping[str, str]) -> Wording:
    """Return a wording whose stems are those of other names, by the stems that they have."""
    if not renamed or renamed.keys().isdisjoint(wording.stems):
        return wording
    stems = [renamed.get(word, word) for word in wording.stems]
    return replace(wording, stems=stems, counts=_count(wording.keys, stems))


def join_wordings(parts: Sequence[Wording]) -> Wording:
    """Return several spans of one claim set as one wording, in the order given."""
    if len(parts) == 1:
        return parts[0]
    counts = Counter[str]()
    for part in parts:
        counts.update(part.counts)
    return Wording(
        parts[0].text if parts else "",
        [start for part in parts for start in part.starts],
        [end for part in parts for end in part.ends],
        [key for part in parts for key in part.keys],
        [word for part in parts for word in part.stems],
        counts,
    )


def without_escapes(text: str) -> str:
    """Return a text with blanks for line ends that a program wrote out ("\\n"), as long as it."""
    return text.replace("\\n", "  ").replace("\\t", "  ")


def _key(key: str) -> str:
    """Return what a token is compared by: content words by their stem."""
    if not is_content(key):
        return "the" if key in ("said", "a", "an") else key
    if key.endswith("s") and key[:-1].isupper():
        # "CMTSs" is the plural of "CMTS".
        return stem(key[:-1])
    return stem(key)


def limits(key: str) -> bool:
    """Return whether a word limits a claim: neither a function word nor one of drafting."""
    if key in HEDGES or key in HEDGE_WORDS:
        return True
    if not is_content(key) or key in _LIMITLESS or stem(key) in LIGHT_NOUNS:
        return False
    return key not in CRAFT_WORDS or key in ORDINALS


def neighbours_in(wording: Wording) -> Iterator[tuple[str, str]]:
    """Yield the pairs of content words of a text that stand next to one another."""
    before = ""
    for key, word in zip(wording.keys, wording.stems, strict=True):
        if is_content(key):
            if before:
                yield before, word
            before = word
        elif key in MARKS:
            before = ""


def pairs_at(place: int, wording: Wording) -> Iterator[tuple[str, str]]:
    """Yield a word with the content word before it, and with that behind it."""
    stems, keys = wording.stems, wording.keys
    for step in (-1, 1):
        at = place + step
        while 0 <= at < len(keys) and not is_content(keys[at]) and keys[at] not in MARKS:
            at += step
        if 0 <= at < len(keys) and is_content(keys[at]):
            yield (stems[at], stems[place]) if step < 0 else (stems[place], stems[at])


def span_of(places: Sequence[int], wording: Wording, *, is_alone: bool) -> tuple[int, int] | None:
    """Return from where to where words stand; alone, up to the end of the noun phrase."""
    if not places:
        return None
    words = [place for place in places if wording.keys[place] not in _AT_BORDERS] or places
    first, last = _compound_end(words[0], wording, -1), _compound_end(words[-1], wording, 1)
    # "Formed on the base" is quoted as "formed on the base layer".
    if is_alone and not all(map(is_content, wording.keys[first:last])):
        last = next(
            (
                place
                for place in range(last, min(last + _LONGEST_TAIL, len(wording.keys) - 1))
                if is_content(wording.keys[last]) and not is_content(wording.keys[place + 1])
            ),
            last,
        )
    return wording.starts[first], wording.ends[last]


def _compound_end(place: int, wording: Wording, step: int) -> int:
    """Return where a word with hyphens begins, or ends."""
    keys, count = wording.keys, len(wording.keys)
    while 0 <= place + 2 * step < count and keys[place + step] == "-":
        if not (is_content(keys[place]) and is_content(keys[place + 2 * step])):
            break
        place += 2 * step
    return place


def keys_between(places: Sequence[int], wording: Wording) -> tuple[str, ...]:
    """Return the tokens from the first to the last of some places, articles left out."""
    if not places:
        return ()
    keys = wording.keys[places[0] : places[-1] + 1]
    return tuple(key.lower() for key in keys if key not in ARTICLES)
