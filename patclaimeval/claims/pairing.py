"""Aligns candidate claims with reference claims, row by row: in order, but for clear crossings."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2

from rapidfuzz.distance import Levenshtein

from patclaimeval.claims.parsing import Claim
from patclaimeval.claims.words import content_words

# A rare word weighs up to this many times as much as one that all bags hold.
_HEAVIEST = 7

Pair = tuple[int, int]
Scores = list[list[float]]
"""By row and column how alike two bags are, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Rules:
    """How alike is alike, on a scale of 0 to 1."""

    least: float
    """The least score of a pair that keeps the order."""
    crossing: float
    """The least score of a pair that crosses others."""
    margin: float
    """By how much a crossing pair must beat the pairs that it parts."""


def compare_bags(left: Sequence[Sequence[str]], right: Sequence[Sequence[str]]) -> Scores:
    """Return how alike each bag of words on the left is to each on the right, 0 to 1.

    The score is the mean of Dice's (twice the weight of the words that both hold, over the weight
    of the words of each) and of the share that the lighter bag has in common with the other, so
    that a bag is still like a part of itself; 1 for equal sets, two empty ones included. A word
    weighs 1 to 7, the more the fewer bags of a side hold it: 1 - 2 log2(share of the bags that
    hold it, on the side where that is larger), rounded.
    """
    bits = _word_bits(left, right)
    masks = [_mask(bag, bits) for bag in right]
    sizes = [mask.bit_count() for mask in masks]
    scores = []
    for bag in left:
        mask = _mask(bag, bits)
        size = mask.bit_count()
        row = [
            (common := (mask & other).bit_count()) / (size + weight)
            + common / (2 * (size if size < weight else weight))
            if size and weight
            else float(size == weight)
            for other, weight in zip(masks, sizes, strict=True)
        ]
        scores.append(row)
    return scores


def _word_bits(left: Sequence[Sequence[str]], right: Sequence[Sequence[str]]) -> dict[str, int]:
    """Give each word as many bits of a mask as it weighs, so that counting bits adds weights."""
    shares: dict[str, float] = {}
    for bags in (left, right):
        for word, count in Counter(word for bag in bags for word in dict.fromkeys(bag)).items():
            shares[word] = max(shares.get(word, 0.0), count / len(bags))
    bits: dict[str, int] = {}
    used = 0
    for word, share in shares.items():
        weight = min(_HEAVIEST, round(1 - 2 * log2(share)))
        bits[word] = ((1 << weight) - 1) << used
        used += weight
    return bits


def _mask(bag: Sequence[str], bits: dict[str, int]) -> int:
    mask = 0
    for word in bag:
        mask |= bits[word]
    return mask


def pair_up(scores: Scores, rules: Rules) -> list[Pair]:
    """Return pairs (row, column), each row and column once at most, by row.

    First the pairs that keep the order and whose scores less `rules.least` add up to most; then,
    from the best score down, every pair that crosses them with a score of `rules.crossing` or
    more, if both are free or it beats each pair that it parts by `rules.margin`; then once more
    those whose both sides are free by now. Equal scores go to the earlier row and column.
    """
    column_of = dict(_in_order(scores, rules.least))
    row_of = {column: row for row, column in column_of.items()}

    def join(row: int, column: int) -> None:
        row_of.pop(column_of.pop(row, -1), None)
        column_of.pop(row_of.pop(column, -1), None)
        column_of[row], row_of[column] = column, row

    def worth(row: int, column: int) -> float:
        """Return the better score of the pairs that joining these two would part."""
        own = scores[row][column_of[row]] if row in column_of else 0.0
        return max(own, scores[row_of[column]][column]) if column in row_of else own

    crossings = sorted(
        (-score, row, column)
        for row, of_row in enumerate(scores)
        for column, score in enumerate(of_row)
        if score >= rules.crossing
    )
    for negative, row, column in crossings:
        if -negative >= worth(row, column) + rules.margin:
            join(row, column)
    for _, row, column in crossings:
        if row not in column_of and column not in row_of:
            join(row, column)
    return sorted(column_of.items())


