"""Measures the claim chart on real claims: recall of planted edits, precision of drawn marks.

    benchmarks/mark_precision.py plant [FILE...] [--edits 200] [--seed 1] [--failures FILE]
    benchmarks/mark_precision.py draw FILE... --sheet FILE [--each 30] [--seed 1]
    benchmarks/mark_precision.py tally SHEET...

FILE has quadruplets in a published layout; without one the demo campaign is read. `plant` edits its
claim sets in known ways, reads the chart of each pair of texts before and after, and prints how
many edits have the right verdict. `draw` writes marks of real candidates as a sheet on which a
person judges each: true, false or unclear. `tally` prints the precision of each kind from judged
sheets. --first N and --last N keep references aside, in order of first appearance. Sheets contain
the texts of FILE: where those are confidential or not free, keep the sheets out of the repository.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from benchmarks.marks.claim_sets import ClaimSet, Span, content, fold
from benchmarks.marks.edit_kinds import CONTROLS, EDITS
from benchmarks.marks.planting import Expected, PlantedEdit, plant, plant_in_pairs
from benchmarks.shared.quadruplets import demo_rows
from patclaimeval.claims.chart import Chart, ChartRow, read_chart
from patclaimeval.claims.ledger import TermChange
from patclaimeval.models.data import Quadruplet
from patclaimeval.statistics.shares import wilson_interval
from patclaimeval.text_io.streams import ReadNotes
from scoring.formats.dataset_files import format_of, read_file
from scoring.quadruplets import DatasetRow

Pairs = dict[str, dict[str, None]]
"""The candidates of each reference, both in order of first appearance."""
_NEAREST = 4
_OTHER = {"reference": "candidate", "candidate": "reference"}
_SHORTEST = 200


def read_pairs(paths: Sequence[Path], first: int, last: int) -> Pairs:
    """Return the references of files with their candidates; `first` and `last` choose some."""
    pairs: Pairs = {}
    files: list[Iterable[DatasetRow | Quadruplet]]
    files = [read_file(path, format_of(path, "auto"), ReadNotes()) for path in paths]
    for quadruplet in chain.from_iterable(files or demo_rows().values()):
        known = pairs.setdefault(quadruplet.reference, {})
        known.update(dict.fromkeys([quadruplet.b, quadruplet.c]))
    names = list(pairs)
    names = names[:first] if first else names[-last:] if last else names
    return {name: pairs[name] for name in names}


# Planted edits.


def claim_sets_of(texts: Iterable[str]) -> dict[str, ClaimSet]:
    """Return the claim sets, by their texts, whose claims are numbered as they should be."""
    sets = {text: ClaimSet(text) for text in texts if len(text) >= _SHORTEST}
    return {text: claims for text, claims in sets.items() if claims.is_regular}


def rows_at(chart: Chart, side: str, *spans: Span) -> list[ChartRow]:
    """Return the rows of a side that stand in one of some spans, or around an empty one."""
    return [
        row
        for row in chart.rows
        if row.side == side
        and any(row.start < max(end, start + 1) and start < row.end for start, end in spans)
    ]


def describe_row(row: ChartRow) -> str:
    """Write what a row says in one line."""
    where = f" {', '.join(map(str, row.where))}" if row.where else ""
    return f"{row.verdict}{where}, {row.scope}: {row.reason} [{in_line(row.limitation)}]"


def is_marked(row: ChartRow) -> bool:
    """Whether a row says that something differs."""
    return row.verdict != "in" or row.scope != "same"


def length(row: ChartRow) -> int:
    """Return how many characters a row's limitation has."""
    return row.end - row.start


def is_row_right(expected: Expected, rows: Sequence[ChartRow]) -> bool:
    """Return whether rows say what is expected: a verdict of most words, or a scope of any row.

    A scope may also be said of a limitation that is found in part, if in the right claim; where
    the scopes include "", "in part" is enough.
    """
    if not rows:
        return False
    if not expected.scopes:
        right = [
            row
            for row in rows
            if row.verdict in expected.verdicts
            and (not expected.claim or expected.claim in row.where)
        ]
        return 2 * sum(map(length, right)) > sum(map(length, rows))
    if not all(row.verdict in (*expected.verdicts, "part") for row in rows):
        return False
    if not any(expected.claim in row.where for row in rows):
        return False
    said = {row.scope for row in rows if row.scope not in ("same", "unsure")}
    is_lack = "" in expected.scopes and all(row.verdict == "part" for row in rows)
    return said <= {*expected.scopes} and bool(said or is_lack)


