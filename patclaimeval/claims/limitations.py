"""One claim as limitations, and two claims compared by them: same, narrower, broader, dropped."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from patclaimeval.claims.pairing import Rules, compare_bags, pair_up
from patclaimeval.claims.parsing import Claim, citations
from patclaimeval.claims.splitting import Feature
from patclaimeval.claims.word_diff import find_gaps
from patclaimeval.claims.words import content_words, is_content, read_unlabelled, stem


def listed_elements(text: str) -> tuple[str, ...]:
    """Cut the words of one claim at its semicolons; joined by ";" they give the input.

    Coarser than `split_features`: one element is one line of a claim's list, with the clauses
    that belong to it. A claim without a list has one element.
    """
    return tuple(text.split(";"))


def count_elements(claims: tuple[Claim, ...]) -> int:
    """Count the elements of a claim set: the lines of every list, and one per other claim.

    This is the number by which the share of dropped features is measured. Range: 0 and up.
    """
    return sum(len(listed_elements(claim.text)) for claim in claims)


_RULES = Rules(least=0.35, crossing=0.5, margin=0.2)
# A limitation left alone belongs to a neighbour's pair if so much of it stands on the other side.
_ABSORBED = 0.6
# Up to this share of the words of each side exchanged, the meaning is the same.
_REWORDED = 0.2
# Words that turn a limit round; "more" is a function word, so "less" stands for both.
_NEGATING = """
not no without never nor except unless less fewer
nicht kein keine keinen keiner ohne niemals
pas sans aucun aucune jamais
"""
_NEGATIONS = frozenset(map(stem, _NEGATING.split()))
# Of Chinese and Japanese, in the pairs of characters that `content_words` gives.
_NEGATING_SIGNS = (*"不无無非未仅僅", "ない")
_DECISIVE = _NEGATIONS | {"only", "above", "below", "exceed", "nur", "uniquement", "seulement"}
_LIMITING_NOTHING = """
appropriate etc example form instance kind like manner optional optionally particular possibly
preferably preferred sort suitable suitably way
"""
# As in "in a suitable manner", "preferably", "for example".
_LIMITS_NOTHING = frozenset(map(stem, _LIMITING_NOTHING.split()))
_LOOSENING = """
about any approximately can could either essentially example generally group if like may might
normally optionally possibly preferably substantially typically unless until usually when while
"""
# With one of them put in, a limitation may hold in more cases than before.
_LOOSENED = frozenset(stem(word) if is_content(word) else word for word in _LOOSENING.split())
_LOOSENED_PAIRS = frozenset({("such", "as"), ("at", "least"), ("up", "to"), ("e", "g")})
_ARTICLES = frozenset(("a", "an", "the", "said", ",", ";", ":", "."))
# One more entry of such a list is one more choice.
_CHOICES = frozenset(("one", *map(stem, ("consisting", "group"))))
# "The pump device" is the pump, and what serves for turning is for turning.
_EMPTY_WORDS = """
apparatus arrangement assembly device element means member method part process serve system unit
"""
_EMPTY = frozenset(map(stem, _EMPTY_WORDS.split()))
# Counted in a fraction of the time that a pattern takes.
_ALTERNATIVES = (" or ", "/or ", " oder ", " ou ", "或", "又は", "または")


class Standing(StrEnum):
    """How a limitation of the candidate stands to that of the reference."""

    MATCHED = "matched"
    NARROWED = "narrowed"
    BROADENED = "broadened"
    CHANGED = "changed"
    MISSING = "missing"
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class Limitation:
    """One or several features in a row: claim_text[start:end]."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class LimitationPair:
    """A limitation of each side, or of one side alone, and how they stand to each other."""

    reference: Limitation | None
    candidate: Limitation | None
    standing: Standing


@dataclass(slots=True)
class _Part:
    """One feature, or several joined, on the way to a limitation."""

    start: int
    end: int
    content: list[str]
    words: dict[str, None]
    """A set that keeps the order of the text, so that equal texts pair alike in every process."""
    opens_list: bool
    alternatives: int
    """How often it says "or": one more alternative is not one more limit."""
    text: str
    partner: "_Part | None" = None


