"""Measures the claim chart on real claims: recall of planted edits, precision of drawn marks.

    benchmarks/mark_precision.py plant [FILE...] [--each 8] [--failures FILE]
    benchmarks/mark_precision.py draw FILE... --sheet FILE [--each 8]
    benchmarks/mark_precision.py tally SHEET...

FILE has quadruplets in a published layout; without one the demo campaign is read. `plant` edits its
claim sets in known ways, reads the chart of each pair of texts before and after, and prints how
many edits have the right verdict. `draw` writes marks of real candidates as a sheet on which a
person judges each: true, false or unclear. `tally` prints the precision of each kind from judged
sheets. --first N and --last N select references, in order of first appearance. Sheets contain the
texts of FILE: where those are confidential or not free, keep the sheets out of the repository.
"""

from __future__ import annotations

import argparse
import os
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.shared.edits import KINDS, Edit, plant
from benchmarks.shared.quadruplets import demo_rows, read_rows
from patclaimeval.claims.chart import Chart, ChartRow, read_chart
from patclaimeval.claims.parsing import parse_claims
from patclaimeval.claims.tree import build_tree
from patclaimeval.statistics.shares import wilson_interval

Pairs = dict[str, dict[str, None]]


def read_pairs(paths: Sequence[Path], first: int, last: int) -> Pairs:
    """Return references, all or the first or last ones, with their candidates, in order."""
    pairs: Pairs = defaultdict(dict)
    for rows in [read_rows(path) for path in paths] or [demo_rows()]:
        for item in (item for items in rows.values() for item in items):
            pairs[item.reference].update(dict.fromkeys([item.b, item.c]))
    names = list(pairs)
    names = names[:first] if first else names[-last:] if last else names
    return {name: pairs[name] for name in names}


def is_regular(text: str) -> bool:
    """Return whether claims are numbered 1, 2, 3 ... and each one cites earlier ones only."""
    claims = parse_claims(text)
    return claims[-1].number == len(claims) and not build_tree(claims).faults


def is_row_right(expected: Sequence[str], claim: int, rows: Sequence[ChartRow]) -> bool:
    """Return whether rows have an expected verdict for most characters, or an expected scope.

    A scope counts only in the right claim, and if no row has another scope or verdict.
    """
    if expected[0] in ("demoted", "promoted", "nowhere", "added"):
        verdict = "nowhere" if expected[0] == "added" else expected[0]
        right = [r for r in rows if r.verdict == verdict and claim in (r.where or [claim])]
        return 2 * sum(r.end - r.start for r in right) > sum(r.end - r.start for r in rows)
    scopes = {str(row.scope) for row in rows} - {"same", "unsure"}
    is_part = "part" in expected and {row.verdict for row in rows} == {"part"}
    is_there = all(row.verdict in ("in", "part", *expected) for row in rows)
    is_there = is_there and any(claim in row.where for row in rows)
    return is_there and scopes <= set(expected) and bool(scopes or is_part)


def check_edit(edit: Edit, expected: Sequence[str], chart: Chart) -> str:
    """Return whether a chart is right about an edit: "right", "unsure" or "wrong"."""
    start, end = edit.places[expected[0] in ("added", "gap")]
    side = "candidate" if expected[0] == "added" else "reference"
    rows = [row for row in chart.rows if row.side == side]
    rows = [row for row in rows if row.start < max(end, start + 1) and start < row.end]
    if expected[0] == "nothing":
        is_right = not is_marked_elsewhere(edit, expected, chart)
    elif expected[0] in ("renamed", "drifts"):
        old, new = edit.terms
        terms = [t for t in chart.terms if old in t.reference and new in t.candidate]
        is_right = {term.verdict for term in terms} == {expected[0]}
    elif expected[0] == "gap":
        is_right = any(g.start < end and start < g.end for g in chart.antecedents["candidate"])
    elif expected[0] == "citation":
        is_right = edit.claims[1] in [fault.number for fault in chart.citations["candidate"]]
    else:
        is_right = is_row_right(expected, edit.claims[1], rows)
        if not is_right and any(row.scope == "unsure" for row in rows):
            return "unsure"
    return "right" if is_right else "wrong"


