"""Several candidates beside the reference of them all: rows, what each lacks, states of claims."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, zip_longest
from typing import Final

from patclaimeval.claims.change_classes import CLASSES
from patclaimeval.claims.minimap import Cell, State, state_of
from patclaimeval.claims.placing import Verdict
from patclaimeval.claims.reading import (
    ONLY,
    ClaimView,
    LimitationView,
    Reading,
    SideView,
    kind_of,
    plain,
)
from patclaimeval.claims.segments import Segment
from patclaimeval.claims.sides import REFERENCE

LACKING: Final = "lacking"
"""The standing of a limitation of the reference that some candidate, or each, does not have."""

# Makes the note on a limitation from the places of the candidates that lack it.
Note = Callable[[Sequence[int]], str]


def note_by_names(names: Sequence[str]) -> Note:
    """Return what makes notes that name the candidates in which a limitation is missing."""

    def note(lacking: Sequence[int]) -> str:
        if len(lacking) == len(names):
            return "in neither" if len(names) == 2 else "in none"
        return f"not in {', '.join(names[place] for place in lacking)}"

    return note


@dataclass(frozen=True, slots=True)
class JointRow:
    """A claim of the reference with its counterparts, or claims that have none in the reference.

    `candidates` has None where a candidate has no such claim; `states` what became of the claim in
    each candidate, None where a row without a claim of the reference is not about that candidate.
    `shares` says where a candidate without such a claim has it all the same: "merged into claim 1
    of the candidate", "" where it does not.
    """

    reference: ClaimView | None
    candidates: tuple[ClaimView | None, ...]
    states: tuple[State | None, ...]
    shares: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Candidates beside their reference: each text, and the rows by reference claim.

    `notices` and `changes` are those of `Reading`, of all candidates together.
    """

    reference: SideView
    candidates: tuple[SideView, ...]
    rows: tuple[JointRow, ...]
    notices: tuple[str, ...]
    changes: tuple[tuple[str, str, int], ...]
    is_plain: bool

    @property
    def less_certain(self) -> int:
        """How many marks are shown on request only."""
        sides = (self.reference, *self.candidates)
        return sum(len(side.findings) - len(side.certain_findings) for side in sides)


def set_side_by_side(readings: Sequence[Reading], note: Note) -> SideBySide:
    """Set candidates beside the reference of them all.

    Inputs: the readings of one or more candidates against one reference, and what makes the note
    on a limitation that some of them lack. In the reference a word is marked as only here when no
    candidate has it; its own marks stay. Candidate claims without a counterpart stand behind the
    row of the one before them. Where one reading is plain, all texts are shown plainly. A single
    reading keeps the standings of its limitations. No text is changed.
    """
    if len({reading.is_plain for reading in readings}) > 1:
        readings = [plain(reading) for reading in readings]
    first, sides = readings[0], [_by_reference(reading) for reading in readings]
    claims = first.reference.claims
    if len(readings) > 1:
        views = zip(*(reading.reference.claims for reading in readings), strict=True)
        claims = tuple(_joined(of_one, note) for of_one in views)
    rows = _alone(None, sides)
    for claim in claims:
        found = [side.get(claim.start, _NOWHERE) for side in sides]
        rows.append(
            JointRow(
                claim,
                tuple(one.claim for one in found),
                tuple(one.state for one in found),
                tuple(one.share for one in found),
            )
        )
        rows += _alone(claim.start, sides)
    return SideBySide(
        replace(first.reference, claims=claims),
        tuple(reading.candidate for reading in readings),
        tuple(rows),
        tuple(dict.fromkeys(notice for reading in readings for notice in reading.notices)),
        _all_changes(readings),
        first.is_plain,
    )


def _all_changes(readings: Iterable[Reading]) -> tuple[tuple[str, str, int], ...]:
    counts: Counter[tuple[str, str]] = Counter()
    for reading in readings:
        for name, label, count in reading.changes:
            counts[name, label] += count
    return tuple((name, label, count) for (name, label), count in counts.items())


def unlike_states(seen: SideBySide, place: int) -> list[tuple[State, int]]:
    """Return how many claims of a candidate differ, by state, in the order of `State`."""
    counts = Counter(row.states[place] for row in seen.rows)
    return [(state, counts[state]) for state in State if counts[state] and state != State.MATCHED]


def count_changes(claims: Iterable[ClaimView]) -> tuple[tuple[str, str, int], ...]:
    """Return name and label of each class of differences, with how many these claims show.

    What other marks cut into pieces is one difference.
    """
    counts: Counter[str] = Counter()
    for claim in claims:
        segments = [piece for entry in claim.limitations for piece in entry.segments]
        changes = [next(filter(_is_change, piece.kinds), "") for piece in segments]
        counts.update(change for change, _ in groupby(changes))
    return tuple((one.change.value, one.label, counts[kind_of(one.change)]) for one in CLASSES)


def _is_change(kind: str) -> bool:
    return kind.startswith(ONLY)


# Of several states of one claim a cell shows the one that a reader must not overlook.
_GRAVEST: Final = (
    *(State.MISSING, State.ADDED, State.CHANGED, State.SPLIT, State.MERGED, State.MOVED),
    State.MATCHED,
)


