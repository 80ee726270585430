"""Owns the longest common subsequence of two word lists, in one piece or, if long, in several."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise

# Words of one side times words of the other for which an exact answer costs under 10 ms and 4 MB.
LARGEST_EXACT = 30_000_000

Pair = tuple[int, int]


def common_words(left: Sequence[str], right: Sequence[str]) -> list[Pair]:
    """Return places (i, j) with left[i] == right[j], rising in both, as many as can be.

    Inputs: two lists of words. Output: the pairs of a longest common subsequence, [] if there is
    none. The method is the bit-parallel one of Hyyro (2004): one row of the dynamic programme is
    one whole number, so repeated words cost no more than rare ones. Where len(left) * len(right),
    less what both begin and end with, is above LARGEST_EXACT, the lists are first cut at words
    that occur once in each and rise in both, and pieces that are still too large are cut into
    blocks of equal shares: the answer is then common and rising, but may not be the longest.
    """
    size = min(len(left), len(right))
    head = next((i for i in range(size) if left[i] != right[i]), size)
    tail = next((i for i in range(size - head) if left[-1 - i] != right[-1 - i]), size - head)
    pairs = [(place, place) for place in range(head)]
    box = (head, len(left) - tail, head, len(right) - tail)
    for low, high, start, stop in _boxes(left, right, box):
        inner = _longest(left[low:high], right[start:stop])
        pairs += [(low + i, start + j) for i, j in inner]
    return pairs + [(len(left) - i, len(right) - i) for i in range(tail, 0, -1)]


def _longest(left: Sequence[str], right: Sequence[str]) -> list[Pair]:
    """Return a longest common subsequence, each pair as late in `left` as it can be."""
    # Words that the other side lacks are in no pair: without them the rows are short.
    known, given = set(left), set(right)
    firsts = [place for place, word in enumerate(left) if word in given]
    seconds = [place for place, word in enumerate(right) if word in known]
    return [
        (firsts[i], seconds[j])
        for i, j in _longest_of_known(
            [left[place] for place in firsts], [right[place] for place in seconds]
        )
    ]


def _longest_of_known(left: Sequence[str], right: Sequence[str]) -> list[Pair]:
    """Do as `_longest` for lists in which every word stands on both sides."""
    bits = _places(left)
    every = (1 << len(left)) - 1
    row, rows = every, [every]
    for word in right:
        found = row & bits[word]
        row = ((row + found) | (row - found)) & every
        rows.append(row)
    pairs: list[Pair] = []
    i, j = len(left) - 1, len(right)
    while i >= 0 and j > 0:
        # A nought at i: the common words of left[:i + 1] are one more than those of left[:i].
        if rows[j] >> i & 1:
            i -= 1
        elif rows[j - 1] >> i & 1:
            pairs.append((i, j - 1))
            i, j = i - 1, j - 1
        else:
            j -= 1
    pairs.reverse()
    return pairs


def _places(words: Sequence[str]) -> dict[str, int]:
    """Return for each word its places as the bits of one whole number."""
    marked: dict[str, bytearray] = {}
    for place, word in enumerate(words):
        if (row := marked.get(word)) is None:
            row = marked[word] = bytearray(len(words) // 8 + 1)
        row[place >> 3] |= 1 << (place & 7)
    return {word: int.from_bytes(row, "little") for word, row in marked.items()}


Box = tuple[int, int, int, int]


def _boxes(left: Sequence[str], right: Sequence[str], box: Box) -> Iterator[Box]:
    """Cut a box of the two lists (low, high, start, stop) into boxes of bearable size."""
    low, high, start, stop = box
    if (high - low) * (stop - start) <= LARGEST_EXACT:
        yield box
        return
    anchors = _anchors(left, right, box)
    corners = [(low, start), *((i, j) for i, j in anchors), (high, stop)]
    for (i, j), (next_i, next_j) in pairwise(corners):
        yield from _blocks((i, next_i, j, next_j))


def _blocks(box: Box) -> Iterator[Box]:
    low, high, start, stop = box
    count = 1
    if (high - low) * (stop - start) > LARGEST_EXACT:
        count = -(-max(high - low, stop - start) // int(LARGEST_EXACT**0.5))
    for k in range(count):
        yield (
            low + (high - low) * k // count,
            low + (high - low) * (k + 1) // count,
            start + (stop - start) * k // count,
            start + (stop - start) * (k + 1) // count,
        )


def _anchors(left: Sequence[str], right: Sequence[str], box: Box) -> list[Pair]:
    """Return places of words that occur once in each side of the box, rising in both."""
    low, high, start, stop = box
    once_left, once_right = _once(left, low, high), _once(right, start, stop)
    # Patience sorting: `ends` holds the smallest last place of a chain of each length.
    ends: list[int] = []
    chain: list[Pair] = []
    before: list[int] = []
    last: list[int] = []
    for word, i in once_left.items():
        if (j := once_right.get(word)) is None:
            continue
        length = bisect_left(ends, j)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [j]
        last[length : length + 1] = [len(chain)]
        chain.append((i, j))
    found: list[Pair] = []
    place = last[-1] if last else -1
    while place >= 0:
        found.append(chain[place])
        place = before[place]
    return found[::-1]


def _once(words: Sequence[str], low: int, high: int) -> dict[str, int]:
    """Map each word that occurs once in words[low:high] to its place, in order."""
    places: dict[str, int] = {}
    repeated: set[str] = set()
    for place in range(low, high):
        word = words[place]
        if word in places:
            repeated.add(word)
        places[word] = place
    return {word: place for word, place in places.items() if word not in repeated}
