"""An agreement report as text for a terminal: a table, the verdicts, what was left out."""

from collections.abc import Iterator, Mapping
from typing import Any

from annotator.management.house_command import aligned
from scoring.queries.reports.page import FIGURES, caution


def report_text(document: Mapping[str, Any]) -> str:
    """Write a finished report for a reader without a browser."""
    notes = [*_notes(document), f"signature: {document['signature']}"]
    return "\n".join([*aligned(list(_table(document))), "", *notes])


def _table(document: Mapping[str, Any]) -> Iterator[list[str]]:
    yield ["scorer", *(name for _, name, _ in FIGURES), "tau-b without reference items"]
    for kind in ("scorers", "baselines"):
        for name, entry in document[kind].items():
            figures = [entry[key] for key, _, _ in FIGURES]
            figures.append(entry["without_reference_items"]["tau_b"])
            yield [name, *map(_figure, figures)]


def _notes(document: Mapping[str, Any]) -> Iterator[str]:
    for name, entry in document["scorers"].items():
        if entry["unavailable"]:
            yield f"{name}: {entry['unavailable']}"
    if words := caution(document["checks"]["references"]):
        yield words
    dropped = document["dropped"]
    if dropped["items"]:
        ids = ", ".join(one["id"] for one in dropped["listed"])
        yield f"{dropped['items']} items left out for every scorer: {ids}"
        for name, failed in dropped["scorers"].items():
            yield from (f"  {name}, {n}: {reason}" for reason, n in failed["reasons"].items())
    ceiling = document["human_ceiling"]
    if ceiling["value"] is None:
        yield ceiling["reason"]
    else:
        yield f"human ceiling, tau-b: {_figure(ceiling)} of {ceiling['annotators']} annotators"
    yield document["comparisons"]["best_sentence"]
    for family in document["comparisons"]["families"]:
        yield from (pair["sentence"] for pair in family["pairs"])
    yield document["power"]["sentence"]


def _figure(figure: Mapping[str, Any]) -> str:
    if figure["value"] is None:
        return "undefined"
    if figure["low"] is None:
        return f"{figure['value']:.3f}"
    return f"{figure['value']:.3f} [{figure['low']:.2f}, {figure['high']:.2f}]"
