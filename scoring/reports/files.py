"""A report as canonical JSON, CSV and LaTeX: the same report gives the same bytes.

One record a scorer or baseline and set of items. Lines end in CR LF; texts stand in double quotes,
numbers do not. A text that a spreadsheet would take for a formula gets an apostrophe before its
first character, and the last column names the columns of that line in which it stands.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from patclaimeval.text_io.spreadsheets import defuse, record

FIGURES: Final = (
    ("tau_b", "tau-b", "of score differences; no tie threshold"),
    ("tau_b_labels", "tau-b of labels", "after the tie threshold"),
    ("tau_paper", "tau, papers'", "two-slot tau as in the papers"),
    ("spearman", "Spearman", "of labels"),
    ("pearson", "Pearson", "of score differences with labels"),
    ("accuracy", "accuracy", "share of items with the human label"),
    ("decisive_accuracy", "decisive", "accuracy where people prefer one candidate"),
    ("f1_weighted", "F1 weighted", "three classes, weighted"),
    ("f1_macro", "F1 macro", "three classes, plain mean"),
)
KINDS: Final = (("scorers", "scorer"), ("baselines", "baseline"))


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure with its interval, or the reason why there is none."""

    value: float | None
    low: float | None
    high: float | None
    reason: str


def cell(figure: Mapping[str, Any]) -> Cell:
    """Read a stored figure."""
    return Cell(figure["value"], figure["low"], figure["high"], figure.get("reason") or "")


