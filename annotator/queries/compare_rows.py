"""How one reference and two candidates stand side by side, made of two readings."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby, zip_longest

from annotator.claims.limitations import Standing
from annotator.claims.reading import (
    ONLY_HERE,
    ClaimView,
    LimitationView,
    Reading,
    SideView,
    plain,
)
from annotator.claims.segments import Segment

# What the reference's limitations are called on a page of two candidates.
LACKING = {
    (True, True): "missing-both",
    (True, False): "missing-left",
    (False, True): "missing-right",
    (False, False): "",
}


@dataclass(frozen=True, slots=True)
class CompareRow:
    """A reference claim with its counterparts; None where a side has none."""

    reference: ClaimView | None
    left: ClaimView | None
    right: ClaimView | None


@dataclass(frozen=True, slots=True)
class Compared:
    """Candidates beside their reference: each text, and the rows by reference claim."""

    reference: SideView
    candidates: tuple[SideView, ...]
    rows: tuple[CompareRow, ...]
    notices: tuple[str, ...]


def compare_rows(left: Reading, right: Reading) -> Compared:
    """Set two candidates beside the reference of both.

    Inputs: the readings of two candidates against one reference. In the reference a word is
    marked as only here when neither candidate has it, and a limitation is called missing where
    the left, the right or both lack it; its own marks stay. Candidate claims without a
    counterpart stand behind the row of the one before them. Where one reading is plain, all three
    texts are shown plainly. No text is changed.
    """
    if left.is_plain != right.is_plain:
        left, right = plain(left), plain(right)
    claims = tuple(
        _both(one, other)
        for one, other in zip(left.reference.claims, right.reference.claims, strict=True)
    )
    sides = (_by_reference(left), _by_reference(right))
    rows = _alone(None, sides)
    for claim in claims:
        one, other = (side.get(claim.start, (None, [])) for side in sides)
        rows.append(CompareRow(claim, one[0], other[0]))
        rows += _alone(claim.start, sides)
    reference = replace(left.reference, claims=claims)
    notices = tuple(dict.fromkeys((*left.notices, *right.notices)))
    return Compared(reference, (left.candidate, right.candidate), tuple(rows), notices)


# By the start of a reference claim: its counterpart, and those that follow without one.
_Counterparts = dict[int | None, tuple[ClaimView | None, list[ClaimView]]]


def _by_reference(reading: Reading) -> _Counterparts:
    found: _Counterparts = {None: (None, [])}
    at: int | None = None
    for reference, candidate in reading.rows:
        if reference is not None:
            at = reference.start
            found[at] = (candidate, [])
        elif candidate is not None:
            found[at][1].append(candidate)
    return found


def _alone(start: int | None, sides: Iterable[_Counterparts]) -> list[CompareRow]:
    left, right = (side[start][1] for side in sides)
    return [CompareRow(None, one, other) for one, other in zip_longest(left, right)]


@dataclass(frozen=True, slots=True)
class _Piece:
    """A segment of one reading with the limitation that it is of."""

    limitation: int
    standing: str
    segment: Segment

    @property
    def end(self) -> int:
        return self.segment.start + len(self.segment.text)


def _both(left: ClaimView, right: ClaimView) -> ClaimView:
    """Return a reference claim cut wherever either reading cuts it."""
    joint = _joint(list(_pieces(left)), list(_pieces(right)))
    limitations: list[LimitationView] = []
    for _, group in groupby(joint, key=lambda pair: (pair[0].limitation, pair[1].limitation)):
        pairs = list(group)
        segments = _merged(_common(one, other) for one, other in pairs)
        if limitations and not any(segment.text.strip() for segment in segments):
            # The white space between two limitations is no limitation of its own.
            last = limitations.pop()
            limitations.append(replace(last, segments=_merged((*last.segments, *segments))))
            continue
        one, other = (piece.standing == Standing.MISSING for piece in pairs[0])
        limitations.append(LimitationView(LACKING[one, other], segments))
    return replace(left, limitations=tuple(limitations))


def _merged(segments: Iterable[Segment]) -> tuple[Segment, ...]:
    """Return the segments with neighbours under the same marks joined."""
    groups = groupby(segments, key=lambda segment: (segment.kinds, segment.notes))
    return tuple(_one([*group]) for _, group in groups)


def _one(segments: list[Segment]) -> Segment:
    if len(segments) == 1:
        return segments[0]
    return replace(segments[0], text="".join(segment.text for segment in segments))


def _pieces(claim: ClaimView) -> Iterator[_Piece]:
    for index, limitation in enumerate(claim.limitations):
        for segment in limitation.segments:
            yield _Piece(index, limitation.standing, segment)


def _joint(left: list[_Piece], right: list[_Piece]) -> Iterator[tuple[_Piece, _Piece]]:
    """Yield the pieces of both, cut to the same pieces of text."""
    one = other = 0
    while one < len(left) and other < len(right):
        start = max(left[one].segment.start, right[other].segment.start)
        end = min(left[one].end, right[other].end)
        yield _cut(left[one], start, end), _cut(right[other], start, end)
        one += left[one].end == end
        other += right[other].end == end


def _cut(piece: _Piece, start: int, end: int) -> _Piece:
    whole = piece.segment
    text = whole.text[start - whole.start : end - whole.start]
    return replace(piece, segment=replace(whole, text=text, start=start))


def _common(left: _Piece, right: _Piece) -> Segment:
    """Return a segment whose words are only here when they are so in both readings."""
    kinds = left.segment.kinds
    if ONLY_HERE not in right.segment.kinds:
        kinds = tuple(kind for kind in kinds if kind != ONLY_HERE)
    return replace(left.segment, kinds=kinds)
