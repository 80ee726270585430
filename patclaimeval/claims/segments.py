"""Pieces of a text under the same marks."""

from collections.abc import Iterable
from dataclasses import dataclass
from heapq import heappop, heappush


@dataclass(frozen=True, slots=True)
class Span:
    """One mark: source[start:end] has `kind`, with an optional note."""

    start: int
    end: int
    kind: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of text under the same marks throughout; `start` is an offset into the source."""

    text: str
    start: int
    kinds: tuple[str, ...]
    notes: tuple[str, ...]


def cut_segments(text: str, offset: int, spans: Iterable[Span]) -> tuple[Segment, ...]:
    """Cut `text` wherever a mark begins or ends.

    Inputs: a text that begins at `offset` of its source, and marks in offsets of that source, in
    any order; what sticks out of the text is cut off, a mark without length marks nothing.
    Output: segments in order whose texts joined give `text`, byte for byte; () for "". Neighbours
    with equal kinds and notes are one segment. `kinds` and `notes` name each kind and each note
    once, in the order in which the marks that cover the segment begin; of two that begin at one
    place the one given first leads. Time: O(text + spans log spans), and the length of the output.
    """
    if not text:
        return ()
    end = offset + len(text)
    opens: dict[int, list[tuple[int, Span]]] = {}
    borders = {offset, end}
    inside = [item for item in spans if max(item.start, offset) < min(item.end, end)]
    if not inside:
        return (Segment(text, offset, (), ()),)
    for rank, span in enumerate(sorted(inside, key=lambda item: item.start)):
        start = max(span.start, offset)
        opens.setdefault(start, []).append((rank, span))
        borders.update((start, min(span.end, end)))
    kinds, notes = _Cover(), _Cover()
    pieces: list[tuple[int, tuple[str, ...], tuple[str, ...]]] = []
    for border in sorted(borders)[:-1]:
        for rank, span in opens.get(border, ()):
            kinds.add(span.kind, rank, span.end)
            notes.add(span.note, rank, span.end)
        piece = (border, kinds.labels_at(border), notes.labels_at(border))
        if not pieces or pieces[-1][1:] != piece[1:]:
            pieces.append(piece)
    ends = [piece[0] for piece in pieces[1:]] + [end]
    return tuple(
        Segment(text[start - offset : stop - offset], start, names, remarks)
        for (start, names, remarks), stop in zip(pieces, ends, strict=True)
    )


class _Cover:
    """The labels in force at a place that only moves forward."""

    __slots__ = ("_places",)

    def __init__(self) -> None:
        self._places: dict[str, list[tuple[int, int]]] = {}

    def add(self, label: str, rank: int, end: int) -> None:
        """Put a label in force up to `end`; no label, no entry."""
        if label:
            heappush(self._places.setdefault(label, []), (rank, end))

    def labels_at(self, place: int) -> tuple[str, ...]:
        """Return the labels in force, by the rank of the first mark still open."""
        for label, marks in list(self._places.items()):
            while marks and marks[0][1] <= place:
                heappop(marks)
            if not marks:
                del self._places[label]
        return tuple(sorted(self._places, key=lambda label: self._places[label][0]))
