"""The word diff of two claim texts: what each side has that the other lacks."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from patclaimeval.claims.change_classes import Change, classify
from patclaimeval.claims.words import Tokens, common_words, is_content, read_tokens

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
    change: Change | None = None
    """What a difference is about; None where the other side has the words too."""


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
    cover it byte for byte, neighbours of different kinds or changes; () for "".
    What is compared are the tokens of `words.read_tokens`: words, numbers, punctuation marks, and
    characters of unspaced scripts; case matters only in short symbols (CO is not Co). White space,
    unseen characters and the number marker of a claim are never a difference; white space between
    two words that differ in one way belongs to them. The words in common are a longest common
    subsequence (see `common_words` for very long texts), then made readable: a difference that
    could stand in several places starts after punctuation, and function words that are the same by
    chance amid other words ("of" in "pump of steel", "valve of brass") count as different.
    """
    if reference == candidate:
        whole = (Piece(0, len(reference), Kind.SAME),) if reference else ()
        return whole, whole
    left, right = read_tokens(reference), read_tokens(candidate)
    gaps = find_gaps(left.keys, right.keys)
    places = [(gap.low, gap.high, gap.start, gap.stop) for gap in gaps]
    here, there = classify(left.keys, right.keys, places)
    return _pieces(reference, left, here), _pieces(candidate, right, there)


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


def _pieces(text: str, tokens: Tokens, differing: Mapping[int, Change]) -> tuple[Piece, ...]:
    """Return the pieces of a text from the class of each token that differs, in order."""
    # White space between two tokens of one class belongs to the difference.
    runs: list[tuple[int, int, Change]] = []
    before = -2
    for place, change in differing.items():
        start, end = tokens.starts[place], tokens.ends[place]
        if place == before + 1 and runs[-1][2] == change:
            start = runs.pop()[0]
        runs.append((start, end, change))
        before = place
    pieces: list[Piece] = []
    done = 0
    for start, end, change in runs:
        if start > done:
            pieces.append(Piece(done, start, Kind.SAME))
        pieces.append(Piece(start, end, Kind.ONLY_HERE, change))
        done = end
    if done < len(text):
        pieces.append(Piece(done, len(text), Kind.SAME))
    return tuple(pieces)
