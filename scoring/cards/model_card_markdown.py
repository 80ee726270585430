"""The README.md of a model directory: what it is, what it was trained on, how far to trust it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from annotator.rubric import NAMES
from scoring.cards import model_card as parts
from scoring.cards.markdown import NOTHING, escaped, number, table
from scoring.cards.model_limits import model_limits


def model_card_markdown(card: Mapping[str, Any], data: Mapping[str, Any]) -> str:
    """Write the card of a model.

    Input: what a training left (`TrainingResult` as a mapping); `data` with the `dataset` as
    NAME@NUMBER, its `sha256`, its `licence`, its `split`. Output: the same text for the same
    input: no time, no id of a run.
    """
    criterion = str((card.get("settings") or {}).get("criterion", ""))
    lines = [
        f"# PatClaimEval, {escaped(NAMES.get(criterion, criterion))}",
        "",
        "Scores a candidate claim set Q against a reference P, s(Q given P) in (0, 1). Higher is "
        "better. It tells which of two candidates of one reference people would prefer.",
        "",
        *_section("Data", _facts(parts.data_facts(data))),
        *_section("Training", _facts(parts.model_facts(card))),
        *_section("Agreement with people on the validation items", _agreement(card)),
        *_section("Seen in training", _seen(card)),
        *_section("What to mind", (f"- {escaped(line)}" for line in model_limits(card, data))),
        *_section("Settings", _facts(parts.settings_facts(card))),
    ]
    return "\n".join(lines).rstrip("\n") + "\n"


def _section(title: str, body: Iterable[str]) -> list[str]:
    lines = list(body)
    return [f"## {title}", "", *lines, ""] if lines else []


def _facts(facts: Iterable[tuple[str, str]]) -> list[str]:
    rows = [(escaped(name), escaped(words)) for name, words in facts]
    return table(("Fact", "Value"), rows) if rows else []


def _agreement(card: Mapping[str, Any]) -> Iterator[str]:
    validation = card.get("validation") or {}
    figures = list(parts.agreement(card))
    if not validation.get("n"):
        return
    if left := parts.without_reference(card):
        figures.append(left[0])
    rows = [(f"{f.name}, {f.note}" if f.note else f.name, *_cells(f)) for f in figures]
    for line in parts.overlaps(card):
        rows.append((f"{line.name}, tau-b", *_cells(line.tau_b)))
        rows.append((f"lead over {line.name}: {line.verdict}", *_cells(line.lead)))
    yield from table(("Figure", "Value", "95 % interval"), rows)
    yield ""
    yield (
        f"{number(validation['n'])} items of {number(validation.get('references'))} references; "
        f"intervals are clustered by reference ({escaped(validation.get('interval', NOTHING))}), "
        "those of a lead are paired."
    )


def _cells(figure: parts.Figure) -> tuple[str, str]:
    if figure.value is None:
        return "undefined", NOTHING
    if figure.low is None or figure.high is None:
        return number(figure.value), NOTHING
    return number(figure.value), f"{number(figure.low)} to {number(figure.high)}"


def _seen(card: Mapping[str, Any]) -> list[str]:
    rows = [(s.split, number(s.items), s.references, s.candidates) for s in parts.seen(card)]
    return table(("Split", "Items", "References", "Candidates"), rows) if rows else []
