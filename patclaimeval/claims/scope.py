"""How other words for a limitation change what is claimed: which words, and to what effect."""

from bisect import bisect_left
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Final

from patclaimeval.claims.change_classes import Change, classify, find_labels
from patclaimeval.claims.definite_phrases import ORDINALS
from patclaimeval.claims.scope_rules import (
    CHOOSING,
    NARROWER_WORDS,
    Scope,
    listed_scope,
    scope_of,
)
from patclaimeval.claims.terms import is_verb
from patclaimeval.claims.word_diff import Gap, find_gaps
from patclaimeval.claims.wording import MARKS, Wording, keys_between, limits, pairs_at, span_of
from patclaimeval.claims.words import cut_suffixes, is_content, stem


@dataclass(frozen=True, slots=True)
class Context:
    """What the claims say beside a limitation and its place.

    `words` are the stems of the whole reference; `of_reference` and `of_candidate` the pairs of
    neighbouring content words of the limitation's claim and of that of its place.
    """

    words: Set[str] = frozenset()
    of_reference: Set[tuple[str, str]] = frozenset()
    of_candidate: Set[tuple[str, str]] = frozenset()


_CONNECT: Final = stem("connect")
_MOST_ADDED: Final = 8
_JOINING: Final = frozenset(("and", "or", ",", ";", "et", "und", "\u3001"))
_INDEFINITE: Final = frozenset(("a", "an", "ein", "eine", "einen", "un", "une"))
_IDEOGRAPHS: Final = "\u3040"
_MOSTLY: Final = 0.7


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


Classes = tuple[dict[int, Change], dict[int, Change]]
"""Of both sides the class of each token that differs, by its place."""


def compare_scope(
    reference: Wording,
    candidate: Wording,
    around: Container[str] = (),
    context: Context = Context(),
) -> tuple[tuple[ScopeChange, ...], Classes]:
    """Compare two wordings of one limitation.

    Inputs: a limitation of the reference; the places of the candidate in which it stands; and the
    stems of other limitations that stand in the same places; and what the claims say around.
    Output: the changes from the reference to the candidate, of which `join_scopes` says what they
    do together; and the class of each token that differs.
    """
    gaps = _trimmed(
        find_gaps(reference.stems, candidate.stems), reference, candidate, around, context
    )
    forms = [*_other_forms(gaps, reference, candidate)]
    places = [(gap.low, gap.high, gap.start, gap.stop) for gap in gaps]
    places += [(i, i + 1, j, j + 1) for i, j in forms]
    classes = classify(reference.keys, candidate.keys, places)
    changes = [
        change
        for gap in gaps
        if (change := _judge(gap, reference, candidate, classes, around, context))
    ]
    changes += _other_words(forms, reference, candidate)
    agrees = 1.0 if len(changes) == 1 else _share_in_common(gaps, reference)
    sides = reference, candidate
    sure = (c if _is_sure(c, agrees, sides) else _unsure(c) for c in changes)
    return tuple(sure), classes


def _share_in_common(gaps: Iterable[Gap], reference: Wording) -> float:
    """Return the share of a limitation's content words that stand in the place in order."""
    content = [is_content(key) for key in reference.keys]
    lost = sum(sum(content[gap.low : gap.high]) for gap in gaps)
    return 1 - lost / max(1, sum(content))


def _is_sure(change: ScopeChange, agrees: float, sides: tuple[Wording, Wording]) -> bool:
    """Return whether the rest of a limitation agrees so far that a change is what it seems."""
    if change.scope is Scope.DIFFERENT:
        return agrees >= _MOSTLY
    words = (change.reference or change.candidate).lower().split()
    if (change.reference and change.candidate) or len(words) > 1:
        return True
    span, wording = (
        (change.reference_span, sides[0]) if change.reference else (change.candidate_span, sides[1])
    )
    # "Induce" may say the same in other words; "sealed" before "lid" says which lid.
    return not _is_verb(words[0]) or (span is not None and _stands_before_noun(span[1], wording))


def _stands_before_noun(end: int, wording: Wording) -> bool:
    place = bisect_left(wording.starts, end)
    return place < len(wording.keys) and is_content(wording.keys[place])


