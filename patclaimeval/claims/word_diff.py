"""The word diff of two claim texts: what each side has that the other lacks."""

from collections.abc import Iterator
from dataclasses import dataclass

from patclaimeval.claims.words import common_words, is_content

# A run of same function words goes if the words that differ around it outnumber it this often.
_DISSOLVES = 4


Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Gap:
    """A stretch of tokens that differ: left[low:high] stands where right[start:stop] stands."""

    low: int
    high: int
    start: int
    stop: int


def find_gaps(left: list[str], right: list[str]) -> list[Gap]:
    """Return where two lists of token keys differ, in order, made readable."""
    gaps: list[Gap] = []
    for gap in _raw_gaps(left, right):
        # Gaps that only a few function words part are one, if both sides differ there.
        while gaps and _parts_little(gaps[-1], gap, left):
            before = gaps.pop()
            gap = Gap(before.low, gap.high, before.start, gap.stop)  # noqa: PLW2901
        gaps.append(gap)
    ends = [*((gap.low, gap.start) for gap in gaps[1:]), (len(left), len(right))]
    moved: list[Gap] = []
    floor = (0, 0)
    for gap, ceiling in zip(gaps, ends, strict=False):
        moved.append(_slide(gap, left, right, floor, ceiling))
        floor = (moved[-1].high, moved[-1].stop)
    return moved


def _raw_gaps(left: list[str], right: list[str]) -> Iterator[Gap]:
    """Yield what a longest common subsequence leaves out, in order."""
    low = start = 0
    for i, j in [*common_words(left, right), (len(left), len(right))]:
        if i > low or j > start:
            yield Gap(low, i, start, j)
        low, start = i + 1, j + 1


def _parts_little(before: Gap, after: Gap, left: list[str]) -> bool:
    between = after.low - before.high
    here = before.high - before.low + after.high - after.low
    there = before.stop - before.start + after.stop - after.start
    if not here or not there or here + there < _DISSOLVES * between:
        return False
    return not any(map(is_content, left[before.high : after.low]))


def _slide(gap: Gap, left: list[str], right: list[str], floor: Place, ceiling: Place) -> Gap:
    """Move a difference of one side along equal words, between its neighbours, to read best."""
    if gap.low < gap.high and gap.start == gap.stop:
        shift = _best_shift(left, gap.low, gap.high, floor[0], ceiling[0])
    elif gap.start < gap.stop and gap.low == gap.high:
        shift = _best_shift(right, gap.start, gap.stop, floor[1], ceiling[1])
    else:
        shift = 0
    return Gap(gap.low + shift, gap.high + shift, gap.start + shift, gap.stop + shift)


def _best_shift(words: list[str], start: int, stop: int, floor: int, ceiling: int) -> int:
    """Return by how much a stretch should move; each step needs a word that leaves and enters."""
    leftmost = start
    while leftmost > floor and words[leftmost - 1] == words[leftmost - 1 + stop - start]:
        leftmost -= 1
    size, rightmost = stop - start, start
    while rightmost + size < ceiling and words[rightmost] == words[rightmost + size]:
        rightmost += 1

    def worth(place: int) -> int:
        """Say how well it reads as one difference: whole clauses first, then whole phrases."""
        end = place + size
        opens = place == 0 or not words[place - 1].isalnum()
        closes = end == len(words) or not words[end - 1].isalnum()
        return 4 * opens + 2 * closes + is_content(words[end - 1])

    return max(range(leftmost, rightmost + 1), key=worth) - start