def joint_cells(seen: SideBySide, sides: Sequence[str], names: Sequence[str]) -> tuple[Cell, ...]:
    """Return a cell for each row, in its order; none where the texts are shown plainly.

    Inputs: by candidate, what the names of its elements on the page begin with, and what it is
    called. Where the states of the candidates differ, a cell has the gravest, and its label names
    the candidates of each.
    """
    if seen.is_plain:
        return ()
    return tuple(_cell(row, sides, names) for row in seen.rows)


def _cell(row: JointRow, sides: Sequence[str], names: Sequence[str]) -> Cell:
    by_state: dict[State, list[str]] = {}
    for name, state in zip(names, row.states, strict=True):
        if state is not None:
            by_state.setdefault(state, []).append(name)
    states = [state for state in _GRAVEST if state in by_state]
    is_of_all = len(states) == 1 and None not in row.states
    label = (
        str(states[0])
        if is_of_all
        else "; ".join(f"{state}: {', '.join(by_state[state])}" for state in states)
    )
    claims = (*zip(sides, row.candidates, strict=True), (REFERENCE, row.reference))
    first = row.reference or next(claim for _, claim in claims if claim)
    places = tuple(f"{side}-{claim.start}" for side, claim in claims if claim)
    return Cell(first.number, states[0], label, places)


@dataclass(frozen=True, slots=True)
class _Found:
    """What a candidate has for one claim of the reference, and its own claims that follow."""

    claim: ClaimView | None
    state: State | None
    share: str
    followers: list[ClaimView]


_NOWHERE: Final = _Found(None, State.MISSING, "", [])
# By the start of a reference claim.
_Counterparts = dict[int | None, _Found]


def _by_reference(reading: Reading) -> _Counterparts:
    found: _Counterparts = {None: _Found(None, None, "", [])}
    at: int | None = None
    for reference, candidate in reading.rows:
        if reference is not None:
            at = reference.start
            share = "" if candidate else reference.share
            found[at] = _Found(candidate, state_of(reference, candidate), share, [])
        elif candidate is not None:
            found[at].followers.append(candidate)
    return found


def _alone(start: int | None, sides: Iterable[_Counterparts]) -> list[JointRow]:
    followers = [side[start].followers if start in side else [] for side in sides]
    return [
        JointRow(
            None,
            claims,
            tuple(State.ADDED if claim else None for claim in claims),
            ("",) * len(claims),
        )
        for claims in zip_longest(*followers)
    ]


@dataclass(frozen=True, slots=True)
class _Piece:
    """A segment of one reading with the limitation that it is of."""

    limitation: int
    standing: str
    segment: Segment

    @property
    def end(self) -> int:
        return self.segment.start + len(self.segment.text)

    @property
    def is_only_here(self) -> bool:
        return any(map(_is_change, self.segment.kinds))


def _joined(views: Sequence[ClaimView], note: Note) -> ClaimView:
    """Return a reference claim cut wherever one of its readings cuts it."""
    joint = _in_step([list(_pieces(view)) for view in views])
    limitations: list[LimitationView] = []
    for _, group in groupby(joint, key=lambda pieces: [piece.limitation for piece in pieces]):
        together = list(group)
        segments = _merged(map(_common, together))
        if limitations and not any(segment.text.strip() for segment in segments):
            # The white space between two limitations is no limitation of its own.
            last = limitations.pop()
            limitations.append(replace(last, segments=_merged((*last.segments, *segments))))
            continue
        lacking = [
            place for place, piece in enumerate(together[0]) if piece.standing == Verdict.NOWHERE
        ]
        standing, words = (LACKING, note(lacking)) if lacking else ("", "")
        limitations.append(LimitationView(standing, segments, words))
    # What one candidate made of the claim says nothing of the others.
    return replace(views[0], limitations=tuple(limitations), elsewhere=())


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


def _in_step(readings: Sequence[list[_Piece]]) -> Iterator[tuple[_Piece, ...]]:
    """Yield the pieces of all readings, cut to the same pieces of text."""
    at = [0] * len(readings)
    while all(place < len(pieces) for place, pieces in zip(at, readings, strict=True)):
        here = [pieces[place] for place, pieces in zip(at, readings, strict=True)]
        start = max(piece.segment.start for piece in here)
        end = min(piece.end for piece in here)
        yield tuple(_cut(piece, start, end) for piece in here)
        at = [place + (piece.end == end) for place, piece in zip(at, here, strict=True)]


def _cut(piece: _Piece, start: int, end: int) -> _Piece:
    whole = piece.segment
    if whole.start == start and piece.end == end:
        return piece
    text = whole.text[start - whole.start : end - whole.start]
    return replace(piece, segment=replace(whole, text=text, start=start))


def _common(pieces: Sequence[_Piece]) -> Segment:
    """Return a segment whose words are only here when no candidate has them.

    A candidate that lacks the whole limitation has none of its words, though none is marked.
    """
    first = pieces[0].segment
    marked = next((piece for piece in pieces if piece.is_only_here), None)
    if marked and all(p.is_only_here or p.standing == Verdict.NOWHERE for p in pieces):
        return replace(first, kinds=marked.segment.kinds)
    return replace(first, kinds=tuple(kind for kind in first.kinds if not _is_change(kind)))