def _is_verb(word: str) -> bool:
    return word.endswith(("ing", "ed")) or is_verb(word)


def _unsure(change: ScopeChange) -> ScopeChange:
    return replace(change, scope=Scope.UNSURE)


def _other_forms(
    gaps: Sequence[Gap], reference: Wording, candidate: Wording
) -> Iterator[tuple[int, int]]:
    """Yield the places of the words that count as the same one and are not written the same."""
    low = start = 0
    for gap in [*gaps, Gap(len(reference.keys), 0, len(candidate.keys), 0)]:
        for i, j in zip(range(low, gap.low), range(start, gap.start), strict=False):
            if reference.keys[i] != candidate.keys[j]:
                yield i, j
        low, start = gap.high, gap.stop


def _other_words(
    forms: Iterable[tuple[int, int]], reference: Wording, candidate: Wording
) -> Iterator[ScopeChange]:
    """Yield the words that count as the same one, but of which one says less than the other."""
    for i, j in forms:
        if reference.stems[i] != _CONNECT:
            continue
        pair = (cut_suffixes(reference.keys[i]), cut_suffixes(candidate.keys[j]))
        is_broader = pair in NARROWER_WORDS
        if is_broader or pair[::-1] in NARROWER_WORDS:
            yield ScopeChange(
                reference.text[reference.starts[i] : reference.ends[i]],
                candidate.text[candidate.starts[j] : candidate.ends[j]],
                Scope.BROADER if is_broader else Scope.NARROWER,
                (reference.starts[i], reference.ends[i]),
                (candidate.starts[j], candidate.ends[j]),
            )


Difference = tuple[int, int, Change]
"""Start and end of words that differ, as characters of the claim set, and what is different."""


def differences_of(
    wording: Wording, classes: Mapping[int, Change], spans: Iterable[tuple[int, int] | None]
) -> tuple[Difference, ...]:
    """Return the words of one side that differ, in order.

    Of substance are those of the changes, given by their spans; what was moved is no difference.
    Articles, punctuation and the like are of their own classes; neighbours of a class are one.
    """
    found = [(*span, Change.SUBSTANCE) for span in spans if span]
    of_substance = tuple(found)
    before = -2
    for place, change in sorted(classes.items()):
        start, end = wording.starts[place], wording.ends[place]
        if change is Change.SUBSTANCE or any(
            low <= start and end <= high for low, high, _ in of_substance
        ):
            continue
        if before == place - 1 and found[-1][2] is change:
            start = found.pop()[0]
        found.append((start, end, change))
        before = place
    return tuple(sorted(found))


def lacking_words(own: Wording, place: Wording) -> Iterator[tuple[int, int]]:
    """Yield the spans of the words of a limitation that its place lacks, function words between."""
    given, labels = {*place.stems}, find_labels(own.keys)
    run: list[int] = []
    for at, key in enumerate([*own.keys, "."]):
        is_word = at < len(own.keys) and is_content(key)
        if is_word and limits(key) and at not in labels and own.stems[at] not in given:
            run.append(at)
        elif run and (is_word or key in MARKS):
            span = span_of(run, own, is_alone=True)
            assert span
            yield span
            run = []


def _trimmed(
    gaps: Iterable[Gap],
    reference: Wording,
    candidate: Wording,
    around: Container[str],
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
    around: Container[str],
    context: Context,
) -> ScopeChange | None:
    """Return what one difference does to the scope, None where nothing of substance differs."""
    whole = range(gap.low, gap.high), range(gap.start, gap.stop)
    if scope := listed_scope(
        *_apart(keys_between(whole[0], reference), keys_between(whole[1], candidate))
    ):
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
    if not lost and not added and not (left and right):
        lost = _introduced(left, reference, candidate, context.of_candidate)
        added = _introduced(right, candidate, reference, context.of_reference)
    if not lost and not added:
        if _is_light(left, right, reference, candidate):
            return None
        return change or _change(left, right, reference, candidate)
    if not (lost and added):
        # All of the phrase is quoted, the words of drafting in it too.
        lost = _with_drafting(lost, left, reference)
        added = _with_drafting(added, right, candidate)
    # What was moved to where words were dropped stands in their place.
    lost = lost or [i for i in left if is_content(reference.keys[i])]
    added = added or [j for j in right if is_content(candidate.keys[j])]
    return _change(lost, added, reference, candidate)