def entries(document: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Yield kind ("scorer" or "baseline"), name and entry of each row, scorers first."""
    for key, kind in KINDS:
        for name, entry in document[key].items():
            yield kind, name, entry


def scored_names(document: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of all that was scored, each once: a baseline may be a scorer too."""
    names = (name for _, name, entry in entries(document) if not entry["unavailable"])
    return tuple(dict.fromkeys(names))


def label_of(document: Mapping[str, Any], name: str) -> str:
    """Return what to call a scorer on screen; its name where the report has none."""
    entry = document["scorers"].get(name) or document["baselines"].get(name) or {}
    return str(entry.get("label") or name)


def order_sentence(entry: Mapping[str, Any]) -> str:
    """Say how often a scorer that compares prefers the same candidate in both orders; "" else."""
    found = entry.get("order_consistency")
    if found is None:
        return ""
    value, n = found["value"], found["n"]
    return (
        f"Prefers the same candidate, or neither, in both orders on {round(value * n)} of {n} "
        f"items ({100 * value:.1f} %)."
    )


def canonical_json(document: Mapping[str, Any]) -> bytes:
    """Write a report as UTF-8 JSON with sorted keys, two blanks of indent, one line end.

    Input: a finished report. Raises ValueError for a number that is not finite.
    """
    text = json.dumps(document, ensure_ascii=False, sort_keys=True, indent=2, allow_nan=False)
    return f"{text}\n".encode()


TYPES: Final = {
    "html": "text/html; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "latex": "application/x-tex; charset=utf-8",
}
ENDS: Final = {"html": "html", "csv": "csv", "json": "json", "latex": "tex"}
LONGEST: Final = 60


def file_name(document: Mapping[str, Any], wanted: str) -> str:
    """Name the file of a report.

    Input: a finished report and a format of TYPES. Output: letters, digits, - and . alone, such as
    agreement-cups-1-overall-quality-test.csv.
    """
    question = document["question"]
    parts = (question["dataset"], question["criterion"], question["split"])
    safe = "-".join(re.sub("[^A-Za-z0-9]+", "-", str(part)).strip("-")[:LONGEST] for part in parts)
    return f"agreement-{safe}.{ENDS[wanted]}"


ALL_ITEMS: Final = "all"
WITHOUT: Final = "without reference"
HEAD: Final = ("scorer", "label", "kind", "version", "criterion", "dataset", "split", "items")
BOUNDS: Final = ("", "_low", "_high")
TAIL: Final = (
    *("tie_rate_people", "tie_rate_scorer", "tie_threshold", "calibrated_threshold"),
    *("order_consistency", "is_best", "unavailable", "undefined", "signature"),
    "apostrophe_put_before",
)
LEAD: Final = (
    *("planned_scorer", "test", "lead", "lead_low", "lead_high"),
    *("lead_p", "lead_p_holm", "lead_verdict"),
)
COLUMNS: Final = (
    *HEAD,
    *("n", "references"),
    *(f"{key}{bound}" for key, _, _ in FIGURES for bound in BOUNDS),
    *LEAD,
    *TAIL,
)


def csv_table(document: Mapping[str, Any]) -> str:
    """Write the figures of a report.

    Input: a finished report. Output: the header, then for each scorer and each baseline, in their
    order, a record on all items and one on those without the reference; shares from 0 to 1, every
    digit of a figure; an undefined figure is an empty cell, and `undefined` is why. Calibrated
    threshold, order consistency and the lead of the planned scorer over this one are in the record
    on all items, where there are any.
    """
    return "".join(record(cells) for cells in (COLUMNS, *_records(document)))


def _records(document: Mapping[str, Any]) -> Iterator[list[Any]]:
    best = document["comparisons"]["best"]
    for kind, name, entry in entries(document):
        for items in (ALL_ITEMS, WITHOUT):
            cells = _cells(document, kind, name, entry, items)
            cells[COLUMNS.index("is_best")] = "yes" if name in best else "no"
            cells[-1] = defuse(cells, COLUMNS) or None
            yield cells


def _cells(
    document: Mapping[str, Any], kind: str, name: str, entry: Mapping[str, Any], items: str
) -> list[Any]:
    question = document["question"]
    measured = entry if items == ALL_ITEMS else entry["without_reference_items"]
    found = {key: cell(measured[key]) for key, _, _ in FIGURES}
    undefined = "; ".join(f"{key}: {one.reason}" for key, one in found.items() if one.value is None)
    ties = measured["tie_rates"]
    return [
        *(name, entry["label"], kind, entry["version"]),
        *(question["criterion"], question["dataset"], question["split"], items),
        *(measured["n"], measured["references"]),
        *(number for one in found.values() for number in (one.value, one.low, one.high)),
        *_lead(document, name if items == ALL_ITEMS else ""),
        *(ties["people"], ties["scorer"], question["tie_threshold"]),
        entry["calibrated"].get("threshold") if items == ALL_ITEMS else None,
        entry.get("order_consistency", {}).get("value") if items == ALL_ITEMS else None,
        "",
        entry["unavailable"] or None,
        undefined or None,
        entry["signature"] or None,
        None,
    ]


def _lead(document: Mapping[str, Any], other: str) -> list[Any]:
    """Return the cells of LEAD: the test of the planned scorer against another, where there is one.

    `test` is "planned", with a p after Holm, or "exploratory", with an unadjusted p alone.
    """
    compared = document["comparisons"]
    # Reports of release 0.1.0 planned no scorer.
    focus = compared.get("planned_scorer")
    for family in compared["families"] if focus else []:
        for pair in family["pairs"]:
            if (pair["first"], pair["second"]) == (focus, other):
                keys = ("difference", "low", "high", "p", "p_holm", "verdict")
                return [focus, family["name"], *(pair[key] for key in keys)]
    return [None] * len(LEAD)


LATEX_COLUMNS: Final = (
    ("tau_b", r"$\tau_b$"),
    ("tau_b_labels", r"$\tau_b$ labels"),
    ("tau_paper", r"$\tau$ papers'"),
    ("spearman", r"$\rho$"),
    ("accuracy", "Accuracy"),
    ("f1_weighted", "F1"),
)
SHARES: Final = frozenset({"accuracy", "f1_weighted"})
_SPECIAL: Final = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{sign: f"\\{sign}" for sign in "&%$#_"},
}
_SIGNS = re.compile("|".join(map(re.escape, _SPECIAL)))