def _in_order(scores: Scores, least: float) -> list[Pair]:
    """Return the rising pairs whose scores, less `least`, add up to most."""
    columns = len(scores[0]) if scores else 0
    # best[i][j]: the most that the first i rows and j columns give.
    best = [[0.0] * (columns + 1)]
    for of_row in scores:
        above, here = best[-1], [0.0]
        for column, score in enumerate(of_row):
            taken = above[column] + score - least if score >= least else 0.0
            here.append(max(above[column + 1], here[column], taken))
        best.append(here)
    pairs: list[Pair] = []
    row, column = len(scores), columns
    while row and column:
        if best[row][column] == best[row - 1][column]:
            row -= 1
        elif best[row][column] == best[row][column - 1]:
            column -= 1
        else:
            row, column = row - 1, column - 1
            pairs.append((row, column))
    return pairs[::-1]


# Tuned by eye on the demo pairs: below `least` two claims share a preamble and little else.
_RULES = Rules(least=0.4, crossing=0.55, margin=0.2)
# Two independent claims belong side by side even if far less alike.
_BOTH_INDEPENDENT = 0.2
# An independent claim takes a dependent one only if nothing of its own kind comes near.
_OTHER_KIND = 0.6
_OTHER_CATEGORY = 0.8
_SAME_NUMBER = 1.02
# Between pairs, citing counterparts, claims need not share more than their subject.
_LEAST_BETWEEN = 0.05
# With a word in common that no other claim of either side has.
_LEAST_OWN_WORD = 0.3
# A term that is renamed has up to so many words.
_LONGEST_TERM = 3
# What ends the noun phrase that opens a claim and so names its category.
_HEAD = re.compile(
    r"[^,:;(]*?(?=[,:;(]|\b(?:of|for|according|as|in|to|that|which|wherein|where|by|using|when"
    r"|compris\w+|consist\w+|includ\w+|having|with)\b)",
    re.IGNORECASE,
)
_ACTIVITY = re.compile(r"\b(?:method|process|procedure|use)\s*$", re.IGNORECASE)
_LONGEST_HEAD = 160


