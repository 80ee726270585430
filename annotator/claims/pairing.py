"""Owns the one-to-one pairing of two lists of word bags: in order, but for clear crossings."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import log2

# Pairs of bags that are all compared; above it only those near the diagonal, this near at least.
LARGEST_COMPARED = 100_000
NARROWEST_BAND = 9
# Masks are no wider: where all words together weigh more, some share bits and count as one.
WIDEST_MASK = 16_384
# A rare word weighs up to this many times as much as one that all bags hold.
_HEAVIEST = 7

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Band:
    """The scores of one bag on the left with the bags low, low + 1, ... on the right."""

    low: int
    scores: list[float]


@dataclass(frozen=True, slots=True)
class Rules:
    """How alike is alike, on a scale of 0 to 1."""

    least: float
    """The least score of a pair that keeps the order."""
    crossing: float
    """The least score of a pair that crosses others."""
    margin: float
    """By how much a crossing pair must beat the pairs that it parts."""


def compare_bags(left: Sequence[Sequence[str]], right: Sequence[Sequence[str]]) -> list[Band]:
    """Return how alike each bag of words on the left is to the bags on the right, 0 to 1.

    The score is the mean of Dice's (twice the weight of the words that both hold, over the weight
    of the words of each) and of the share that the lighter bag has in common with the other, so
    that a bag is still like a part of itself; 1 for equal sets, two empty ones included. A word
    weighs 1 to 7, the more the fewer bags of a side hold it: 1 - 2 log2(share of the bags that
    hold it, on the side where that is larger), rounded.
    Up to LARGEST_COMPARED pairs all are compared, above that only those near the diagonal. Where
    all words together weigh more than WIDEST_MASK, some count as one and scores may be too high.
    """
    bits = _word_bits(left, right)
    masks = [_mask(bag, bits) for bag in right]
    sizes = [mask.bit_count() for mask in masks]
    bands = []
    for place, bag in enumerate(left):
        mask = _mask(bag, bits)
        size = mask.bit_count()
        low, high = _window(place, len(left), len(right))
        bands.append(Band(low, _likeness(mask, size, masks[low:high], sizes[low:high])))
    return bands


def _likeness(mask: int, size: int, masks: list[int], sizes: list[int]) -> list[float]:
    return [
        (common := (mask & other).bit_count()) / (size + weight)
        + common / (2 * (size if size < weight else weight))
        if size and weight
        else float(size == weight)
        for other, weight in zip(masks, sizes, strict=True)
    ]


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
        bits[word] = ((1 << weight) - 1) << used % WIDEST_MASK
        used += weight
    return bits


def _mask(bag: Sequence[str], bits: dict[str, int]) -> int:
    mask = 0
    for word in bag:
        mask |= bits[word]
    return mask


def _window(place: int, rows: int, columns: int) -> tuple[int, int]:
    """Return which columns are compared with a row; windows of later rows never begin earlier."""
    if rows * columns <= LARGEST_COMPARED:
        return 0, columns
    reach = max(NARROWEST_BAND, LARGEST_COMPARED // (2 * rows))
    middle = place * columns // rows
    return max(0, middle - reach), min(columns, middle + columns // rows + reach + 1)


def pairs_compared(rows: int, columns: int) -> int:
    """Return about how many pairs `compare_bags` compares of so many bags a side, or more."""
    if rows * columns <= LARGEST_COMPARED:
        return rows * columns
    reach = max(NARROWEST_BAND, LARGEST_COMPARED // (2 * rows))
    return rows * min(columns, 2 * reach + columns // rows + 1)


def score_at(bands: Sequence[Band], row: int, column: int) -> float:
    """Return the score of a row and a column; 0 where they were not compared."""
    band = bands[row]
    place = column - band.low
    return band.scores[place] if 0 <= place < len(band.scores) else 0.0


def pair_up(bands: Sequence[Band], rules: Rules) -> list[Pair]:
    """Return pairs (row, column), each row and column once at most, by row.

    First the pairs that keep the order and whose scores less `rules.least` add up to most; then,
    from the best score down, every pair that crosses them with a score of `rules.crossing` or
    more, if both are free or it beats each pair that it parts by `rules.margin`; then once more
    those whose both sides are free by now. Equal scores go to the earlier row and column.
    """
    pairs = _Pairs(bands, _in_order(bands, rules.least))
    crossings = [
        (-score, row, band.low + place)
        for row, band in enumerate(bands)
        for place, score in enumerate(band.scores)
        if score >= rules.crossing
    ]
    crossings.sort()
    for negative, row, column in crossings:
        if -negative >= pairs.worth(row, column) + rules.margin:
            pairs.join(row, column)
    for _, row, column in crossings:
        if pairs.are_free(row, column):
            pairs.join(row, column)
    return sorted(pairs.column_of.items())


class _Pairs:
    """Pairs that can be parted and joined anew."""

    __slots__ = ("_bands", "_row_of", "column_of")

    def __init__(self, bands: Sequence[Band], pairs: list[Pair]) -> None:
        self._bands = bands
        self.column_of = dict(pairs)
        self._row_of = {column: row for row, column in pairs}

    def are_free(self, row: int, column: int) -> bool:
        """Whether neither side has a partner."""
        return row not in self.column_of and column not in self._row_of

    def worth(self, row: int, column: int) -> float:
        """Return the better score of the pairs that joining these two would part."""
        own = score_at(self._bands, row, self.column_of[row]) if row in self.column_of else 0.0
        if column not in self._row_of:
            return own
        return max(own, score_at(self._bands, self._row_of[column], column))

    def join(self, row: int, column: int) -> None:
        """Pair these two; their former partners are free."""
        self._row_of.pop(self.column_of.pop(row, -1), None)
        self.column_of.pop(self._row_of.pop(column, -1), None)
        self.column_of[row], self._row_of[column] = column, row


_SKIP_ROW, _SKIP_COLUMN, _TAKE = 0, 1, 2


def _in_order(bands: Sequence[Band], least: float) -> list[Pair]:
    """Return the rising pairs whose scores, less `least`, add up to most."""
    # best[j]: the most that columns before j give to the rows so far; the last item holds on.
    best = [0.0]
    choices: list[bytearray] = []
    for band in bands:
        high = band.low + len(band.scores)
        best += [best[-1]] * (high + 1 - len(best))
        choice = bytearray(len(band.scores))
        diagonal = left = best[band.low]
        for place, score in enumerate(band.scores):
            column = band.low + place + 1
            here = above = best[column]
            if left > here:
                here, choice[place] = left, _SKIP_COLUMN
            if score >= least and diagonal + score - least > here:
                here, choice[place] = diagonal + score - least, _TAKE
            diagonal, left = above, here
            best[column] = here
        choices.append(choice)
    return _read_back(bands, choices)


def _read_back(bands: Sequence[Band], choices: list[bytearray]) -> list[Pair]:
    pairs: list[Pair] = []
    row = len(bands) - 1
    column = bands[-1].low + len(bands[-1].scores) if bands else 0
    while row >= 0:
        low, count = bands[row].low, len(bands[row].scores)
        # Columns right of what was compared with this row add nothing to it.
        column = min(column, low + count)
        choice = choices[row][column - low - 1] if column > low else _SKIP_ROW
        if choice == _TAKE:
            pairs.append((row, column - 1))
        if choice != _SKIP_COLUMN:
            row -= 1
        if choice != _SKIP_ROW:
            column -= 1
    return pairs[::-1]