def latex_table(document: Mapping[str, Any]) -> str:
    """Write the figures of a report.

    Input: a finished report. Output: a table environment for a document that loads booktabs:
    scorers, then baselines, each figure with its 95 % interval, shares in per cent; bold only
    where the report's tests show which scorer is best; below it the reasons of what is undefined
    and what was tested; the signature as a comment.
    """
    question = document["question"]
    notes: list[str] = []
    body = list(_rows(document, notes))
    tests = escaped(_tests_sentence(document))
    lines = [
        "% \\usepackage{booktabs}",
        f"% {_one_line(document['signature'])}",
        r"\begin{table}",
        r"\centering\small",
        f"\\caption{{{escaped(_caption(document))}}}",
        f"\\label{{tab:agreement-{_slug(question['dataset'])}-{_slug(question['criterion'])}}}",
        f"\\begin{{tabular}}{{l{'r' * len(LATEX_COLUMNS)}}}",
        r"\toprule",
        " & ".join(["Scorer", *(heading for _, heading in LATEX_COLUMNS)]) + r" \\",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
        *(f"\\par\\smallskip{{\\footnotesize {note}}}" for note in (*notes, tests) if note),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """Escape what LaTeX would read as a command. Input, output: one line of text."""
    return _SIGNS.sub(lambda found: _SPECIAL[found[0]], _one_line(text))


def _rows(document: Mapping[str, Any], notes: list[str]) -> Iterator[str]:
    best = document["comparisons"]["best"]
    before = ""
    for kind, name, entry in entries(document):
        if kind != before:
            yield r"\midrule"
            before = kind
        plain = entry["label"]
        label = escaped(plain)
        if entry["unavailable"]:
            mark = _note(notes, entry["unavailable"])
            yield f"{label} & \\multicolumn{{{len(LATEX_COLUMNS)}}}{{l}}{{not scored{mark}}} \\\\"
            continue
        first = f"\\textbf{{{label}}}" if name in best else label
        if sentence := order_sentence(entry):
            first += _note(notes, f"{plain}: {sentence}")
        figures = [_figure(key, cell(entry[key]), notes) for key, _ in LATEX_COLUMNS]
        yield " & ".join([first, *figures]) + r" \\"


def _figure(key: str, found: Cell, notes: list[str]) -> str:
    if found.value is None:
        return f"--{_note(notes, found.reason)}"
    if found.low is None or found.high is None:
        return _number(key, found.value)
    bounds = f"{_number(key, found.low)}, {_number(key, found.high)}"
    return f"{_number(key, found.value)} {{\\scriptsize [{bounds}]}}"


def _number(key: str, value: float) -> str:
    text = f"{100 * value:.1f}" if key in SHARES else f"{value:.3f}"
    return f"${text}$"


def _note(notes: list[str], reason: str) -> str:
    """Return the mark of a note, which stands below the table once however often it is needed."""
    text = escaped(reason)
    numbered = [note.partition(" ")[2] for note in notes]
    if text not in numbered:
        numbered.append(text)
        notes.append(f"$^{{{len(numbered)}}}$ {text}")
    return f"$^{{{numbered.index(text) + 1}}}$"


def _caption(document: Mapping[str, Any]) -> str:
    question, checks = document["question"], document["checks"]
    return (
        f"Agreement of scorers with people on {question['criterion'].replace('_', ' ')}: "
        f"{question['dataset']}, split {question['split']}, {checks['items']} items of "
        f"{checks['references']} references, tie threshold {question['tie_threshold']:g}. "
        "In brackets 95 % intervals clustered by reference; accuracy and weighted F1 in per cent."
    )


def _tests_sentence(document: Mapping[str, Any]) -> str:
    """Say what the tests found, and which of them were planned; "" where none was."""
    compared = document["comparisons"]
    if not compared.get("planned_scorer"):
        return ""
    focus = label_of(document, compared["planned_scorer"])
    return (
        f"{compared['best_sentence']} Planned tests: {focus} against each other scorer, "
        "adjusted after Holm. All other comparisons are exploratory."
    )


def _slug(text: str) -> str:
    return re.sub("[^a-z0-9]+", "-", text.lower()).strip("-")


def _one_line(text: str) -> str:
    return " ".join(str(text).split())


LARGEST_PLAIN: Final = 1e16
"""From here on Python writes a float with an exponent, and PostgreSQL reads a whole number."""


def storable(value: Any) -> Any:
    """Return a JSON value without negative zeros and without whole floats that have an exponent.

    Input: nested dicts, lists and plain values; floats are finite. PostgreSQL has JSON numbers as
    decimals: it would give 0.0 back for -0.0, and a whole number for 1e+16.
    """
    if isinstance(value, dict):
        return {key: storable(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [storable(one) for one in value]
    if isinstance(value, float):
        if value == 0:
            return 0.0
        return int(value) if abs(value) >= LARGEST_PLAIN else value
    return value