def _apart(
    left: tuple[str, ...], right: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return two runs without what both begin and end with."""
    while left and right and left[0] == right[0]:
        left, right = left[1:], right[1:]
    while left and right and left[-1] == right[-1]:
        left, right = left[:-1], right[:-1]
    return left, right


def _with_drafting(found: list[int], places: list[int], wording: Wording) -> list[int]:
    """Return all of the places, if none of them but those found has a word that limits."""
    if not found or any(place not in found and limits(wording.keys[place]) for place in places):
        return found
    # "or tin" is one of several alternatives, whose words are "tin".
    inner = [place for place in places if wording.keys[place] not in _JOINING]
    return [place for place in places if inner[0] <= place <= inner[-1]]


def _missing(
    places: Iterable[int], own: Wording, other: Wording, neighbours: Set[tuple[str, str]]
) -> list[int]:
    """Return the limiting words of a side that stand neither in the place nor in its claim.

    `neighbours` are the pairs of words that the claim has elsewhere.
    """
    return [
        place
        for place in places
        if limits(own.keys[place])
        and not _has(other, own, place)
        and not _stands_elsewhere(place, own, neighbours)
    ]


def _introduced(
    places: Sequence[int], own: Wording, other: Wording, neighbours: Set[tuple[str, str]]
) -> list[int]:
    """Return the words of an item of a list that only one side has, although it has the words too.

    The camera of "a camera, a memory and an image of the camera" is dropped where the image stays.
    """
    words = [
        place
        for place in places
        if limits(own.keys[place])
        and other.counts[own.stems[place]] < own.counts[own.stems[place]]
        and not _stands_elsewhere(place, own, neighbours)
    ]
    if not words or words[-1] - words[0] + 1 != len(words) or own.keys[words[0]] in ORDINALS:
        return []
    keys = own.keys[max(0, words[0] - 1) : words[-1] + 2]
    # Ideographs have no article before them.
    opens = not _INDEFINITE.isdisjoint(keys[:2]) or own.keys[words[0]] >= _IDEOGRAPHS
    return words if opens and (keys[-1] in _JOINING or words[-1] + 1 == len(own.keys)) else []


def _stands_elsewhere(place: int, own: Wording, neighbours: Set[tuple[str, str]]) -> bool:
    """Return whether a word stands in the claim with the same words on both sides."""
    pairs = set(pairs_at(place, own))
    return bool(pairs) and pairs <= neighbours


def _has(wording: Wording, own: Wording, place: int) -> bool:
    """Return whether the other side has a word; in another form, as often as its own side."""
    word = own.stems[place]
    return own.keys[place] in wording.counts or wording.counts[word] >= own.counts[word]


def _is_light(
    left: Sequence[int], right: Sequence[int], reference: Wording, candidate: Wording
) -> bool:
    """Return whether two runs without new content differ in nothing that limits."""
    here = [key for i in left if not is_content(key := reference.keys[i])]
    there = [key for j in right if not is_content(key := candidate.keys[j])]
    has_moved = len(here) < len(left) or len(there) < len(right)
    if here == there or (has_moved and CHOOSING.isdisjoint([*here, *there])):
        return True
    if here and there:
        return False
    # Of a list with an item less, the conjunction has moved.
    own, other = (here, candidate) if here else (there, reference)
    return all(key not in CHOOSING or key in other.counts for key in own)


def _change(
    lost: Sequence[int], added: Sequence[int], reference: Wording, candidate: Wording
) -> ScopeChange | None:
    """Return the change of some words of the reference into some of the candidate."""
    here, there = keys_between(lost, reference), keys_between(added, candidate)
    scope = scope_of(here, there, reference.counts.keys(), candidate.counts.keys())
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
    span = span_of(lost, reference, is_alone=not added)
    other = span_of(added, candidate, is_alone=not lost)
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