def check_edit(edit: PlantedEdit, chart: Chart) -> tuple[bool, str]:
    """Return whether a chart says what is expected of an edit, and what it says there."""
    expected = edit.expected
    start, end = expected.span
    if expected.finding == "row":
        rows = rows_at(chart, edit.side, expected.span)
        return is_row_right(expected, rows), " | ".join(map(describe_row, rows)) or "no row"
    if expected.finding == "term":
        told = [f"{t.reference} -> {t.candidate}, {t.replaced} of {t.of}" for t in chart.terms]
        return is_term_right(expected, chart.terms), "; ".join(told) or "no term"
    if expected.finding == "gap":
        gaps = chart.antecedents[edit.side]
        told = [f"claim {gap.claim}: {gap.phrase} on {gap.path}" for gap in gaps]
        return any(g.start < end and start < g.end for g in gaps), "; ".join(told) or "no gap"
    if expected.finding == "citation":
        faults = chart.citations[edit.side]
        is_right = any(fault.number == expected.claim for fault in faults)
        return is_right, "; ".join(fault.sentence for fault in faults) or "no citation fault"
    said = marks_elsewhere(edit, chart)
    return not said, "; ".join(said)


def is_term_right(expected: Expected, terms: Iterable[TermChange]) -> bool:
    """Return whether a ledger has a renamed noun, each time with the verdict expected."""
    old, new = (words.rsplit(" ", 1)[-1].lower() for words in expected.terms)
    found = [t for t in terms if old in t.reference.lower() and new in t.candidate.lower()]
    return bool(found) and all(t.verdict in expected.verdicts for t in found)


def marks_elsewhere(edit: PlantedEdit, chart: Chart) -> list[str]:
    """Return what a chart says of what was not edited; nothing where two real texts differ."""
    if edit.touched == ((0, len(edit.reference)),):
        return []
    touched = rows_at(chart, "reference", *edit.touched)
    rows = [
        describe_row(row)
        for row in chart.rows
        if row.side == "reference" and is_marked(row) and row not in touched
    ]
    terms = (
        []
        if edit.expected.finding == "term"
        else [f"term {t.reference} -> {t.candidate}" for t in chart.terms]
    )
    known = {fold(gap.phrase) for gap in chart.antecedents["reference"]}
    gaps = [
        f"no antecedent in claim {gap.claim}: {gap.phrase}"
        for gap in chart.antecedents["candidate"]
        if fold(gap.phrase) not in known and edit.expected.finding == "nothing"
    ]
    return rows + terms + gaps


