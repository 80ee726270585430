"""How other words for a limitation change what is claimed: broader, narrower, different, the same.

A verdict is given only where the change can only do that; else it is UNSURE, "changed".
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum
from itertools import permutations, product
from typing import Final

from patclaimeval.claims.antecedents import ORDINALS
from patclaimeval.claims.change_classes import Change, classify, find_labels
from patclaimeval.claims.parsing import citations
from patclaimeval.claims.word_diff import Gap, find_gaps
from patclaimeval.claims.words import CRAFT_WORDS, cut_suffixes, is_content, read_tokens, stem


class Scope(StrEnum):
    """How the candidate's wording of a limitation changes what is claimed."""

    SAME = "same"
    BROADER = "broader"
    NARROWER = "narrower"
    DIFFERENT = "different"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True)
class Context:
    """What the claims say beside a limitation and its place.

    `words` are the stems of the whole reference; `of_reference` and `of_candidate` the pairs of
    neighbouring content words of the limitation's claim and of that of its place.
    """

    words: Set[str] = frozenset()
    of_reference: Set[tuple[str, str]] = frozenset()
    of_candidate: Set[tuple[str, str]] = frozenset()


# With the first phrase in the reference and the second in the candidate the claim is broader, the
# other way round narrower. Inflections count as one.
_NARROW_TO_BROAD: Final = """
consisting of > comprising
consisting of > including
consisting essentially of > comprising
consisting of > consisting essentially of
and > or
and > and/or
and > at least one of
each > at least one
each of > at least one of
all > at least one
all of > at least one of
plurality of > at least one
plurality of > one or more
at least two > at least one
two or more > one or more
screw > fastener
bolt > fastener
"""
_BROADER: Final = {
    tuple(tuple(map(cut_suffixes, part.split())) for part in line.split(">"))
    for line in _NARROW_TO_BROAD.strip().splitlines()
}
# Words that `stem` takes for one another, but of which the first says less than the second.
_NARROWER_WORDS: Final = {("connect", "coupl"), ("join", "coupl"), ("link", "coupl")}
_CONNECT: Final = stem("connect")
_OPPOSITES: Final = """
upper lower
top bottom
left right
front rear back
inner outer
inside outside
interior exterior
internal external
proximal distal
horizontal vertical
radial axial
parallel perpendicular
above below
before after
upstream downstream
increase decrease reduce
open close
first second third fourth fifth sixth
maximum minimum
greater less smaller
higher lower
positive negative
cathode anode
male female
input output
hot cold
heat cool
even odd
wide narrow
wideband narrowband
manual automatic
analog digital
long short
thick thin
"""
_OPPOSITE_PAIRS: Final = {
    (cut_suffixes(one), cut_suffixes(other))
    for row in _OPPOSITES.strip().splitlines()
    for one, other in permutations(row.split(), 2)
}
_NUMBERS: Final = frozenset(
    ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve")
)
_NEGATING: Final = frozenset(("no", "not", "without", "non", "never", "neither", "nor", "except"))
_HEDGES: Final = frozenset(
    ("about", "approximately", "substantially", "essentially", "generally", "roughly", "nearly")
)
# Words that limit nothing: with or without them the claim is the same.
_EMPTY: Final = frozenset(
    ("preferably", "optionally", "particular", "respective", "respectively", "corresponding")
)
# Dropped or added, they may change the scope either way.
_EITHER_WAY_WORDS: Final = """
or if when unless until while may can could might such like example suitable possible possibly up
more less than other any either between except selected group choose one maximum minimum
"""
_EITHER_WAY: Final = _NEGATING.union(_EITHER_WAY_WORDS.split())
_ARTICLES: Final = frozenset(("a", "an", "the", "said"))
# They choose among several things.
_CHOOSING: Final = frozenset(("and", "or", "least", "one", "any", "only", "each", "all"))
_MARKS: Final = frozenset(",;:.")
# "The pump device" is the pump.
_LIGHT_WORDS: Final = """
apparatus arrangement assembly device element means member part serve system unit
"""
LIGHT_NOUNS: Final = frozenset(map(stem, _LIGHT_WORDS.split()))
# Alone they say nothing: "a lid disposed on", "a lid on".
_PLACING: Final = frozenset(("disposed", "located", "positioned", "placed", "existing", "whether"))
_MOST_ADDED: Final = 8
_FEW_PAIRS: Final = 100
_LONGEST_TAIL: Final = 3


@dataclass(frozen=True, slots=True)
class ScopeChange:
    """One difference inside a limitation: its words on both sides, and what it does to the scope.

    The spans count characters in the claim sets; the words are "" and the span None on the side
    that has nothing there.
    """

    reference: str
    candidate: str
    scope: Scope
    reference_span: tuple[int, int] | None
    candidate_span: tuple[int, int] | None

    @property
    def reason(self) -> str:
        """Say what was changed."""
        if not self.candidate:
            return f"“{self.reference}” dropped"
        if not self.reference:
            return f"“{self.candidate}” added"
        return f"“{self.reference}” became “{self.candidate}”"


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