@dataclass(frozen=True, slots=True)
class _Kind:
    """What sort of claim one is, beside its content."""

    is_heading: bool
    is_independent: bool
    is_activity: bool
    number: int | None


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the aligned reading: indices into the claims of each side, or None.

    `is_moved`: the candidate's claim stands elsewhere in the order than its counterpart.
    """

    reference: int | None
    candidate: int | None
    is_moved: bool = False


Content = list[list[str]]


def content_of(claims: Iterable[Claim]) -> Content:
    """Return the content words of each claim, behind its number."""
    return [content_words(claim.text[claim.body_offset :]) for claim in claims]


def align_claims(
    reference: tuple[Claim, ...],
    candidate: tuple[Claim, ...],
    content: tuple[Content, Content] | None = None,
) -> tuple[Row, ...]:
    """Pair each candidate claim with the reference claim that it corresponds to.

    Inputs: the parsed claims of both sides, and what `content_of` makes of them, where that is
    known. Output: rows in which every claim of each side stands
    exactly once, one to one, in the order of the reference; a candidate claim without a partner
    stands after the row of its predecessor, at the top if it has none.
    Pairs, by `compare_bags` on content words, keep the order of both sides, but for claims that
    were clearly moved: see `pair_up`. Where claims of both sides stay alone, they are compared once
    more with the candidate's renamed words under their old names, and then those are paired that
    stand between pairs, cite counterparts and have a little in common, or a word that no other
    claim has. Independent claims count as
    less alike to dependent ones and methods to things, claims of one number as a trifle more alike;
    words before the first number pair with their like only. The same claims give the same rows. It
    is a reading aid, not a finding.
    """
    sides = reference, candidate
    bags, other_bags = content or (content_of(reference), content_of(candidate))
    kinds = _kinds(reference), _kinds(candidate)
    scores = _adjusted_scores(bags, other_bags, kinds)
    partner = dict(pair_up(scores, _RULES))
    if len(partner) < min(map(len, sides)):
        if renamed := _renamed(partner, bags, other_bags):
            other_bags = [[renamed.get(word, word) for word in bag] for bag in other_bags]
            scores = _adjusted_scores(bags, other_bags, kinds)
            partner = dict(pair_up(scores, _RULES))
        _pair_between(partner, scores, sides, kinds)
        _pair_by_own_word(partner, scores, sides, (bags, other_bags), kinds)
    moved = _out_of_order(partner)
    rows = [Row(i, partner.get(i), is_moved=i in moved) for i in range(len(reference))]
    return _with_strays(rows, len(candidate))


def _adjusted_scores(
    left: Sequence[Sequence[str]],
    right: Sequence[Sequence[str]],
    kinds: tuple[Sequence["_Kind"], Sequence["_Kind"]],
) -> Scores:
    return [
        [_adjusted(score, kind, other) for score, other in zip(row, kinds[1], strict=True)]
        for row, kind in zip(compare_bags(left, right), kinds[0], strict=True)
    ]


def _renamed(
    partner: Mapping[int, int], left: Sequence[Sequence[str]], right: Sequence[Sequence[str]]
) -> dict[str, str]:
    """Return new words of the candidate by the lost words in whose places they stand.

    Two words stand in one place where, in a pair of claims, as many words differ on both sides.
    """
    known, given = ({word for bag in side for word in bag} for side in (left, right))
    found: dict[str, Counter[str]] = {}
    for i, j in partner.items():
        for change in Levenshtein.opcodes(left[i], right[j]):
            old = left[i][change.src_start : change.src_end]
            new = right[j][change.dest_start : change.dest_end]
            if change.tag == "replace" and len(old) <= _LONGEST_TERM:
                for one, two in zip(old, new, strict=True):
                    if one not in given and two not in known:
                        found.setdefault(two, Counter())[one] += 1
    return {new: counts.most_common(1)[0][0] for new, counts in found.items()}


def _pair_between(
    partner: dict[int, int],
    scores: Scores,
    sides: tuple[tuple[Claim, ...], tuple[Claim, ...]],
    kinds: tuple[Sequence["_Kind"], Sequence["_Kind"]],
) -> None:
    """Pair claims between two pairs, or ends, of one kind, that cite counterparts and are alike."""
    cites_alike = _Citations(partner, sides).are_alike
    pairs = {-1: -1, len(sides[0]): len(sides[1])} | partner
    for i in range(len(sides[0])):
        j = pairs.get(i - 1, len(sides[1])) + 1
        if i in partner or pairs.get(i + 1) != j + 1:
            continue
        is_alike = kinds[0][i].is_independent == kinds[1][j].is_independent
        if is_alike and cites_alike(i, j) and scores[i][j] >= _LEAST_BETWEEN:
            partner[i] = j


def _pair_by_own_word(
    partner: dict[int, int],
    scores: Scores,
    sides: tuple[tuple[Claim, ...], tuple[Claim, ...]],
    bags: tuple[Sequence[Sequence[str]], Sequence[Sequence[str]]],
    kinds: tuple[Sequence["_Kind"], Sequence["_Kind"]],
) -> None:
    """Pair dependent claims between the same pairs that share a word which no other claim has.

    So a claim whose every term was renamed is found among several that are missing.
    """
    cites_alike = _Citations(partner, sides).are_alike
    owners = [_owners(side) for side in bags]
    for word, i in owners[0].items():
        j = owners[1].get(word)
        if j is None or i in partner or j in partner.values():
            continue
        is_between = all((row < i) == (column < j) for row, column in partner.items())
        is_dependent = not (kinds[0][i].is_independent or kinds[1][j].is_independent)
        is_alike = scores[i][j] >= _LEAST_OWN_WORD
        if is_between and is_dependent and is_alike and cites_alike(i, j):
            partner[i] = j


def _owners(bags: Sequence[Sequence[str]]) -> dict[str, int]:
    """Return the words that one claim alone has, in their order, and whose they are."""
    counts = Counter(word for bag in bags for word in set(bag))
    return {word: place for place, bag in enumerate(bags) for word in bag if counts[word] == 1}


class _Citations:
    """Whether claims cite counterparts, by the pairs that are known."""

    __slots__ = ("_number", "_numbers", "_sides")

    def __init__(
        self, partner: Mapping[int, int], sides: tuple[tuple[Claim, ...], tuple[Claim, ...]]
    ) -> None:
        self._sides = sides
        self._number = {sides[0][i].number: sides[1][j].number for i, j in partner.items()}
        self._numbers = {claim.number for claim in sides[1]}

    def are_alike(self, i: int, j: int) -> bool:
        """Whether the counterparts of what one cites are what the other cites, or it cites none.

        A citation of a claim that does not exist is a fault, and no other parent.
        """
        cited = {self._number.get(one) for one in self._sides[0][i].depends_on}
        return {n for n in self._sides[1][j].depends_on if n in self._numbers} in (cited, set())


def _out_of_order(partner: Mapping[int, int]) -> set[int]:
    """Return the reference claims whose counterparts leave the longest rising order."""
    order = sorted(partner)
    tails: list[tuple[int, int]] = []  # the least last column of a rising run of each length
    before: dict[int, int | None] = {}
    for i in order:
        place = bisect_left(tails, (partner[i],))
        before[i] = tails[place - 1][1] if place else None
        tails[place : place + 1] = [(partner[i], i)]
    rising = set()
    at = tails[-1][1] if tails else None
    while at is not None:
        rising.add(at)
        at = before[at]
    return set(order) - rising


def _kinds(claims: tuple[Claim, ...]) -> list[_Kind]:
    activity = {claim.number: claims_activity(claim) for claim in reversed(claims)}
    kinds: list[_Kind] = []
    for claim in claims:
        own = claims_activity(claim)
        # "A device that carries out the method of claim 1" is independent in all but form.
        is_dependent = any(activity.get(number, own) == own for number in claim.depends_on)
        # Words before the first number; a text without any number is a claim.
        is_heading = claim.number is None and len(claims) > 1
        kinds.append(_Kind(is_heading, not is_dependent, own, claim.number))
    return kinds


def other_category(claims: tuple[Claim, ...]) -> list[bool]:
    """Return of each claim whether it cites one of the other category only: a method for a thing.

    Such a claim is not an ordinary dependent one: the EPO treats it as independent, the USPTO as
    dependent only if it holds all limits of what it cites.
    """
    activity = {claim.number: claims_activity(claim) for claim in reversed(claims)}
    return [
        bool(claim.depends_on) and all(activity.get(n, own) != own for n in claim.depends_on)
        for claim in claims
        for own in (claims_activity(claim),)
    ]


def claims_activity(claim: Claim) -> bool:
    """Whether a claim is for a method or use: so ends the noun phrase that opens it."""
    begin = claim.body_offset
    head = _HEAD.match(claim.text, begin, begin + _LONGEST_HEAD)
    return head is not None and _ACTIVITY.search(head.group()) is not None


def _adjusted(score: float, kind: _Kind, other: _Kind) -> float:
    """Return how alike two claims are, taking into account what sort of claims they are."""
    if kind.is_heading or other.is_heading:
        return float(kind.is_heading and other.is_heading)
    if kind.is_independent != other.is_independent:
        score *= _OTHER_KIND
    elif kind.is_independent:
        score += _BOTH_INDEPENDENT * (1 - score)
    if kind.is_activity != other.is_activity:
        score *= _OTHER_CATEGORY
    return score * _SAME_NUMBER if kind.number == other.number else score


def _with_strays(rows: list[Row], count: int) -> tuple[Row, ...]:
    """Put each candidate claim without a partner after the row of the claim before it."""
    paired = {row.candidate for row in rows}
    followers: dict[int | None, list[Row]] = {}
    leader: int | None = None
    for place in range(count):
        if place in paired:
            leader = place
        else:
            followers.setdefault(leader, []).append(Row(None, place))
    ordered = followers.get(None, [])
    for row in rows:
        ordered.append(row)
        if row.candidate is not None:
            ordered.extend(followers.get(row.candidate, ()))
    return tuple(ordered)