def report_edits(edits: Sequence[PlantedEdit], title: str) -> list[str]:
    """Print how many edits of each kind a chart finds; return those that it does not, in words."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    failures: list[str] = []
    for edit in edits:
        chart = read_chart(edit.reference, edit.candidate)
        is_right, said = check_edit(edit, chart)
        elsewhere = marks_elsewhere(edit, chart) if edit.expected.finding != "nothing" else []
        count = counts[edit.kind]
        count["planted"] += 1
        count["right"] += is_right
        count["unsure"] += not is_right and ", unsure:" in said
        count["elsewhere"] += bool(elsewhere)
        if not is_right or elsewhere:
            failures.append(describe_failure(edit, said, elsewhere, is_right=is_right))
    if not edits:
        return []
    print(f"\n{title}")
    print("| edit | planted | right | changed, no verdict | share | also marked elsewhere |")
    print("| --- | --- | --- | --- | --- | --- |")
    for kind, count in [*counts.items(), ("all", sum(counts.values(), Counter[str]()))]:
        share = f"{100 * count['right'] / count['planted']:.1f} %"
        row = kind, count["planted"], count["right"], count["unsure"], share, count["elsewhere"]
        print(f"| {' | '.join(map(str, row))} |")
    return failures


def describe_failure(edit: PlantedEdit, said: str, elsewhere: list[str], *, is_right: bool) -> str:
    """Write one edit with what the chart says and should say."""
    expected = edit.expected
    text = edit.reference if edit.side == "reference" else edit.candidate
    start, end = expected.span
    ask = f"{expected.finding}: {' or '.join(expected.verdicts)} {'/'.join(expected.scopes)}"
    lines = [
        f"### {'MISSED' if not is_right else 'marked elsewhere'}: {edit.kind}",
        f"- expected {ask} claim {expected.claim} {' -> '.join(expected.terms)}",
        f"- at [{text[start:end]}] of the {edit.side}",
        f"- reference: {edit.before}",
        f"- candidate: {edit.after}",
        f"- chart: {said}",
    ]
    lines += [f"- elsewhere: {words}" for words in elsewhere[:6]]
    return "\n".join(lines)


# Drawn marks.


@dataclass(frozen=True, slots=True)
class Mark:
    """One thing that the chart of a real pair shows, in the words needed to judge it."""

    kind: str
    said: str
    own: str
    other: str


def marks_of(reference: str, candidate: str) -> Iterator[Mark]:
    """Yield the marks of a pair: of both sides' limitations, of terms and of antecedents."""
    chart = read_chart(reference, candidate)
    sides = {"reference": ClaimSet(reference), "candidate": ClaimSet(candidate)}
    for one in chart.rows:
        own, other = (sides[name] for name in (one.side, _OTHER[one.side]))
        words = f"[{in_line(own.text[one.start : one.end])}] {claim_text(own, one.claim)}"
        found = [f"[{in_line(other.text[start:end])}]" for start, end in one.places]
        found += [claim_text(other, number) for number in one.where]
        found = found or nearest(own.text[one.start : one.end], other)
        kinds = [str(one.verdict)] if one.verdict != "in" else []
        kinds += [str(one.scope)] if one.scope in ("broader", "narrower", "different") else []
        if one.side == "candidate":
            kinds = ["added"] if one.verdict == "nowhere" else []
        for kind in kinds:
            yield Mark(kind, describe_row(one), words, "\n> ".join(found))
    for term in chart.terms:
        words = f"{term.reference} -> {term.candidate}, {term.replaced} of {term.of}"
        yield Mark(term.verdict, words, in_line(reference), in_line(candidate))
    for side, gaps in chart.antecedents.items():
        for gap in gaps:
            said = f"claim {gap.claim} of the {side}, on {gap.path}: [{gap.phrase}]"
            yield Mark("antecedent", said, in_line(sides[side].text[: gap.end]), "")


def in_line(text: str) -> str:
    """Return a text in one line."""
    return " ".join(text.split())


def claim_text(claims: ClaimSet, number: int | None) -> str:
    """Return the text of a claim in one line, "" where no claim has the number."""
    claim = claims.by_number.get(number or 0)
    return in_line(claim.text) if claim else ""


def nearest(words: str, claims: ClaimSet) -> list[str]:
    """Return the claims of a set that share most words with a limitation, the best one first."""
    own = content(words)
    shared = [(len(own & content(claim.text)), claim.text) for claim in claims.claims]
    shared.sort(key=lambda item: -item[0])
    return [
        f"({count} of {len(own)}) {' '.join(text.split())}" for count, text in shared[:_NEAREST]
    ]


def draw(pairs: Pairs, each: int, seed: int) -> tuple[Counter[str], list[Mark]]:
    """Return how many marks of each kind there are in all, and some of each, drawn by the seed."""
    found: dict[str, dict[Mark, None]] = defaultdict(dict)
    for reference, candidates in pairs.items():
        for candidate in candidates:
            if candidate != reference:
                for mark in marks_of(reference, candidate):
                    found[mark.kind].setdefault(mark)
    drawn: list[Mark] = []
    for kind in sorted(found):
        marks = list(found[kind])
        drawn += random.Random(f"{seed} {kind}").sample(marks, min(each, len(marks)))
    return Counter({kind: len(marks) for kind, marks in found.items()}), drawn