def read_wording(
    text: str, spans: Iterable[tuple[int, int]], renamed: Mapping[str, str] | None = None
) -> Wording:
    """Return the tokens of some spans of a claim set, in the order of the spans.

    `renamed` has by the stem of a name of the candidate that of the reference's name.
    """
    starts: list[int] = []
    ends: list[int] = []
    keys: list[str] = []
    for start, end in spans:
        part = without_escapes(text[start:end])
        found = read_tokens(part)
        cited = {place for one in citations(part) for place in range(one.start, one.end)}
        for begin, close, key in zip(found.starts, found.ends, found.keys, strict=True):
            # The numbers of cited claims are compared by the claims that they name.
            if begin not in cited:
                starts.append(start + begin)
                ends.append(start + close)
                keys.append(key)
    stems = [_key(key, renamed or {}) for key in keys]
    # A word that is its own stem counts once.
    counts = Counter(stems)
    counts.update(key for key, stem_of in zip(keys, stems, strict=True) if key != stem_of)
    return Wording(text, starts, ends, keys, stems, counts)


def without_escapes(text: str) -> str:
    """Return a text with blanks for line ends that a program wrote out ("\\n"), as long as it."""
    return text.replace("\\n", "  ").replace("\\t", "  ")


def _key(key: str, renamed: Mapping[str, str]) -> str:
    """Return what a token is compared by: content words by their stem, under the old name."""
    if not is_content(key):
        return "the" if key in ("said", "a", "an") else key
    word = stem(key)
    return renamed.get(word, word)


def compare_scope(
    reference: Wording,
    candidate: Wording,
    around: Collection[str] = (),
    context: Context = Context(),
) -> tuple[ScopeChange, ...]:
    """Compare two wordings of one limitation.

    Inputs: a limitation of the reference; the places of the candidate in which it stands; and the
    stems of other limitations that stand in the same places; and what the claims say around.
    Output: the changes from the reference to the candidate; `join_scopes` says what they do
    together.
    """
    gaps = _trimmed(
        find_gaps(reference.stems, candidate.stems), reference, candidate, around, context
    )
    places = [(gap.low, gap.high, gap.start, gap.stop) for gap in gaps]
    classes = classify(reference.keys, candidate.keys, places)
    changes = [
        change
        for gap in gaps
        if (change := _judge(gap, reference, candidate, classes, around, context))
    ]
    changes += _other_words(gaps, reference, candidate)
    return tuple(changes)


def _other_words(
    gaps: Sequence[Gap], reference: Wording, candidate: Wording
) -> Iterator[ScopeChange]:
    """Yield the words that count as the same one, but of which one says less than the other."""
    low = start = 0
    for gap in [*gaps, Gap(len(reference.keys), 0, len(candidate.keys), 0)]:
        for i, j in zip(range(low, gap.low), range(start, gap.start), strict=False):
            if reference.keys[i] == candidate.keys[j] or reference.stems[i] != _CONNECT:
                continue
            pair = (cut_suffixes(reference.keys[i]), cut_suffixes(candidate.keys[j]))
            is_broader = pair in _NARROWER_WORDS
            if is_broader or pair[::-1] in _NARROWER_WORDS:
                yield ScopeChange(
                    reference.text[reference.starts[i] : reference.ends[i]],
                    candidate.text[candidate.starts[j] : candidate.ends[j]],
                    Scope.BROADER if is_broader else Scope.NARROWER,
                    (reference.starts[i], reference.ends[i]),
                    (candidate.starts[j], candidate.ends[j]),
                )
        low, start = gap.high, gap.stop


def lacking_words(own: Wording, place: Wording) -> Iterator[tuple[int, int]]:
    """Yield the spans of the words of a limitation that its place lacks, function words between."""
    given, labels = {*place.stems}, find_labels(own.keys)
    run: list[int] = []
    for at, key in enumerate([*own.keys, "."]):
        is_word = at < len(own.keys) and is_content(key)
        if is_word and _limits(key) and at not in labels and own.stems[at] not in given:
            run.append(at)
        elif run and (is_word or key in _MARKS):
            span = _span(run, own, is_alone=True)
            assert span
            yield span
            run = []


def join_scopes(scopes: Iterable[Scope]) -> Scope:
    """Return what several changes of one limitation do to its scope together."""
    found = set(scopes) - {Scope.SAME}
    if len(found) == 1:
        return found.pop()
    if Scope.DIFFERENT in found:
        return Scope.DIFFERENT
    return Scope.UNSURE if found else Scope.SAME


