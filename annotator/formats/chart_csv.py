"""Claim charts as records, and as CSV for spreadsheets, cells defused."""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from annotator.claim_chart import ChartView, ClaimLines, FoundLine
from patclaimeval.text_io.spreadsheets import write_table

MEDIA_TYPE: Final = "text/csv; charset=utf-8"


class ChartRecord(NamedTuple):
    """One line of a chart as a file has it: the part of the chart, and what it says."""

    candidate: str
    part: str
    claim: str
    text: str
    verdict: str
    scope: str
    claims: str
    reason: str


def chart_records(chart: ChartView) -> Iterator[ChartRecord]:
    """Yield all that a chart says, part by part, in the order of its page."""
    name = chart.name
    yield from _found(name, "Notes", chart.notes)
    yield from _limitations(name, "Limitations of the reference", chart.rows)
    yield from _limitations(name, "Not in full in the reference", chart.own)
    for term in chart.terms:
        where = term.place.label if term.place else ""
        replaced = f"in {term.count} places called “{term.candidate}”"
        yield ChartRecord(name, "Terms", where, term.reference, term.verdict, "", "", replaced)
    yield from _found(name, "Antecedent basis", chart.antecedents)
    yield from _found(name, "Claim references", chart.citations)


def _limitations(name: str, part: str, groups: Iterable[ClaimLines]) -> Iterator[ChartRecord]:
    for group in groups:
        for line in group.lines:
            places = ", ".join(place.label for place in line.places)
            facts = (line.limitation, line.label, line.scope, places, line.reason)
            yield ChartRecord(name, part, group.place.label, *facts)


def _found(name: str, part: str, lines: Iterable[FoundLine]) -> Iterator[ChartRecord]:
    for line in lines:
        yield ChartRecord(name, part, line.place.label, line.sentence, line.side, "", "", "")


def write(charts: Iterable[ChartView]) -> Iterator[bytes]:
    """Yield the header, then one record a line of each chart."""
    lines = (line for chart in charts for line in chart_records(chart))
    return write_table(ChartRecord._fields, lines)
