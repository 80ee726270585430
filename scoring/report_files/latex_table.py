"""A report as a table for LaTeX with the package booktabs."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from scoring.report_files.figures import Cell, cell, entries

COLUMNS: Final = (
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
    where the report's tests say which scorer is best; reasons of what is undefined below; the
    signature as a comment.
    """
    question = document["question"]
    notes: list[str] = []
    body = list(_rows(document, notes))
    lines = [
        "% \\usepackage{booktabs}",
        f"% {_one_line(document['signature'])}",
        r"\begin{table}",
        r"\centering\small",
        f"\\caption{{{escaped(_caption(document))}}}",
        f"\\label{{tab:agreement-{_slug(question['dataset'])}-{_slug(question['criterion'])}}}",
        f"\\begin{{tabular}}{{l{'r' * len(COLUMNS)}}}",
        r"\toprule",
        " & ".join(["Scorer", *(heading for _, heading in COLUMNS)]) + r" \\",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
        *(f"\\par\\smallskip{{\\footnotesize {note}}}" for note in notes),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """Escape what LaTeX would read as a command. Input, output: one line of text."""
    return _SIGNS.sub(lambda found: _SPECIAL[found[0]], _one_line(text))


def _rows(document: Mapping[str, Any], notes: list[str]) -> Iterator[str]:
    best = document.get("comparisons", {}).get("best", [])
    before = ""
    for kind, name, entry in entries(document):
        if kind != before:
            yield r"\midrule"
            before = kind
        label = escaped(str(entry.get("label") or name))
        if entry.get("unavailable"):
            mark = _note(notes, entry["unavailable"])
            yield f"{label} & \\multicolumn{{{len(COLUMNS)}}}{{l}}{{not scored{mark}}} \\\\"
            continue
        first = f"\\textbf{{{label}}}" if name in best else label
        figures = [_figure(key, cell(entry.get(key)), notes) for key, _ in COLUMNS]
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
    words = escaped(reason)
    numbered = [note.partition(" ")[2] for note in notes]
    if words not in numbered:
        numbered.append(words)
        notes.append(f"$^{{{len(numbered)}}}$ {words}")
    return f"$^{{{numbered.index(words) + 1}}}$"


def _caption(document: Mapping[str, Any]) -> str:
    question, checks = document["question"], document["checks"]
    return (
        f"Agreement of scorers with people on {question['criterion'].replace('_', ' ')}: "
        f"{question['dataset']}, split {question['split']}, {checks['items']} items of "
        f"{checks['references']} references, tie threshold {question['tie_threshold']:g}. "
        "In brackets 95 % intervals clustered by reference; accuracy and weighted F1 in per cent."
    )


def _slug(text: str) -> str:
    return re.sub("[^a-z0-9]+", "-", text.lower()).strip("-")


def _one_line(text: str) -> str:
    return " ".join(str(text).split())
