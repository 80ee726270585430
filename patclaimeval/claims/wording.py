"""The words of a limitation as they are compared: by stem, and where they stand in the text."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from patclaimeval.claims.definite_phrases import ORDINALS
from patclaimeval.claims.parsing import citations
from patclaimeval.claims.words import CRAFT_WORDS, HEDGE_WORDS, is_content, read_tokens, stem

ARTICLES: Final = frozenset(("a", "an", "the", "said"))
MARKS: Final = frozenset(",;:.")
# "The pump device" is the pump.
_LIGHT_WORDS: Final = """
apparatus arrangement assembly composition device element material means member part portion serve
system unit
"""
LIGHT_NOUNS: Final = frozenset(map(stem, _LIGHT_WORDS.split()))
# Alone they say nothing: "a lid disposed on", "a lid on".
_PLACING: Final = frozenset(("disposed", "located", "positioned", "placed", "existing", "whether"))
HEDGES: Final = frozenset(
    ("about", "approximately", "substantially", "essentially", "generally", "roughly", "nearly")
)
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
    # The numbers of cited claims are compared by the claims that they name.
    places: Iterable[int] = range(len(found.keys))
    if any(map(str.isdigit, part)):
        cited = {at for one in citations(part) for at in range(one.start, one.end)}
        places = [place for place in places if found.starts[place] not in cited]
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
    return stem(key)


def limits(key: str) -> bool:
    """Return whether a word limits a claim: neither a function word nor one of drafting."""
    if key in HEDGES or key in HEDGE_WORDS:
        return True
    if not is_content(key) or key in _PLACING or stem(key) in LIGHT_NOUNS:
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
    last = places[-1]
    # "Formed on the base" is quoted as "formed on the base layer".
    is_alone = is_alone and not all(map(is_content, wording.keys[places[0] : last]))
    while is_alone and last - places[-1] < _LONGEST_TAIL and last + 1 < len(wording.keys):
        if not is_content(wording.keys[last + 1]):
            return wording.starts[places[0]], wording.ends[last]
        last += 1
    return wording.starts[places[0]], wording.ends[places[-1]]


def keys_between(places: Sequence[int], wording: Wording) -> tuple[str, ...]:
    """Return the tokens from the first to the last of some places, articles left out."""
    if not places:
        return ()
    keys = wording.keys[places[0] : places[-1] + 1]
    return tuple(key.lower() for key in keys if key not in ARTICLES)
