"""Owns the elements that go by two names within one claim set."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from annotator.claims.antecedents import MissingAntecedent, missing_antecedents
from annotator.claims.basis import chains_above
from annotator.claims.foreign_terms import fold
from annotator.claims.parsing import Claim, parse_claims
from annotator.claims.terms import STOP_WORDS, Mention, find_mentions, singular

# "housing (12)" or "housing 12": one reference numeral after a word. Lists "(18, 19)" name several
# elements at once; a bare numeral of one digit, or before a unit, is a count or an amount.
_NUMERAL = re.compile(
    r"(?<=[A-Za-z])[ \t\n]+(?:\((?P<closed>\d{1,4}[a-zA-Z]?'{0,2})\)"
    r"|(?P<bare>\d{2,4}[a-z]?)(?=[ \t\n]*(?:[,;.:)](?!\d)|$)|[ \t\n]+(?!to\b|or\b|of\b|percent\b)"
    r"(?:[a-z]{5,}|is|are|and|has|in|on|at|by|for|from|with|that|the|when)\b))"
)
_WORD = re.compile(r"[A-Za-z][A-Za-z-]*")
_NOT_ELEMENT_WORDS = """
claim embodiment equation example fig figure formula id item least most no number page phase
pressure section seq stage step table temperature type version
"""
_NOT_ELEMENTS = frozenset(_NOT_ELEMENT_WORDS.split())
_LONGEST_NAME = 4
# How far around a name another name of the element may stand: "a Cable Modem, CM, (140)".
_NEARBY = 60
# Nouns that drafters use for one another.
_SYNONYMS = (
    "housing enclosure casing case shell",
    "controller supervisor",
    "processor cpu microprocessor core",
    "sensor probe detector transducer",
    "memory storage store",
    "device apparatus unit module assembly equipment",
    "member part element component piece",
    "signal indication",
    "composition mixture blend formulation",
    "plunger piston ram",
    "chamber cavity space compartment",
    "opening aperture orifice hole",
    "channel passage duct conduit passageway",
    "lid cover cap",
    "shaft spindle axle",
    "rod bar",
    "display screen monitor",
    "vehicle car automobile",
    "base support mount",
    "layer film coating",
    "terminal handset",
    "vessel container receptacle",
)
_GROUPS = {word: place for place, row in enumerate(_SYNONYMS) for word in row.split()}
_SHORTEST_LIKENESS = 9
_SAME_START = 5
_SAME_END = 3
_Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Renaming:
    """One element under a second name: its first name, the later one, and the later one's span."""

    first: str
    then: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Name:
    words: tuple[str, ...]
    start: int
    end: int


def renamed_terms(
    text: str, missing: Sequence[MissingAntecedent] | None = None
) -> tuple[Renaming, ...]:
    """Return the places of a claim set where an element seems to go by a second name.

    Input: the text of a claim set, and its `missing_antecedents` if they are known. Output:
    renamings in order of the later name, spans as offsets into `text`. Two signs count. A reference
    numeral that first stood after another noun ("housing (12)", "enclosure (12)"). And a definite
    term that nothing introduces, where the chain of claims holds a term of the same qualifiers with
    a noun that drafters use for the same thing ("a pump housing", "the pump casing"), of the same
    noun with a qualifier of the same stem ("a controller unit", "the control unit"), or of nearly
    the same letters ("touchscreen", "touch screen"). All else is left alone: a second name is a
    question to the reader, and false ones cost more than missed ones.
    """
    claims = parse_claims(text)
    missing = missing_antecedents(text) if missing is None else missing
    found = {item.start: item for item in _by_introduction(text, claims, missing)}
    found.update((item.start, item) for item in _by_numeral(text))
    return tuple(found[start] for start in sorted(found))


def _by_numeral(text: str) -> Iterator[Renaming]:
    """Yield the later names of numerals whose first name has another noun."""
    first: dict[str, _Name] = {}
    for match in _NUMERAL.finditer(text):
        name = _name_before(text, match.start())
        if name is None:
            continue
        known = first.setdefault(match["closed"] or match["bare"], name)
        if not _one_name(known, name, text):
            yield Renaming(
                text[known.start : known.end], text[name.start : name.end], name.start, name.end
            )


def _name_before(text: str, end: int) -> _Name | None:
    """Return the noun phrase that ends at a place, up to four words back to an article."""
    window = max(0, end - _NEARBY)
    words: list[re.Match[str]] = []
    for match in reversed(list(_WORD.finditer(text, window, end))):
        gap = text[match.end() : words[-1].start() if words else end]
        if match.group().lower() in STOP_WORDS or gap.strip(" \t\n") or len(words) == _LONGEST_NAME:
            break
        words.append(match)
    if not words:
        return None
    head = words[0].group().lower()
    # "Receiving (720)" numbers a step, not an element.
    if singular(head) in _NOT_ELEMENTS or head.endswith(("ing", "ed", "ly")):
        return None
    folded = tuple(singular(word.group().lower()) for word in reversed(words))
    return _Name(folded, words[-1].start(), words[0].end())


