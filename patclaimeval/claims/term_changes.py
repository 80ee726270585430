"""Terms that only one claim set has, and elements that go by two names within one."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from patclaimeval.claims.antecedents import AntecedentGap, find_antecedent_gaps
from patclaimeval.claims.dependency_paths import chains_above
from patclaimeval.claims.nouns import WORD, find_nouns, find_phrases
from patclaimeval.claims.parsing import Claim, parse_claims
from patclaimeval.claims.terms import STOP_WORDS, Mention, cached, find_mentions, singular

_PART = re.compile(r"[-'\u2019]")
# Words of claims as such: they show how a claim is built, not what it is about.
_CLAIM_WORDS = """
able accordance according accordingly adapted additional additionally aforementioned apparatus
appropriate arranged aspect associated back being both capable carried carry carrying characterised
characterized claim claimed cm combination coming composed comprise comprised conjunction
consequence consist consisting consists corresponding device directly disclosed done eight eighth
embodiment employ employed etc even every example executed execution exhibit exhibits fifth first
five following four fourth furthermore ghz group having hence herein how hz ii iii indirectly
invention item iv ix just kg khz kind km kpa kv kw least like made make makes making manner many
mean means method mg mhz ml mm mode more moreover most mpa much must mv mw namely need neither next
nine ninth nm none nor operable optionally other others otherwise pa pair part particular
particularly perform performed performing performs plurality portion possible ppm preceding
predetermined preferably preferred present prior procedure process product program provision psi
recited respective respectively rpm same second separate serve serves set seven seventh shall since
six sixth some someone something specific specified step still subject subsequent subsequently
substantially sum system take taken ten tenth then thing third three time together two type use
useful user utilize utilized utilizes utilizing various very vi vii viii vol way well what who why
wt xi yet
"""
# The longest first; what stands before must have three letters.
_SUFFIX_LIST = """
isations izations isation ization ations ators ation ating ator ated ates ate ingly edly ably ibly
ance ence ings able ible ment ions ing ers ors ive ion er or ed ly al e
"""
_SUFFIXES = tuple(_SUFFIX_LIST.split())
_SHORTEST_STEM = 3
_ACRONYM_PLURAL = re.compile(r"\b([A-Z]{2,})s\b")


@dataclass(frozen=True, slots=True)
class ForeignTerm:
    """One term of the candidate that the reference lacks: text == candidate[start:end]."""

    term: str
    start: int
    end: int


def foreign_terms(
    reference: str,
    candidate: str,
    *,
    skip: Iterable[tuple[int, int]] = (),
    renamed: Iterable[str] = (),
    nouns: frozenset[str] | None = None,
) -> tuple[ForeignTerm, ...]:
    """Return the noun phrases of the candidate that the reference lacks, each at its first place.

    Inputs: two texts in English; spans of the candidate that are left out, such as claims without
    a counterpart; terms that are known to stand for terms of the reference; and what `find_nouns`
    finds in both, where that is known. Output: terms in order of appearance with offsets into
    `candidate`. A term runs from the first new word of a noun phrase to its noun ("stepper motor"
    where "stepper" is new), and a word is new if the reference has it in no inflection. A phrase in
    which only an adjective or a participle is new is no term,
    nor are verbs and adverbs, common words of claims, single letters, numbers and units. A term
    whose new words were all in terms before is not repeated. () where either text has no Latin
    words: there is nothing to compare.
    """
    known = _roots(reference)
    if not known:
        return ()
    known = known.union(*map(_roots, renamed))
    skipped = sorted(skip)
    nouns = find_nouns((reference, candidate)) if nouns is None else nouns

    @cache
    def is_foreign(word: str) -> bool:
        return _is_foreign(word, known)

    found: list[ForeignTerm] = []
    seen: set[str] = set()
    place = 0
    for phrase in find_phrases(candidate, nouns, is_foreign):
        while place < len(skipped) and skipped[place][1] <= phrase[0].start:
            place += 1
        if place < len(skipped) and skipped[place][0] <= phrase[0].start:
            continue
        new = [at for at, word in enumerate(phrase) if is_foreign(word.text)]
        names = [at for at in new if phrase[at].is_noun]
        roots = {root_of(_lowered(phrase[at].text)) for at in names}
        if roots <= seen:
            continue
        seen |= roots
        # Known words up to the noun belong to the term, those before the first new one do not.
        start, end = phrase[new[0]].start, phrase[-1].end
        found.append(ForeignTerm(candidate[start:end], start, end))
    return tuple(found)


def _roots(text: str) -> set[str]:
    """Return the roots of the words of a text, of their parts, and of each in one piece."""
    found: set[str] = set()
    for word in {match.group() for match in WORD.finditer(text)}:
        parts = _PART.split(_lowered(word))
        found.update(map(root_of, [*parts, "".join(parts)]))
    return found


def _is_foreign(word: str, known: set[str]) -> bool:
    parts = [part for part in _PART.split(word) if _is_content(part)]
    if not parts or root_of(_PART.sub("", _lowered(word))) in known:
        return False
    return any(root_of(_lowered(part)) not in known for part in parts)


def _lowered(word: str) -> str:
    """Write a word small; "LEDs" is a plural of "LED"."""
    return _ACRONYM_PLURAL.sub(r"\1", word).lower()


def _is_content(word: str) -> bool:
    """Whether a word shows what a claim is about: no common word, no letter, no bare unit."""
    lowered = word.lower()
    if lowered in _COMMON or root_of(lowered) in _COMMON_ROOTS:
        return False
    return len(word) > 2 or (len(word) == 2 and word.isupper())


@cached
def root_of(word: str) -> str:
    """Return the root that the inflections and derivations of a lower-case word share, by suffix.

    "Rotating", "rotates", "rotation" and "rotated" share "rot"; "control" and "controller" meet.
    Roots have at least three letters. A surface proxy: "general" and "generator" meet too. Unlike
    `words.stem` it joins a thing and its act, and no synonyms: it tells whether a text has a word
    in any form, not whether two texts mean the same.
    """
    stem = _without_suffix(singular(word))
    if stem.endswith("miss"):
        stem = stem[:-2] + "t"  # "transmission" and "transmit"
    if len(stem) > _SHORTEST_STEM and stem[-1] == stem[-2] and stem[-1] not in "aeiou":
        stem = stem[:-1]
    if len(stem) > _SHORTEST_STEM:
        stem = stem.removesuffix("e")
    return stem[:-1] + "i" if stem.endswith("y") else stem


def _without_suffix(word: str) -> str:
    if word.endswith("ied"):
        return word[:-3] + "y"
    for suffix in _SUFFIXES:
        stem = word.removesuffix(suffix)
        # Not the "at" of "heated" and "coated".
        if (
            stem != word
            and len(stem) >= _SHORTEST_STEM
            and not (suffix.startswith("at") and stem.endswith(("e", "o")))
        ):
            return stem
    return word


_COMMON = STOP_WORDS.union(_CLAIM_WORDS.split())
# Short stems are left out: "capable" must not hide "cap".
_COMMON_ROOTS = frozenset(stem for stem in map(root_of, _COMMON) if len(stem) > _SHORTEST_STEM + 1)


# "housing (12)" or "housing 12": one reference numeral after a word. Lists "(18, 19)" name several
# elements at once; a bare numeral of one digit, or before a unit, is a count or an amount.
_NUMERAL = re.compile(
    r"(?<=[A-Za-z])[ \t\n]+(?:\((?P<closed>\d{1,4}[a-zA-Z]?'{0,2})\)"
    r"|(?P<bare>\d{2,4}[a-z]?)(?=[ \t\n]*(?:[,;.:)](?!\d)|$)|[ \t\n]+(?!to\b|or\b|of\b|percent\b)"
    r"(?:[a-z]{5,}|is|are|and|has|in|on|at|by|for|from|with|that|the|when)\b))"
)
_CAPITALISED = re.compile(r"[A-Za-z][A-Za-z-]*")
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
    sign: str = ""
    """The reference sign that both names have; "" where the later name resembles the first."""


@dataclass(frozen=True, slots=True)
class _Name:
    words: tuple[str, ...]
    start: int
    end: int


def renamed_terms(text: str, gaps: Sequence[AntecedentGap] | None = None) -> tuple[Renaming, ...]:
    """Return the places of a claim set where an element seems to go by a second name.

    Input: the text of a claim set, and its antecedent gaps if they are known. Output:
    renamings in order of the later name, spans as offsets into `text`. Two signs count. A reference
    numeral that first stood after another noun ("housing (12)", "enclosure (12)"). And a definite
    term that nothing introduces, where the chain of claims holds a term of the same qualifiers with
    a noun that drafters use for the same thing ("a pump housing", "the pump casing"), of the same
    noun with a qualifier of the same stem ("a controller unit", "the control unit"), or of nearly
    the same letters ("touchscreen", "touch screen"). All else is left alone: a second name is a
    question to the reader, and false ones cost more than missed ones.
    """
    claims = parse_claims(text)
    gaps = find_antecedent_gaps(text) if gaps is None else gaps
    found = {item.start: item for item in _by_introduction(text, claims, gaps)}
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
                text[known.start : known.end],
                text[name.start : name.end],
                name.start,
                name.end,
                match["closed"] or match["bare"],
            )


def _name_before(text: str, end: int) -> _Name | None:
    """Return the noun phrase that ends at a place, up to four words back to an article."""
    window = max(0, end - _NEARBY)
    words: list[re.Match[str]] = []
    for match in reversed(list(_CAPITALISED.finditer(text, window, end))):
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
    stems = {root_of(word) for word in first.words}
    if root_of(then.words[-1]) in stems or root_of(first.words[-1]) in map(root_of, then.words):
        return True
    if _is_acronym(first.words, then.words) or _is_acronym(then.words, first.words):
        return True
    return _stands_beside(then, first, text) or _stands_beside(first, then, text)


def _stands_beside(name: _Name, other: _Name, text: str) -> bool:
    around = text[max(0, other.start - _NEARBY) : other.end + _NEARBY // 3]
    words = (singular(word.lower()) for word in _CAPITALISED.findall(around))
    return root_of(name.words[-1]) in map(root_of, words)


def _is_acronym(short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    initials = "".join(word[0] for word in long)
    return len(long) > 1 and short[-1] in (initials, initials + "s")


def _by_introduction(
    text: str, claims: tuple[Claim, ...], gaps: Sequence[AntecedentGap]
) -> Iterator[Renaming]:
    """Yield the definite terms that nothing introduces and that resemble a term of their chain."""
    # A term that has basis on one path of dependency is no second name.
    missing = {item.start for item in gaps if not item.is_partial}
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
    return _Name(tuple(map(singular, mention.term.split(" "))), end - len(mention.term), end)


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
    return [("stem", *words[:-2], root_of(words[-2]), words[-1])]