def align_features(
    reference: Sequence[Feature], candidate: Sequence[Feature]
) -> tuple[LimitationPair, ...]:
    """Set the limitations of an aligned pair of claims side by side.

    Inputs: the features of two claims, as `split_features` cuts them. Output: pairs in which each
    feature of both sides lies in exactly one limitation; features in a row are one limitation where
    the other side says them in one. Order: that of the reference; an added limitation stands after
    the pair of the one before it. Standing, by sets of content words (see `words.content_words`)
    without those that limit nothing: MATCHED if the sets are equal, or if up to a fifth of the
    words were exchanged, none of them a number or a negation; NARROWED if the candidate only adds,
    and the reference stands in it word for word with words put in that can only limit more;
    BROADENED the other way round; CHANGED otherwise, and whatever the words where a negation comes
    or goes or the sides have different numbers of alternatives. MISSING and ADDED have no
    counterpart, and neither has the opening of a list ("wherein the layer includes:") that is
    MATCHED because one limitation of the other side holds all its words.
    Words are counted, not understood: a standing is a question to the attorney, not a verdict.
    """
    left, right = _parts(reference), _parts(candidate)
    bands = compare_bags([list(part.words) for part in left], [list(part.words) for part in right])
    for i, j in pair_up(bands, _RULES):
        left[i].partner, right[j].partner = right[j], left[i]
    _absorb(left)
    _absorb(right)
    return _in_rows(left, right)


def _parts(features: Sequence[Feature]) -> list[_Part]:
    return [
        _Part(
            item.start,
            item.end,
            content := content_words(item.text),
            dict.fromkeys(content),
            item.text.rstrip().endswith(":"),
            sum(map(item.text.count, _ALTERNATIVES)),
            item.text,
        )
        for item in features
    ]


def _absorb(parts: list[_Part]) -> None:
    """Join a part without partner to a neighbour whose partner has the same content."""
    place = 0
    while place < len(parts):
        part = parts[place]
        before = parts[place - 1] if place else None
        after = parts[place + 1] if place + 1 < len(parts) else None
        host = None if part.partner else _host(part, before, after)
        if host is None:
            place += 1
            continue
        host.start, host.end = min(host.start, part.start), max(host.end, part.end)
        first, then = (part, host) if host is after else (host, part)
        host.text = first.text + then.text
        host.content = first.content + then.content
        host.words.update(part.words)
        host.alternatives += part.alternatives
        del parts[place]


def _host(part: _Part, *neighbours: _Part | None) -> _Part | None:
    """Return the neighbour whose partner covers most of what the part adds to it."""
    best, most = None, _ABSORBED
    for neighbour in neighbours:
        if neighbour is None or neighbour.partner is None:
            continue
        own = [word for word in part.words if word not in neighbour.words]
        partner = neighbour.partner.words
        covered = sum(word in partner for word in own) / len(own) if own else 0.0
        if covered >= most or not part.words:
            best, most = neighbour, covered
    return best


class _WordMasks:
    """Which parts of a side hold which word, as bits."""

    def __init__(self, parts: Sequence[_Part]) -> None:
        self._any = (1 << len(parts)) - 1
        self._holders: dict[str, int] = {}
        for place, part in enumerate(parts):
            for word in part.words:
                self._holders[word] = self._holders.get(word, 0) | 1 << place

    def holds(self, part: _Part) -> bool:
        """Whether a part merely opens a list and one part of this side holds all its words."""
        left = self._any if part.opens_list else 0
        for word in part.words:
            left &= self._holders.get(word, 0)
        return bool(left)


def _standing(known: _Part, given: _Part) -> Standing:
    left, right = ({*part.words} - _LIMITS_NOTHING for part in (known, given))
    lost, added = left - right, right - left
    if known.alternatives != given.alternatives or any(map(is_negation, lost | added)):
        return Standing.CHANGED
    if not lost and not added:
        return Standing.MATCHED
    if not added:
        return Standing.BROADENED if _is_extended(given, known) else Standing.CHANGED
    if not lost:
        return Standing.NARROWED if _is_extended(known, given) else Standing.CHANGED
    exchanged = max(len(lost) / len(left), len(added) / len(right))
    is_decisive = any(word in _DECISIVE or word[0].isdigit() for word in lost | added)
    return Standing.MATCHED if exchanged <= _REWORDED and not is_decisive else Standing.CHANGED