def write_sheet(counts: Counter[str], drawn: Sequence[Mark]) -> str:
    """Write a sheet in Markdown on which a person fills in what is judged."""
    lines = ["# Marks to judge", "Write true, false or unclear behind each `judged:`.", ""]
    lines += [f"in all: {kind} {count}" for kind, count in sorted(counts.items())]
    for number, mark in enumerate(drawn, start=1):
        lines += ["", f"## {number} {mark.kind}", f"says: {mark.said}", f"> {mark.own}"]
        lines += [f"> {mark.other}" if mark.other else ">", "judged:", "remark:"]
    return "\n".join(lines) + "\n"


_ANSWER = re.compile(r"^judged:[ \t]*(true|false|unclear)\b", re.MULTILINE)
_IN_ALL = re.compile(r"^in all: (.+) (\d+)$", re.MULTILINE)


@dataclass(slots=True)
class Tally:
    """What was judged of one kind of marks."""

    in_all: int = 0
    right: int = 0
    wrong: int = 0
    unclear: int = 0


def tally(sheets: Iterable[str]) -> dict[str, Tally]:
    """Count the judgements of sheets by kind; marks that were not judged count nowhere."""
    found: dict[str, Tally] = defaultdict(Tally)
    for sheet in sheets:
        for kind, count in _IN_ALL.findall(sheet):
            found[kind].in_all += int(count)
        for part in re.split(r"^## \d+ ", sheet, flags=re.MULTILINE)[1:]:
            answer = _ANSWER.search(part)
            one = found[part.partition("\n")[0]]
            if answer:
                one.right += answer[1] == "true"
                one.wrong += answer[1] == "false"
                one.unclear += answer[1] == "unclear"
    return dict(found)


def share_with_interval(right: int, judged: int) -> str:
    """Write a share in percent with Wilson's 95 % interval."""
    if not judged:
        return "-"
    value = wilson_interval(right, judged)
    return f"{100 * value.value:.0f} % [{100 * value.low:.0f}, {100 * value.high:.0f}]"


def print_tally(found: dict[str, Tally]) -> None:
    """Print the precision of each kind; an unclear mark counts as wrong."""
    print("| kind | marks in all | judged | right | unclear | precision (95 %) |")
    print("| --- | --- | --- | --- | --- | --- |")
    for kind, one in found.items():
        judged = one.right + one.wrong + one.unclear
        share = share_with_interval(one.right, judged)
        print(f"| {kind} | {one.in_all} | {judged} | {one.right} | {one.unclear} | {share} |")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one of the three commands."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("plant", "draw"):
        command = commands.add_parser(name)
        command.add_argument("files", nargs="*", type=Path)
        command.add_argument("--first", type=int, default=0, help="only the first N references")
        command.add_argument("--last", type=int, default=0, help="only the last N references")
        command.add_argument("--seed", type=int, default=1)
    commands.choices["plant"].add_argument("--edits", type=int, default=200)
    commands.choices["plant"].add_argument("--failures", type=Path)
    commands.choices["draw"].add_argument("--each", type=int, default=30)
    commands.choices["draw"].add_argument("--sheet", type=Path, required=True)
    commands.add_parser("tally").add_argument("files", nargs="+", type=Path)
    chosen = parser.parse_args(arguments or sys.argv[1:] or ["plant"])
    if chosen.command == "tally":
        print_tally(tally(path.read_text() for path in chosen.files))
        return
    pairs = read_pairs(chosen.files, chosen.first, chosen.last)
    if chosen.command == "draw":
        chosen.sheet.write_text(write_sheet(*draw(pairs, chosen.each, chosen.seed)))
        return
    sets = claim_sets_of(text for name, others in pairs.items() for text in (name, *others))
    known = list(sets.values())
    real = [
        (sets[name], sets[other])
        for name, others in pairs.items()
        for other in others
        if name != other and name in sets and other in sets
    ]
    count, seed = chosen.edits, chosen.seed
    failures = report_edits(plant(known, EDITS, count, seed), "Planted edits")
    in_pairs = plant_in_pairs(real, EDITS, count // 3, seed)
    failures += report_edits(in_pairs, "Planted edits of real candidates")
    failures += report_edits(plant(known, CONTROLS, count // 2, seed), "Negative controls")
    if chosen.failures:
        chosen.failures.write_text("\n\n".join(failures) + "\n")


if __name__ == "__main__":
    main()