def _trimmed(
    gaps: Iterable[Gap],
    reference: Wording,
    candidate: Wording,
    around: Collection[str],
    context: Context,
) -> list[Gap]:
    """Leave out what the other side says before and after the limitation, if it is another one."""
    count, other_count = len(reference.stems), len(candidate.stems)
    found: list[Gap] = []
    for gap in gaps:
        start, stop = gap.start, gap.stop
        if stop > start and (gap.low == 0 or gap.high == count):
            words = [word for word in candidate.stems[start:stop] if is_content(word)]
            is_known = all(word in (context.words if gap.low == 0 else around) for word in words)
            if words and (len(words) > _MOST_ADDED or is_known):
                most = gap.high - gap.low and gap.high - gap.low + 2
                # Before the limitation its end is near, behind it the beginning.
                if gap.low == 0 and start == 0:
                    start = max(start, stop - most)
                elif gap.high == count and stop == other_count:
                    stop = min(stop, start + most)
        if gap.high > gap.low or stop > start:
            found.append(Gap(gap.low, gap.high, start, stop))
    return found


def _judge(
    gap: Gap,
    reference: Wording,
    candidate: Wording,
    classes: tuple[Mapping[int, Change], Mapping[int, Change]],
    around: Collection[str],
    context: Context,
) -> ScopeChange | None:
    """Return what one difference does to the scope, None where nothing of substance differs."""
    whole = range(gap.low, gap.high), range(gap.start, gap.stop)
    if scope := _listed(_keys_between(whole[0], reference), _keys_between(whole[1], candidate)):
        return _made(scope, whole[0], whole[1], reference, candidate)
    left = [i for i in whole[0] if classes[0].get(i) == Change.SUBSTANCE]
    right = [j for j in whole[1] if classes[1].get(j) == Change.SUBSTANCE]
    change = _change(left, right, reference, candidate) if left and right else None
    if change and change.scope is not Scope.UNSURE:
        return change
    # What stands elsewhere in the same place was moved, not dropped or added.
    lost = _missing(left, reference, candidate, context.of_candidate)
    added = [
        j
        for j in _missing(right, candidate, reference, context.of_reference)
        if candidate.stems[j] not in around
    ]
    if not lost and not added:
        if _is_light(left, right, reference, candidate):
            return None
        return change or _change(left, right, reference, candidate)
    # What was moved to where words were dropped stands in their place.
    lost = lost or [i for i in left if is_content(reference.keys[i])]
    added = added or [j for j in right if is_content(candidate.keys[j])]
    return _change(lost, added, reference, candidate)


def _missing(
    places: Iterable[int], own: Wording, other: Wording, neighbours: Set[tuple[str, str]]
) -> list[int]:
    """Return the limiting words of a side that stand neither in the place nor in its claim.

    `neighbours` are the pairs of words that the claim has elsewhere.
    """
    return [
        place
        for place in places
        if _limits(own.keys[place])
        and not _has(other, own, place)
        and neighbours.isdisjoint(_pairs_at(place, own))
    ]


def _pairs_at(place: int, wording: Wording) -> Iterator[tuple[str, str]]:
    """Yield a word with the content word before it, and with that behind it."""
    stems, keys = wording.stems, wording.keys
    for step in (-1, 1):
        at = place + step
        while 0 <= at < len(keys) and not is_content(keys[at]) and keys[at] not in _MARKS:
            at += step
        if 0 <= at < len(keys) and is_content(keys[at]):
            yield (stems[at], stems[place]) if step < 0 else (stems[place], stems[at])


def neighbours_in(wording: Wording) -> Iterator[tuple[str, str]]:
    """Yield the pairs of content words of a text that stand next to one another."""
    before = ""
    for key, word in zip(wording.keys, wording.stems, strict=True):
        if is_content(key):
            if before:
                yield before, word
            before = word
        elif key in _MARKS:
            before = ""


def _has(wording: Wording, own: Wording, place: int) -> bool:
    """Return whether the other side has a word; in another form, as often as its own side."""
    word = own.stems[place]
    return own.keys[place] in wording.counts or wording.counts[word] >= own.counts[word]


def _limits(key: str) -> bool:
    """Return whether a word limits a claim: neither a function word nor one of drafting."""
    if key in _HEDGES:
        return True
    if not is_content(key) or key in _PLACING or stem(key) in LIGHT_NOUNS:
        return False
    return key not in CRAFT_WORDS or key in ORDINALS


def _is_light(
    left: Sequence[int], right: Sequence[int], reference: Wording, candidate: Wording
) -> bool:
    """Return whether two runs without new content differ in nothing that limits."""
    here = [key for i in left if not is_content(key := reference.keys[i])]
    there = [key for j in right if not is_content(key := candidate.keys[j])]
    if here == there:
        return True
    if here and there:
        return False
    # Of a list with an item less, the conjunction has moved.
    own, other = (here, candidate) if here else (there, reference)
    return all(key not in _CHOOSING or key in other.counts for key in own)