def is_marked_elsewhere(edit: Edit, expected: Sequence[str], chart: Chart) -> bool:
    """Return whether a chart says something of limitations and terms that were not edited."""
    rows = [row for row in chart.rows if row.side == "reference"]
    rows = [row for row in rows if row.verdict != "in" or row.scope != "same"]
    if expected[0] == "nothing":
        known = {gap.term for gap in chart.antecedents["reference"]}
        gaps = {gap.term for gap in chart.antecedents["candidate"]}
        return bool(rows or chart.terms or gaps - known)
    start, end = edit.places[0]
    rows = [row for row in rows if row.start >= end or row.end <= start]
    is_term_marked = bool(chart.terms) and expected[0] not in ("renamed", "drifts")
    return is_term_marked or any(row.limitation in edit.texts[1] for row in rows)


def measure_recall(sets: Sequence[str], each: int, seed: int) -> list[str]:
    """Print how many edits of each kind a chart finds; return the places of the other edits."""
    failures: list[str] = []
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    totals: dict[str, Counter[str]] = defaultdict(Counter)
    for kind, (_, expected) in KINDS.items():
        for edit in plant(sets, kind, each, seed):
            chart = read_chart(*edit.texts)
            found = Counter(["planted", check_edit(edit, expected, chart)])
            if expected[0] != "nothing" and is_marked_elsewhere(edit, expected, chart):
                found["elsewhere"] = 1
            counts[kind] += found
            totals["all controls" if expected[0] == "nothing" else "all edits"] += found
            if not found["right"] or found["elsewhere"]:
                failures.append(f"## {kind}: expected {expected[0]}, found {dict(found)}")
                for text, (start, end) in zip(edit.texts, edit.places, strict=True):
                    failures.append(in_line(text[max(0, start - 100) : end + 100]))
    print_row("edit", "planted", "right", "changed, no verdict", "share", "also marked elsewhere")
    print_row(*["---"] * 6)
    for kind, one in {**counts, **totals}.items():
        share = f"{100 * one['right'] / one['planted']:.1f} %"
        print_row(kind, one["planted"], one["right"], one["unsure"], share, one["elsewhere"])
    return failures


def print_row(*cells: object) -> None:
    """Print a row of a table in Markdown."""
    print(f"| {' | '.join(map(str, cells))} |")


class Mark(NamedTuple):
    """One thing that the chart of a real pair shows, in the words needed to judge it."""

    kind: str
    said: str
    own: str
    other: str


def in_line(text: str) -> str:
    """Return a text in one line."""
    return " ".join(text.split())


def marks_of(reference: str, candidate: str) -> Iterator[Mark]:
    """Yield the marks of a pair: of both sides' limitations, of terms and of antecedents."""
    chart = read_chart(reference, candidate)
    texts = {"reference": reference, "candidate": candidate}
    for row in chart.rows:
        kinds = [str(row.verdict)] if row.verdict != "in" else []
        kinds += [str(row.scope)] if row.scope in ("broader", "narrower", "different") else []
        if row.side == "candidate":
            kinds = ["added"] if row.verdict == "nowhere" else []
        other = candidate if row.side == "reference" else reference
        own = [claim for claim in parse_claims(texts[row.side]) if claim.number == row.claim]
        words = in_line(" ".join([f"[{row.limitation}]", *(claim.text for claim in own)]))
        found = [f"[{other[start:end]}]" for start, end in row.places]
        found += [claim.text for claim in parse_claims(other) if claim.number in row.where]
        where = ", ".join(map(str, row.where))
        said = f"{row.verdict} {where}, {row.scope}: {row.reason} [{in_line(row.limitation)}]"
        for kind in kinds:
            yield Mark(kind, said, words, in_line(" ".join(found or [other])))
    for term in chart.terms:
        said = f"{term.reference} -> {term.candidate}, {term.replaced} of {term.of}"
        yield Mark(term.verdict, said, in_line(reference), in_line(candidate))
    for side, gaps in chart.antecedents.items():
        for gap in gaps:
            said = f"claim {gap.claim} of the {side}, on {gap.path}: [{gap.phrase}]"
            yield Mark("antecedent", said, in_line(texts[side][: gap.end]), "")


