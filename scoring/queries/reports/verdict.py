"""What a report says in words before any figure: its verdict, and what to beware of."""

from collections.abc import Mapping
from typing import Any, Final

from scoring.report_files.figures import entries

FEWEST_REFERENCES: Final = 10
NOT_TESTED: Final = (
    "This report was computed before scorers were compared by a test, so it calls none the best. "
    "Ask for it again to have them compared."
)


def verdict(document: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the verdict in sentences: who is better, what could be seen, how far people agree."""
    compared = document.get("comparisons", {}).get("best_sentence") or NOT_TESTED
    power = document.get("power", {}).get("sentence") or ""
    return tuple(sentence for sentence in (compared, power, _ceiling(document)) if sentence)


def cautions(document: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what a reader must know before trusting a figure, the gravest first."""
    checks = document["checks"]
    found = (
        _not_scored(document),
        caution(checks["references"]),
        _by_admins(checks),
        _copies(checks),
        _shared(checks),
        _implied(checks),
        _contradicting(checks),
    )
    return tuple(sentence for sentence in found if sentence)


def caution(references: int) -> str:
    """Say what a reader must know of the intervals when there are few references; "" else."""
    if references >= FEWEST_REFERENCES:
        return ""
    return (
        f"Only {references} references: intervals clustered over so few mean little, narrow ones "
        "as much as wide ones."
    )


def _ceiling(document: Mapping[str, Any]) -> str:
    ceiling = document["human_ceiling"]
    if ceiling["value"] is None:
        return str(ceiling.get("reason") or "")
    interval = ""
    if ceiling["low"] is not None:
        interval = f" (95 % interval {ceiling['low']:.2f} to {ceiling['high']:.2f})"
    return (
        f"Human ceiling: an annotator agrees with the others at tau-b {ceiling['value']:.3f}"
        f"{interval}, over {ceiling.get('n')} items. A scorer that reaches it agrees with people "
        "as far as they agree with each other."
    )


def _not_scored(document: Mapping[str, Any]) -> str:
    labels = [
        str(entry.get("label") or name)
        for _, name, entry in entries(document)
        if entry.get("unavailable")
    ]
    if not labels:
        return ""
    return f"Not scored: {', '.join(labels)}. The table says what each lacks."


def _by_admins(checks: Mapping[str, Any]) -> str:
    by_admins = checks.get("by_admins") or {}
    if not by_admins.get("items"):
        return ""
    if by_admins["counted"]:
        return (
            f"{by_admins['items']} items rest on ratings of somebody who administers the campaign; "
            "they are counted, as was asked."
        )
    return (
        f"{by_admins['items']} items are left out, as they rest on ratings of somebody who "
        "administers the campaign."
    )


def _copies(checks: Mapping[str, Any]) -> str:
    copies = checks["contain_reference"]
    if not copies["items"]:
        return ""
    return (
        f"In {copies['items']} of {checks['items']} items the reference itself is a candidate; "
        f"people preferred it in {copies['reference_preferred']}. Look at the figures without them."
    )


def _shared(checks: Mapping[str, Any]) -> str:
    shared = checks.get("shared_texts") or {}
    if not shared.get("texts"):
        return ""
    splits = ", ".join(map(str, shared.get("splits") or ()))
    return (
        f"{shared['texts']} texts stand in more than one split{f' ({splits})' if splits else ''}: "
        "a model that was trained on this dataset has seen them."
    )


def _implied(checks: Mapping[str, Any]) -> str:
    share = (checks.get("implied") or {}).get("share")
    if not share:
        return ""
    return (
        f"{100 * share:.0f} % of these labels follow from training labels by transitivity: "
        "a trained model can know them without judging."
    )


def _contradicting(checks: Mapping[str, Any]) -> str:
    count = checks["duplicates"]["contradicting"]
    return f"{count} comparisons contradict an earlier one of the same candidates." if count else ""
