"""The LaTeX table of a report: rules of booktabs, everything escaped, bold only by test."""

import re

from scoring.reports.files import LATEX_COLUMNS, escaped, latex_table
from tests.scoring.report_documents import ABSENT, judged_document, report_document


def test_every_row_has_as_many_cells_as_the_heading() -> None:
    text = latex_table(report_document())
    body = text.partition(r"\toprule")[2].partition(r"\bottomrule")[0]
    rows = [line for line in body.splitlines() if line.endswith(r"\\")]
    assert len(rows) == 6
    for row in rows:
        cells = re.split(r"(?<!\\)&", row)
        spans = sum(int(span) - 1 for span in re.findall(r"\\multicolumn\{(\d)\}", row))
        assert len(cells) + spans == len(LATEX_COLUMNS) + 1, row


def test_a_figure_stands_with_its_interval_and_a_share_in_per_cent() -> None:
    document = report_document()
    document["scorers"]["bleu-1"]["tau_b"] = {"value": 0.3124, "low": -0.021, "high": 0.5}
    document["scorers"]["bleu-1"]["accuracy"] = {"value": 0.5224, "low": 0.4, "high": 0.6}
    text = latex_table(document)
    assert r"bleu-1 & $0.312$ {\scriptsize [$-0.021$, $0.500$]}" in text
    assert r"$52.2$ {\scriptsize [$40.0$, $60.0$]}" in text


def test_only_the_scorer_that_the_tests_found_best_is_bold() -> None:
    assert latex_table(report_document()).count(r"\textbf{") == 1
    undecided = report_document()
    undecided["comparisons"]["best"] = []
    assert r"\textbf{" not in latex_table(undecided)


def test_what_is_not_scored_says_why_below_the_table() -> None:
    text = latex_table(report_document())
    assert r"BERTScore & \multicolumn{6}{l}{not scored$^{1}$} \\" in text
    assert f"$^{{1}}$ {ABSENT}" in text


def test_order_consistency_is_a_note_at_the_scorer_that_has_one() -> None:
    text = latex_table(judged_document())
    assert r"\textbf{Judge\_1}$^{1}$ &" in text
    said = r"in both orders on 45 of 58 items (77.6 \%)."
    assert rf"$^{{1}}$ Judge\_1: Prefers the same candidate, or neither, {said}" in text
    assert "in both orders" not in latex_table(report_document())


def test_every_sign_of_latex_is_escaped() -> None:
    wild = r"50 % & more_of #1 $x$ {a} ~ ^ \input{x} <b>|"
    assert escaped(wild) == (
        r"50 \% \& more\_of \#1 \$x\$ \{a\} \textasciitilde{} \textasciicircum{} "
        r"\textbackslash{}input\{x\} \textless{}b\textgreater{}\textbar{}"
    )
    document = report_document()
    document["scorers"]["bleu-1"]["label"] = "a_b \\end{table}"
    document["signature"] = "first\n\\input{x}"
    text = latex_table(document)
    assert r"a\_b \textbackslash{}end\{table\}" in text
    assert "% first \\input{x}\n" in text


def test_braces_and_environments_close() -> None:
    text = latex_table(report_document())
    bare = re.sub(r"\\[{}]", "", text)
    assert bare.count("{") == bare.count("}")
    assert re.findall(r"\\begin\{(\w+)\}", text) == ["table", "tabular"]
    assert re.findall(r"\\end\{(\w+)\}", text) == ["tabular", "table"]


def test_the_tests_and_what_was_planned_are_told_below_the_table() -> None:
    assert (
        "rouge-l is better than every other scorer. Planned tests: bleu-1 against each other "
        "scorer, adjusted after Holm. All other comparisons are exploratory."
    ) in latex_table(report_document())
