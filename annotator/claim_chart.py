"""The claim chart as pages and files show it: tables of limitations, and what else it found.

Everything comes from the reading of a candidate beside its reference; nothing is read from the
database.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final

from patclaimeval.claims.chart import Chart, ChartRow
from patclaimeval.claims.ledger import Naming
from patclaimeval.claims.mark_kinds import BROKEN, NO_ANTECEDENT, PREAMBLE
from patclaimeval.claims.placing import Verdict
from patclaimeval.claims.reading import ClaimView, Reading, SideView
from patclaimeval.claims.scope_rules import Scope
from patclaimeval.claims.sides import CANDIDATE, REFERENCE

WITHOUT_NUMBER: Final = "text without a number"
_SCOPES: Final = {Scope.SAME: "", Scope.UNSURE: "changed"}
_INCOMPLETE: Final = {Verdict.PART: "in part", Verdict.SIMILAR: "similar words"}
_NAMINGS: Final = {
    Naming.RENAMED: "renamed throughout",
    Naming.DRIFTS: "drifts: both terms are in use",
}


@dataclass(frozen=True, slots=True)
class ClaimPlace:
    """A claim of a side, and the id of the element that shows it."""

    label: str
    anchor: str


@dataclass(frozen=True, slots=True)
class ChartCell:
    """One cell with a verdict, after a number of columns that have none; `before` counts them."""

    before: int
    verdict: str
    place: ClaimPlace


@dataclass(frozen=True, slots=True)
class ChartLine:
    """One limitation: its words, what became of it and why, and where it stands.

    `standing` is the class by which a page shows it; `after` counts the columns behind its last
    cell.
    """

    anchor: str
    limitation: str
    start: int
    standing: str
    label: str
    reason: str
    scope: str
    places: tuple[ClaimPlace, ...]
    cells: tuple[ChartCell, ...] = ()
    after: int = 0


@dataclass(frozen=True, slots=True)
class ClaimLines:
    """The limitations of one claim."""

    place: ClaimPlace
    lines: tuple[ChartLine, ...]


@dataclass(frozen=True, slots=True)
class TermLine:
    """A term of the reference that the candidate calls by another name."""

    reference: str
    candidate: str
    count: str
    verdict: str
    place: ClaimPlace | None


@dataclass(frozen=True, slots=True)
class FoundLine:
    """Something that was found in the text of a side: a sentence, or a phrase with one."""

    side: str
    sentence: str
    place: ClaimPlace


@dataclass(frozen=True, slots=True)
class ChartView:
    """A candidate's claim chart; `name` is what its reader knows the candidate by.

    `rows` and `own` are in the order of the texts: the limitations of the reference, and those of
    the candidate that the reference does not have in full. `texts` are the claims of both sides,
    each with the id of the first line of the chart that is about it.
    """

    name: str
    side: str
    notices: tuple[str, ...]
    notes: tuple[FoundLine, ...] = ()
    columns: tuple[ClaimPlace, ...] = ()
    rows: tuple[ClaimLines, ...] = ()
    own: tuple[ClaimLines, ...] = ()
    terms: tuple[TermLine, ...] = ()
    antecedents: tuple[FoundLine, ...] = ()
    citations: tuple[FoundLine, ...] = ()
    unchecked: tuple[str, ...] = ()
    reference: SideView | None = field(default=None, repr=False)
    candidate: SideView | None = field(default=None, repr=False)

    @property
    def reference_texts(self) -> list[tuple[ClaimView, str]]:
        """The claims of the reference, each with the line of its first limitation."""
        firsts = {group.place.anchor: group.lines[0].anchor for group in self.rows}
        claims = self.reference.claims if self.reference else ()
        return [(claim, firsts.get(f"{REFERENCE}-{claim.start}", "")) for claim in claims]

    @property
    def candidate_texts(self) -> list[tuple[ClaimView, str]]:
        """The claims of the candidate, each with the first line that is about it."""
        firsts: dict[str, str] = {}
        for group in self.rows:
            for line in group.lines:
                for place in line.places:
                    firsts.setdefault(place.anchor, line.anchor)
        for group in self.own:
            firsts.setdefault(group.place.anchor, group.lines[0].anchor)
        claims = self.candidate.claims if self.candidate else ()
        return [(claim, firsts.get(f"{self.side}-{claim.start}", "")) for claim in claims]


def view_chart(reading: Reading, name: str, side: str = CANDIDATE) -> ChartView:
    """Return the chart of a reading.

    Inputs: a reading, what the page calls the candidate, and the prefix of the ids of its claims
    there. A text that is too large to be compared has notices alone.
    """
    if reading.chart is None:
        return ChartView(name, side, reading.notices)
    return _Builder(reading, reading.chart, name, side).view()


class _Builder:
    """Turns rows of the library into lines of one page."""

    def __init__(self, reading: Reading, chart: Chart, name: str, side: str) -> None:
        self._reading, self._chart, self._side = reading, chart, side
        self._sides = {REFERENCE: reading.reference, CANDIDATE: reading.candidate}
        self._names = {REFERENCE: "Reference", CANDIDATE: name}
        self._prefixes = {REFERENCE: REFERENCE, CANDIDATE: side}
        starts = ((key, [one.start for one in view.claims]) for key, view in self._sides.items())
        self._starts = dict(starts)

    def view(self) -> ChartView:
        reading, chart = self._reading, self._chart
        of_reference = [row for row in chart.rows if row.side == REFERENCE]
        own = [row for row in chart.rows if row.side == CANDIDATE and not _is_kept(row)]
        return ChartView(
            self._names[CANDIDATE],
            self._side,
            reading.notices,
            tuple(self._found(note.side, note.sentence, note.start) for note in chart.notes),
            tuple(self._place(CANDIDATE, at) for at in range(len(reading.candidate.claims))),
            tuple(self._groups(of_reference)),
            tuple(self._groups(own)),
            tuple(self._terms()),
            tuple(self._findings(NO_ANTECEDENT)),
            tuple(self._findings(PREAMBLE, BROKEN)),
            tuple(
                f"{self._names[k]}: {v.unchecked}" for k, v in self._sides.items() if v.unchecked
            ),
            reading.reference,
            reading.candidate,
        )

    def _index(self, side: str, at: int) -> int:
        return max(bisect_right(self._starts[side], at) - 1, 0)

    def _place(self, side: str, index: int) -> ClaimPlace:
        claim = self._sides[side].claims[index]
        label = WITHOUT_NUMBER if claim.number is None else f"claim {claim.number}"
        return ClaimPlace(label, f"{self._prefixes[side]}-{claim.start}")

    def _groups(self, rows: Iterable[ChartRow]) -> Iterator[ClaimLines]:
        claims = groupby(rows, lambda row: (row.side, self._index(row.side, row.start)))
        for (side, index), group in claims:
            yield ClaimLines(self._place(side, index), tuple(map(self._line, group)))

    def _line(self, row: ChartRow) -> ChartLine:
        other = CANDIDATE if row.side == REFERENCE else REFERENCE
        indices = list(dict.fromkeys(self._index(other, start) for start, _ in row.places))
        is_whole = row.verdict not in _INCOMPLETE
        scope = _SCOPES.get(row.scope, str(row.scope)) if is_whole else ""
        word = _INCOMPLETE.get(row.verdict, str(row.verdict))
        word = f"{word}, {scope}" if scope else word
        cells, end = [], 0
        for index in sorted(indices) if other == CANDIDATE else ():
            cells.append(ChartCell(index - end, word, self._place(CANDIDATE, index)))
            end = index + 1
        return ChartLine(
            f"chart-{self._prefixes[row.side]}-of-{self._side}-{row.start}",
            row.limitation.strip(),
            row.start,
            str(row.verdict if row.verdict is not Verdict.IN else row.scope),
            _label(row),
            row.reason,
            scope,
            tuple(self._place(other, index) for index in indices),
            tuple(cells),
            len(self._starts[CANDIDATE]) - end,
        )

    def _terms(self) -> Iterator[TermLine]:
        for term in self._chart.terms:
            start = next((start for start, _ in term.spans), None)
            yield TermLine(
                term.reference,
                term.candidate,
                f"{term.replaced} of {term.of}",
                _NAMINGS[term.verdict],
                None if start is None else self._place(CANDIDATE, self._index(CANDIDATE, start)),
            )

    def _found(self, side: str, sentence: str, start: int) -> FoundLine:
        claims = self._sides[side].claims
        place = self._place(side, self._index(side, start)) if claims else ClaimPlace("", "")
        return FoundLine(self._names[side], sentence, place)

    def _findings(self, *kinds: str) -> Iterator[FoundLine]:
        for side, view in self._sides.items():
            for finding in view.findings:
                if finding.kind in kinds:
                    yield self._found(side, finding.words, finding.start)


def _is_kept(row: ChartRow) -> bool:
    """Return whether a limitation of the candidate is one of the corresponding claim."""
    return row.verdict is Verdict.IN and row.corresponds


def _label(row: ChartRow) -> str:
    label = row.label
    if _is_kept(row):
        label = f"in claim {row.where[0]}{', ' * bool(label)}{label}"
    return label.replace("claim 0", f"the {WITHOUT_NUMBER}")
