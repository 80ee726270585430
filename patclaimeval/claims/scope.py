"""How other words for a limitation change what is claimed: which words, and to what effect."""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Final

from patclaimeval.claims.change_classes import Change, classify, find_labels
from patclaimeval.claims.definite_phrases import ORDINALS
from patclaimeval.claims.scope_certainty import (
    FEW,
    Said,
    ScopeChange,
    as_doubtful,
    change_of_side,
    is_sure,
    places_of,
)
from patclaimeval.claims.scope_rules import (
    CHOOSING,
    NARROWER_WORDS,
    TURNED,
    Scope,
    listed_scope,
    scope_of,
)
from patclaimeval.claims.word_diff import Gap, find_gaps
from patclaimeval.claims.wording import MARKS, Wording, keys_between, limits, pairs_at, span_of
from patclaimeval.claims.words import cut_suffixes, is_content, stem


@dataclass(frozen=True, slots=True)
class Context:
    """What the claims say beside a limitation and its place.

    `words` are the stems of the whole reference; `of_reference` and `of_candidate` the pairs of
    neighbouring content words of the limitation's claim and of that of its place; `above` is what
    the claims of both sides say, with all that they depend on.
    """

    words: Set[str] = frozenset()
    of_reference: Set[tuple[str, str]] = frozenset()
    of_candidate: Set[tuple[str, str]] = frozenset()
    above: tuple[Said, Said] = (Said(), Said())
    is_alone: bool = False
    """Whether nothing but the limitation stands in the place."""


@dataclass(frozen=True, slots=True)
class Around:
    """The words of other limitations that stand in the places of one.

    `held` counts, place by place, the limitations that have a word, the one with the words `own`
    among them.
    """

    held: Sequence[Counter[str]]
    own: frozenset[str]

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and any(
            counts[word] > (word in self.own) for counts in self.held
        )


_CONNECT: Final = stem("connect")
_MOST_ADDED: Final = 8
_JOINING: Final = frozenset(("and", "or", ",", ";", "et", "und", "\u3001"))
_INDEFINITE: Final = frozenset(("a", "an", "ein", "eine", "einen", "un", "une"))
_IDEOGRAPHS: Final = "\u3040"
# So many of the words of two wordings are the same where one was made from the other.
_ALIKE: Final = 0.7
_MOST_CHANGES: Final = 3

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
    gaps = find_gaps(reference.stems, candidate.stems)
    if not context.is_alone:
        gaps = _trimmed(gaps, reference, candidate, around, context)
    forms = [*_other_forms(gaps, reference, candidate)]
    places = [(gap.low, gap.high, gap.start, gap.stop) for gap in gaps]
    places += [(i, i + 1, j, j + 1) for i, j in forms]
    classes = classify(reference.keys, candidate.keys, places)
    judged = [
        (gap, change)
        for gap in gaps
        if (change := _judge(gap, reference, candidate, classes, around, context))
    ]
    sides = reference, candidate
    changes = [change for _, change in judged] + [*_other_words(forms, reference, candidate)]
    # One doubtful change makes the whole limitation doubtful.
    if len(judged) <= _MOST_CHANGES and all(
        is_sure(change, gap, sides, context.above) for gap, change in judged
    ):
        return tuple(changes), classes
    is_alike = len(changes) == 1 or (
        len(changes) <= FEW and _share_in_common(gaps, sides) >= _ALIKE
    )
    if context.is_alone and is_alike:
        changes = [as_doubtful(change, sides, context.above) for change in changes]
    else:
        # Words that stand beside one another in unlike texts need have nothing in common.
        changes = [
            *_lacking_changes(changes, sides, context.above[1]),
            *_lacking_changes(changes, sides[::-1], context.above[0], is_of_reference=False),
        ]
    return tuple(changes), classes


def _share_in_common(gaps: Iterable[Gap], sides: tuple[Wording, Wording]) -> float:
    """Return the share of the content words of two wordings that both have, in one order."""
    content = [[is_content(key) for key in wording.keys] for wording in sides]
    lost = [0, 0]
    for gap in gaps:
        lost[0] += sum(content[0][gap.low : gap.high])
        lost[1] += sum(content[1][gap.start : gap.stop])
    return min(1 - gone / max(1, sum(words)) for gone, words in zip(lost, content, strict=True))


def _lacking_changes(
    changes: Iterable[ScopeChange],
    sides: tuple[Wording, Wording],
    said: Said,
    *,
    is_of_reference: bool = True,
) -> Iterator[ScopeChange]:
    """Yield the words of a side that the other side lacks, else one change in other words."""
    own, other = sides
    spans = [one.reference_span if is_of_reference else one.candidate_span for one in changes]
    span = next(filter(None, spans), None)
    if span is None or own.text[slice(*span)].lower() in _JOINING:
        return
    for one in [*lacking_words(own, other.counts)] or [span]:
        stems = [own.stems[at] for at in places_of(one, own) if limits(own.keys[at])]
        is_given = [word in said or word in other.counts for word in stems]
        change = change_of_side(one, own.text, is_of_reference=is_of_reference)
        yield replace(change, is_reworded=2 * sum(is_given) >= len(is_given))


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


def lacking_words(own: Wording, given: Container[str]) -> Iterator[tuple[int, int]]:
    """Yield the spans of the words of a limitation whose stems are not given, as phrases."""
    labels = find_labels(own.keys)
    run: list[int] = []
    for at, key in enumerate([*own.keys, "."]):
        is_word = at < len(own.keys) and is_content(key)
        is_label = len(key) == 1 and key.isalpha() and key.isascii()
        if (
            is_word
            and not is_label
            and limits(key)
            and at not in labels
            and own.stems[at] not in given
        ):
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
        is_same = scope is Scope.SAME
        return None if is_same else _made(scope, whole[0], whole[1], reference, candidate)
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
    if own.stems[words[-1]] in own.stems[words[-1] + 1 : words[-1] + 4]:
        # "A lid, the lid being" names one lid.
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
    if [reference.keys[i] for i in left] == [candidate.keys[j] for j in right]:
        # A name that elsewhere stands for another one.
        return True
    if any(limits(reference.keys[i]) for i in left) and any(
        limits(candidate.keys[j]) for j in right
    ):
        return False
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
    side, places = (reference, lost) if here else (candidate, added)
    if not (here and there) and scope in TURNED and _is_alternative(places, side):
        is_short = sum(is_content(side.keys[place]) for place in places) <= FEW
        scope = TURNED[scope] if is_short else Scope.UNSURE
    if scope is Scope.SAME:
        return None
    change = _made(scope, lost, added, reference, candidate)
    has_words = [
        any(is_content(wording.keys[place]) for place in places)
        for wording, places in ((reference, lost), (candidate, added))
    ]
    if scope is Scope.UNSURE and change.reference and change.candidate:
        # A function word is nothing that became another thing.
        if has_words == [True, False]:
            return _made(scope, lost, [], reference, candidate)
        if has_words == [False, True]:
            return _made(scope, [], added, reference, candidate)
    return change


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
