"""The limitations of a reference by candidate: which candidates have each one, and where."""

from collections import ChainMap
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from annotator.claim_chart import ChartLine, ChartView, ClaimPlace


@dataclass(frozen=True, slots=True)
class JointCell:
    """The line of a candidate's chart on a limitation, if it has one, and the chart's address."""

    name: str
    line: ChartLine | None
    address: str


@dataclass(frozen=True, slots=True)
class JointLine:
    """One limitation of the reference, with a cell for each candidate."""

    limitation: str
    cells: tuple[JointCell, ...]


@dataclass(frozen=True, slots=True)
class JointClaim:
    """The limitations of one claim of the reference."""

    place: ClaimPlace
    lines: tuple[JointLine, ...]


def join_charts(charts: Sequence[ChartView], addresses: Sequence[str]) -> tuple[JointClaim, ...]:
    """Return the limitations of a reference beside all its candidates.

    Inputs: the charts of the candidates, and the address of the page of each. A limitation that
    only some of the charts judge, as the back-reference of a dependent claim, has a row all the
    same.
    """
    by_start = [
        {line.start: (group.place, line) for group in chart.rows for line in group.lines}
        for chart in charts
    ]
    known = ChainMap(*by_start)

    def joined(start: int) -> JointLine:
        found = [lines[start][1] if start in lines else None for lines in by_start]
        names = [chart.name for chart in charts]
        return JointLine(known[start][1].limitation, tuple(map(JointCell, names, found, addresses)))

    claims = groupby(sorted(known), lambda start: known[start][0])
    return tuple(JointClaim(place, tuple(map(joined, starts))) for place, starts in claims)
