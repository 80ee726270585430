"""Which items every scorer has a finite number for, so that all rows of a report share one n."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.agreement.items import Integers, Item, ScorerScores, scores_of, subtract

RULE = (
    "An item is left out for every scorer when one of them has no finite number for one of its "
    "two candidates; a scorer that fails on more than half of the items is set aside instead."
)
MOST_LISTED = 100

NO_SCORE = "The scorer gave no score."
NOT_A_NUMBER = "The score is not a number."
INFINITE = "The score is infinite."
TOO_FAR_APART = "The two scores are too far apart to be subtracted."


@dataclass(frozen=True, slots=True)
class Kept:
    """What is left to compare.

    items: those that every scorer left has a finite difference for; positions: where they stood
    among the items given, ascending; scorers: those left, in the order given; set_aside: for each
    other one the sentence that says why; dropped: the JSON-ready account of what was left out.
    """

    items: list[Item]
    positions: Integers
    scorers: list[ScorerScores]
    set_aside: dict[str, str]
    dropped: dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Failures:
    """Where one scorer failed: positions ascending, for each whether by infinity, and why."""

    positions: Integers
    infinite: list[bool]
    reasons: list[str]


def keep_scored(items: Sequence[Item], scorers: Sequence[ScorerScores]) -> Kept:
    """Keep the items that all scorers can be compared on.

    Input: n >= 0 items; scorers of distinct names, whose scores may lack texts or not be finite.
    Output: see Kept. `dropped` holds `items` (how many), `rule`, `scorers` (of each that failed,
    set aside or not: `missing`, `infinite` and `reasons`, all counts of items) and `listed`: up
    to 100 dropped items by id, with the scorers that failed on them and the first one's reason.
    An item is counted once a scorer: as missing where one of its two scores is no number. Where
    different scorers fail on different items, none may be left.
    """
    failures = {scorer.name: _failures(items, scorer) for scorer in scorers}
    set_aside = {
        name: _set_aside(name, failed, len(items))
        for name, failed in failures.items()
        if 2 * len(failed.positions) > len(items)
    }
    counted = {name: failed for name, failed in failures.items() if name not in set_aside}
    is_kept = np.ones(len(items), dtype=bool)
    for failed in counted.values():
        is_kept[failed.positions] = False
    positions = np.flatnonzero(is_kept)
    return Kept(
        items=[items[position] for position in positions.tolist()],
        positions=positions,
        scorers=[scorer for scorer in scorers if scorer.name in counted],
        set_aside=set_aside,
        dropped={
            "items": len(items) - len(positions),
            "rule": RULE,
            "scorers": {
                name: _counts(failed) for name, failed in failures.items() if failed.reasons
            },
            "listed": _listed(items, np.flatnonzero(~is_kept)[:MOST_LISTED], counted),
        },
    )


def _failures(items: Sequence[Item], scorer: ScorerScores) -> _Failures:
    b, c = scores_of(items, scorer)
    positions = np.flatnonzero(~np.isfinite(subtract(b, c)))
    infinite = ~(np.isnan(b) | np.isnan(c))[positions]
    reasons = [_reason(items[place], scorer, b[place], c[place]) for place in positions.tolist()]
    return _Failures(positions, infinite.tolist(), reasons)


def _reason(item: Item, scorer: ScorerScores, b: float, c: float) -> str:
    """Say why the difference is no finite number: of a missing score first, of B before C."""
    sides = [((item.reference, item.b), b), ((item.reference, item.c), c)]
    failed = [side for side in sides if np.isnan(side[1])]
    failed += [side for side in sides if np.isinf(side[1])]
    if not failed:
        return TOO_FAR_APART
    pair, score = failed[0]
    if pair in scorer.reasons:
        return scorer.reasons[pair]
    if np.isinf(score):
        return INFINITE
    return NOT_A_NUMBER if pair in scorer.scores else NO_SCORE


def _set_aside(name: str, failed: _Failures, n: int) -> str:
    reason, count = Counter(failed.reasons).most_common(1)[0]
    return (
        f"{name} was set aside: it gave no finite number for {len(failed.positions)} of {n} items, "
        f"more than half. The most frequent reason, for {count} of them: {reason}"
    )


def _counts(failed: _Failures) -> dict[str, Any]:
    infinite = sum(failed.infinite)
    return {
        "missing": len(failed.infinite) - infinite,
        "infinite": infinite,
        "reasons": dict(Counter(failed.reasons).most_common()),
    }


def _listed(
    items: Sequence[Item], dropped: Integers, failures: dict[str, _Failures]
) -> list[dict[str, Any]]:
    by_scorer = {
        name: dict(zip(failed.positions.tolist(), failed.reasons, strict=True))
        for name, failed in failures.items()
    }
    listed = []
    for position in dropped.tolist():
        names = [name for name, reasons in by_scorer.items() if position in reasons]
        reason = by_scorer[names[0]][position]
        listed.append({"id": items[position].id, "scorers": names, "reason": reason})
    return listed