def _is_extended(short: _Part, long: _Part) -> bool:
    """Whether a limitation is another one with words put in, and so limits more.

    False in doubt: where words changed their order or were exchanged, however light, where what was
    put in may loosen, choose or count, and in the opening of a dependent claim, which limits
    nothing by the name of its subject.
    """
    if short.alternatives or short.opens_list != long.opens_list:
        return False
    rest = iter(long.content)
    if any(map(is_negation, short.words)) or not all(word in rest for word in short.content):
        return False
    if _EMPTY.issuperset(word for word in long.words if word not in short.words):
        return False
    (opening, left), (other, right) = map(_behind_citation, (short.text, long.text))
    if opening != other or not _CHOICES.isdisjoint(left):
        return False
    counts = any(key[0].isdigit() for key in left)
    opens_at = next((place for place, key in enumerate(left) if is_content(key)), len(left))
    return all(
        _limits(
            right[gap.start : gap.stop],
            left[gap.low : gap.high],
            counts=counts,
            is_opened=gap.low > opens_at,
        )
        for gap in find_gaps(left, right)
    )


def _limits(
    put_in: Sequence[str], instead: Sequence[str], *, counts: bool, is_opened: bool
) -> bool:
    """Whether words can only limit more than those that they stand for, which are few and light.

    `counts`: the limitation has a number, to which another may add a choice. `is_opened`: its first
    noun stands before; until then, only what qualifies it leaves it the subject: "a rubber seal".
    """
    is_exchange = not _ARTICLES.issuperset(instead)
    if any(map(is_content, instead)) or (is_exchange and any(map(is_content, put_in))):
        return False
    if not (_LOOSENED.isdisjoint(put_in) and _LOOSENED_PAIRS.isdisjoint(pairwise(put_in))):
        return False
    # "(Fluorine)" is another name; a number beside one may make it a range.
    if "(" in put_in or (counts and any(word[0].isdigit() for word in put_in)):
        return False
    inner = put_in[next((i for i, word in enumerate(put_in) if is_content(word)), len(put_in)) :]
    return is_opened or all(map(is_content, inner))


def _behind_citation(text: str) -> tuple[list[str], list[str]]:
    """Return the content words up to the last claim cited, and the tokens behind it, as stems."""
    end = max((item.end for item in citations(text)), default=0)
    tokens = [stem(key) if is_content(key) else key for key in read_unlabelled(text[end:])]
    return content_words(text[:end]), tokens


def is_negation(word: str) -> bool:
    """Return whether a content word, as `words.content_words` gives it, turns a limit round."""
    if word.isascii():
        return word in _NEGATIONS
    return word in _NEGATIONS or any(sign in word for sign in _NEGATING_SIGNS)


def _in_rows(left: list[_Part], right: list[_Part]) -> tuple[LimitationPair, ...]:
    """Follow the reference; an added limitation stands after the pair of the one before it."""
    followers: dict[int | None, list[LimitationPair]] = {}
    leader: int | None = None
    left_words, right_words = _WordMasks(left), _WordMasks(right)
    for part in right:
        if part.partner is None:
            standing = Standing.MATCHED if left_words.holds(part) else Standing.ADDED
            alone = LimitationPair(None, Limitation(part.start, part.end), standing)
            followers.setdefault(leader, []).append(alone)
        else:
            leader = id(part)
    rows = followers.get(None, [])
    for part in left:
        own, other = Limitation(part.start, part.end), part.partner
        if other is None:
            standing = Standing.MATCHED if right_words.holds(part) else Standing.MISSING
            rows.append(LimitationPair(own, None, standing))
        else:
            standing = _standing(part, other)
            rows.append(LimitationPair(own, Limitation(other.start, other.end), standing))
            rows.extend(followers.get(id(other), ()))
    return tuple(rows)
