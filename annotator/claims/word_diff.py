"""Owns the word diff of two claim texts: what each side has that the other lacks."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from annotator.claims.words import Tokens, common_words, is_content, read_tokens

# A run of same function words goes if the words that differ around it outnumber it this often.
_DISSOLVES = 4


class Kind(StrEnum):
    """Whether the other side has these words too, or lacks them."""

    SAME = "same"
    ONLY_HERE = "only-here"


@dataclass(frozen=True, slots=True)
class Piece:
    """One stretch of a text: text[start:end]."""

    start: int
    end: int
    kind: Kind


Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Gap:
    """A stretch of tokens that differ: left[low:high] stands where right[start:stop] stands."""

    low: int
    high: int
    start: int
    stop: int


def diff_words(reference: str, candidate: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Return the pieces of the reference and of the candidate that are the same or only there.

    Inputs: the texts of two claims (or any texts). Output: for each side pieces in order that
    cover it byte for byte, neighbours of different kinds; () for "".
    What is compared are the tokens of `words.read_tokens`: words, numbers, punctuation marks, and
    characters of unspaced scripts; case matters only in short symbols (CO is not Co). White space,
    unseen characters and the number marker of a claim are never a difference; white space between
    two words that differ belongs to them. The words in common are a longest common subsequence
    (see `common_words` for very long texts), then made readable: a difference that could stand in
    several places starts after punctuation, and function words that are the same by chance amid
    other words ("of" in "pump of steel", "valve of brass") count as different.
    """
    if reference == candidate:
        whole = (Piece(0, len(reference), Kind.SAME),) if reference else ()
        return whole, whole
    left, right = read_tokens(reference), read_tokens(candidate)
    gaps = find_gaps(left.keys, right.keys)
    return (
        _pieces(reference, left, [(gap.low, gap.high) for gap in gaps]),
        _pieces(candidate, right, [(gap.start, gap.stop) for gap in gaps]),
    )


def find_gaps(left: list[str], right: list[str]) -> list[Gap]:
    """Return where two lists of token keys differ, in order, made readable."""
    gaps = _dissolve(raw_gaps(left, right), left)
    if not gaps:
        return []
    ends = [*((gap.low, gap.start) for gap in gaps[1:]), (len(left), len(right))]
    moved: list[Gap] = []
    floor = (0, 0)
    for gap, ceiling in zip(gaps, ends, strict=True):
        moved.append(_slide(gap, left, right, floor, ceiling))
        floor = (moved[-1].high, moved[-1].stop)
    return moved


def raw_gaps(left: list[str], right: list[str]) -> Iterator[Gap]:
    """Yield what a longest common subsequence leaves out, in order."""
    low = start = 0
    for i, j in [*common_words(left, right), (len(left), len(right))]:
        if i > low or j > start:
            yield Gap(low, i, start, j)
        low, start = i + 1, j + 1


def _dissolve(gaps: Iterator[Gap], left: list[str]) -> list[Gap]:
    """Join gaps that only a few function words part, if both sides differ there."""
    joined: list[Gap] = []
    for gap in gaps:
        while joined and _parts_little(joined[-1], gap, left):
            before = joined.pop()
            gap = Gap(before.low, gap.high, before.start, gap.stop)  # noqa: PLW2901
        joined.append(gap)
    return joined


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
    rightmost = start
    while (
        rightmost + stop - start < ceiling and words[rightmost] == words[rightmost + stop - start]
    ):
        rightmost += 1
    places = range(leftmost, rightmost + 1)
    return max(places, key=lambda place: _worth(words, place, place + stop - start)) - start


def _worth(words: list[str], start: int, stop: int) -> int:
    """Return how well a stretch reads as a difference: whole clauses first, then whole phrases."""
    opens = start == 0 or not words[start - 1].isalnum()
    closes = stop == len(words) or not words[stop - 1].isalnum()
    return 4 * opens + 2 * closes + is_content(words[stop - 1])


def _pieces(text: str, tokens: Tokens, differing: list[tuple[int, int]]) -> tuple[Piece, ...]:
    pieces: list[Piece] = []
    done = 0
    for first, last in _joined(differing):
        start, end = tokens.starts[first], tokens.ends[last - 1]
        if start > done:
            pieces.append(Piece(done, start, Kind.SAME))
        pieces.append(Piece(start, end, Kind.ONLY_HERE))
        done = end
    if done < len(text):
        pieces.append(Piece(done, len(text), Kind.SAME))
    return tuple(pieces)


def _joined(stretches: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Leave out what is empty and join what touches."""
    joined: list[tuple[int, int]] = []
    for first, last in stretches:
        if joined and joined[-1][1] == first < last:
            joined[-1] = (joined[-1][0], last)
        elif first < last:
            joined.append((first, last))
    return joined