def _change(
    lost: Sequence[int], added: Sequence[int], reference: Wording, candidate: Wording
) -> ScopeChange | None:
    """Return the change of some words of the reference into some of the candidate."""
    here, there = _keys_between(lost, reference), _keys_between(added, candidate)
    scope = _scope_of(here, there, reference.counts.keys(), candidate.counts.keys())
    if scope is Scope.BROADER and not there and _is_alternative(lost, reference):
        scope = Scope.NARROWER
    elif scope is Scope.NARROWER and not here and _is_alternative(added, candidate):
        scope = Scope.BROADER
    return None if scope is Scope.SAME else _made(scope, lost, added, reference, candidate)


def _made(
    scope: Scope,
    lost: Sequence[int],
    added: Sequence[int],
    reference: Wording,
    candidate: Wording,
) -> ScopeChange:
    span = _span(lost, reference, is_alone=not added)
    other = _span(added, candidate, is_alone=not lost)
    return ScopeChange(
        reference.text[slice(*span)] if span else "",
        candidate.text[slice(*other)] if other else "",
        scope,
        span,
        other,
    )


def _is_alternative(places: Sequence[int], wording: Wording) -> bool:
    """Return whether words are one of several alternatives: an "or" stands before or after them."""
    keys = wording.keys
    around = (*keys[max(0, places[0] - 2) : places[0]], *keys[places[-1] + 1 : places[-1] + 3])
    return "or" in around


def _span(places: Sequence[int], wording: Wording, *, is_alone: bool) -> tuple[int, int] | None:
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


def _keys_between(places: Sequence[int], wording: Wording) -> tuple[str, ...]:
    """Return the tokens from the first to the last of some places, articles left out."""
    if not places:
        return ()
    keys = wording.keys[places[0] : places[-1] + 1]
    return tuple(key.lower() for key in keys if key not in _ARTICLES)


def _listed(here: tuple[str, ...], there: tuple[str, ...]) -> Scope | None:
    """Return the scope of an exchange of phrases that is listed, None of any other."""
    pair = tuple(map(cut_suffixes, here)), tuple(map(cut_suffixes, there))
    if pair in _BROADER:
        return Scope.BROADER
    return Scope.NARROWER if pair[::-1] in _BROADER else None


def _scope_of(
    here: tuple[str, ...], there: tuple[str, ...], reference: Set[str], candidate: Set[str]
) -> Scope:
    """Return what it does to the scope that `there` stands for `here`; either may be empty."""
    if here and there:
        return _listed(here, there) or _scope_of_exchange(here, there)
    if here:
        return _scope_of_dropped(here, reference)
    scope = _scope_of_dropped(there, candidate)
    return _TURNED.get(scope, scope)


_TURNED: Final = {Scope.BROADER: Scope.NARROWER, Scope.NARROWER: Scope.BROADER}


def _scope_of_exchange(here: tuple[str, ...], there: tuple[str, ...]) -> Scope:
    numbers = [set(filter(_is_number, side)) for side in (here, there)]
    if all(numbers) and numbers[0] != numbers[1]:
        return Scope.DIFFERENT
    if _NEGATING.isdisjoint(here) != _NEGATING.isdisjoint(there):
        return Scope.DIFFERENT
    pairs = product(map(cut_suffixes, here), map(cut_suffixes, there))
    if len(here) * len(there) <= _FEW_PAIRS and any(pair in _OPPOSITE_PAIRS for pair in pairs):
        return Scope.DIFFERENT
    return Scope.UNSURE


def _is_number(key: str) -> bool:
    return key[:1].isdigit() or key in _NUMBERS


def _scope_of_dropped(words: tuple[str, ...], side: Set[str]) -> Scope:
    """Return what it does to the scope that words are dropped from a side that had them."""
    if not _EMPTY.isdisjoint(words) and len([w for w in words if is_content(w)]) == 1:
        return Scope.SAME
    if {*words} <= _HEDGES:
        return Scope.NARROWER
    if words[-1] == "of" and not _CHOOSING.isdisjoint(words):
        # Of "at least one of A and B" one is enough; without the words both are needed.
        return Scope.NARROWER if side & {"and", "or"} else Scope.SAME
    if not _NEGATING.isdisjoint(words):
        return Scope.DIFFERENT
    # Under a negation, or as one of several choices, fewer words may say less.
    if not _NEGATING.isdisjoint(side) or not _EITHER_WAY.isdisjoint(words):
        return Scope.UNSURE
    # With a number left, another that goes changes a range.
    is_number = [any(map(_is_number, keys)) for keys in (words, side - {*words})]
    return Scope.DIFFERENT if all(is_number) else Scope.BROADER
