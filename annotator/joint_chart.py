"""The limitations of a reference by candidate: which candidates have each one, and where."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from annotator.claim_chart import ChartLine, ChartView, ClaimLines, ClaimPlace


@dataclass(frozen=True, slots=True)
class JointCell:
    """What became of a limitation in a candidate; `href` is where its chart says so.

    The label is "" where the chart of the candidate says nothing about the limitation.
    """

    name: str
    label: str = ""
    reason: str = ""
    standing: str = ""
    href: str = ""


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
    by_start = [_lines_by_start(chart.rows) for chart in charts]
    known: dict[int, tuple[ClaimPlace, ChartLine]] = {}
    for found in by_start:
        for start, line in found.items():
            known.setdefault(start, line)
    ordered = sorted(known.items())
    return tuple(
        JointClaim(
            place,
            tuple(
                JointLine(
                    line.limitation,
                    tuple(
                        _cell(chart.name, found.get(start), address)
                        for chart, found, address in zip(charts, by_start, addresses, strict=True)
                    ),
                )
                for start, (_, line) in group
            ),
        )
        for place, group in groupby(ordered, lambda one: one[1][0])
    )


def _lines_by_start(groups: Sequence[ClaimLines]) -> dict[int, tuple[ClaimPlace, ChartLine]]:
    return {line.start: (group.place, line) for group in groups for line in group.lines}


def _cell(name: str, found: tuple[ClaimPlace, ChartLine] | None, address: str) -> JointCell:
    if found is None:
        return JointCell(name)
    line = found[1]
    href = f"{address}#{line.anchor}"
    return JointCell(name, line.label, line.reason, line.standing, href)