def draw(pairs: Pairs, each: int, seed: int) -> tuple[Counter[str], list[Mark]]:
    """Return how many marks of each kind there are in all, and some of each, drawn by the seed."""
    found: dict[str, dict[Mark, None]] = defaultdict(dict)
    for reference, candidates in pairs.items():
        for candidate in (one for one in candidates if one != reference):
            for mark in marks_of(reference, candidate):
                found[mark.kind].setdefault(mark)
    drawn: list[Mark] = []
    for kind, marks in sorted(found.items()):
        drawn += random.Random(f"{seed} {kind}").sample(list(marks), min(each, len(marks)))
    return Counter({kind: len(marks) for kind, marks in found.items()}), drawn


def write_sheet(counts: Counter[str], drawn: Sequence[Mark]) -> str:
    """Write a sheet in Markdown on which a person fills in what is judged."""
    lines = ["# Marks to judge", "Write true, false or unclear behind each `judged:`.", ""]
    lines += [f"in all: {kind} {count}" for kind, count in sorted(counts.items())]
    for number, mark in enumerate(drawn, start=1):
        lines += ["", f"## {number} {mark.kind}", f"says: {mark.said}", f"> {mark.own}"]
        lines += [f"> {mark.other}", "judged:", "remark:"]
    return "\n".join(lines) + "\n"


def tally(sheets: Iterable[str]) -> dict[str, Counter[str]]:
    """Count the judgements of sheets by kind; marks that were not judged count nowhere."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for sheet in sheets:
        for kind, count in re.findall(r"^in all: (.+) (\d+)$", sheet, re.MULTILINE):
            found[kind]["in all"] += int(count)
        for part in re.split(r"^## \d+ ", sheet, flags=re.MULTILINE)[1:]:
            answer = re.search(r"^judged:[ \t]*(true|false|unclear)\b", part, re.MULTILINE)
            if answer:
                found[part.partition("\n")[0]][answer[1]] += 1
    return dict(found)


def print_tally(found: dict[str, Counter[str]]) -> None:
    """Print the precision of each kind with Wilson's interval; an unclear mark counts as wrong."""
    print_row("kind", "marks in all", "judged", "right", "unclear", "precision (95 %)")
    print_row(*["---"] * 6)
    for kind, count in found.items():
        judged, share = count["true"] + count["false"] + count["unclear"], "-"
        if judged:
            one = wilson_interval(count["true"], judged)
            share = f"{100 * one.value:.0f} % [{100 * one.low:.0f}, {100 * one.high:.0f}]"
        print_row(kind, count["in all"], judged, count["true"], count["unclear"], share)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one of the three commands."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("command", choices=["plant", "draw", "tally"])
    parser.add_argument("files", nargs="*", type=Path)
    for option, value in (("--first", 0), ("--last", 0), ("--each", 8), ("--seed", 1)):
        parser.add_argument(option, type=int, default=value)
    for option in ("--failures", "--sheet"):
        parser.add_argument(option, type=Path, default=Path(os.devnull))
    chosen = parser.parse_args(arguments)
    if chosen.command == "tally":
        print_tally(tally(path.read_text() for path in chosen.files))
        return
    pairs = read_pairs(chosen.files, chosen.first, chosen.last)
    if chosen.command == "draw":
        chosen.sheet.write_text(write_sheet(*draw(pairs, chosen.each, chosen.seed)))
        return
    texts = dict.fromkeys(text for name, others in pairs.items() for text in (name, *others))
    sets = [text for text in texts if len(text) > 200 and is_regular(text)]
    chosen.failures.write_text("\n\n".join(measure_recall(sets, chosen.each, chosen.seed)) + "\n")


if __name__ == "__main__":
    main()