def _one_name(first: _Name, then: _Name, text: str) -> bool:
    """Whether two names of a numeral may be one: a noun of one is in or beside the other."""
    stems = {fold(word) for word in first.words}
    if fold(then.words[-1]) in stems or fold(first.words[-1]) in map(fold, then.words):
        return True
    if _is_acronym(first.words, then.words) or _is_acronym(then.words, first.words):
        return True
    beside_first = _words_around(text, first)
    return fold(then.words[-1]) in beside_first or fold(first.words[-1]) in _words_around(
        text, then
    )


def _words_around(text: str, name: _Name) -> set[str]:
    around = text[max(0, name.start - _NEARBY) : name.end + _NEARBY // 3]
    return {fold(singular(word.lower())) for word in _WORD.findall(around)}


def _is_acronym(short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    initials = "".join(word[0] for word in long)
    return len(long) > 1 and short[-1] in (initials, initials + "s")


def _by_introduction(
    text: str, claims: tuple[Claim, ...], found_missing: Sequence[MissingAntecedent]
) -> Iterator[Renaming]:
    """Yield the definite terms that nothing introduces and that resemble a term of their chain."""
    missing = {item.start for item in found_missing}
    introduced: dict[_Key, _Introduced] = {}
    lowered = text.lower()
    first_places: dict[str, int] = {}
    for place, (claim, above) in enumerate(zip(claims, chains_above(claims), strict=True)):
        reach = above | 1 << place
        mentions = [(_as_name(mention, claim), mention) for mention in find_mentions(claim.text)]
        for name, mention in mentions:
            if not mention.is_definite:
                for key in _keys(name.words):
                    introduced.setdefault(key, _Introduced()).add(place, name)
        for then, mention in mentions:
            if not mention.is_definite:
                continue
            keys = _keys(then.words) if claim.start + mention.start in missing else ()
            like = _alike(introduced, keys or _stem_keys(then.words), reach, then)
            if not like:
                continue
            written = text[then.start : then.end].lower()
            if not keys and written not in first_places:
                first_places[written] = lowered.find(written)
            # What has basis under its own words is no second name.
            if keys or not 0 <= first_places[written] <= then.start - len(written):
                yield Renaming(
                    text[like.start : like.end], text[then.start : then.end], then.start, then.end
                )


def _as_name(mention: Mention, claim: Claim) -> _Name:
    end = claim.start + mention.end
    words = tuple(singular(word) for word in mention.term.split(" "))
    return _Name(words, end - len(mention.term), end)


@dataclass(slots=True)
class _Introduced:
    """The terms that share a key, by claim; sets of claims are bits, as in `chains_above`.

    Of each claim the first two terms of different words are enough to find the first one that is
    not of given words, however often a text repeats them.
    """

    names: dict[int, list[_Name]] = field(default_factory=dict)
    places: int = 0
    with_two: int = 0
    by_words: dict[_Key, int] = field(default_factory=dict)

    def add(self, place: int, name: _Name) -> None:
        self.places |= 1 << place
        self.by_words[name.words] = self.by_words.get(name.words, 0) | 1 << place
        known = self.names.setdefault(place, [])
        if not known or (len(known) == 1 and known[0].words != name.words):
            known.append(name)
            self.with_two |= (len(known) == 2) << place

    def first_other(self, reach: int, then: _Name) -> _Name | None:
        """Return the first term of the claims in reach, before a later one and of other words."""
        others = self.places & ~self.by_words.get(then.words, 0) | self.with_two
        found = others & reach
        if not found:
            return None
        place = (found & -found).bit_length() - 1
        name = next(name for name in self.names[place] if name.words != then.words)
        # Claims in reach stand before the term, but for its own, the last of them.
        return name if name.end <= then.start else None


def _alike(
    introduced: dict[_Key, _Introduced], keys: Iterable[_Key], reach: int, then: _Name
) -> _Name | None:
    """Return the first introduced term that shares a key with a later one, in its chain."""
    found = (introduced[key].first_other(reach, then) for key in keys if key in introduced)
    return next((name for name in found if name), None)


def _keys(words: tuple[str, ...]) -> list[_Key]:
    """Return the keys under which two names for one thing meet."""
    *before, noun = words
    keys: list[_Key] = [("letters", "".join(words).replace("-", ""))]
    if noun in _GROUPS:
        keys.append(("synonym", *before, str(_GROUPS[noun])))
    for place, word in enumerate(words):
        if len(word) >= _SHORTEST_LIKENESS:
            # Nearly the same letters: the same beginning and end around a slip of the pen.
            likeness = f"{word[:_SAME_START]}*{word[-_SAME_END:]}"
            keys.append(("slip", *words[:place], likeness, *words[place + 1 :]))
    return keys + _stem_keys(words)


def _stem_keys(words: tuple[str, ...]) -> list[_Key]:
    """Return the key of a term with a noun for its qualifier: "controller unit", "control unit"."""
    if len(words) < 2 or words[-2].endswith(("ing", "ed")):
        return []
    return [("stem", *words[:-2], fold(words[-2]), words[-1])]
