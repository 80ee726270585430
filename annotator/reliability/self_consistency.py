"""Whether annotators repeat themselves: scores of the same item at first and when it came back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotator.reliability.estimates import Estimate, undefined
from annotator.reliability.icc import intraclass_correlations
from annotator.reliability.raw_agreement import raw_agreement
from annotator.reliability.resampling import DRAWS
from annotator.reliability.tables import Repeat, Table

NO_REPEATS = "No item has come back to be rated again yet."


@dataclass(frozen=True, slots=True)
class SelfConsistency:
    """Figures over repeats of one annotator, or of all when `annotator` is None; n = repeats."""

    annotator: str | None
    exact: Estimate
    within: Estimate
    mean_difference: Estimate
    icc: Estimate


def self_consistency(
    repeats: Sequence[Repeat], within: float = 1, draws: int = DRAWS, seed: int = 0
) -> tuple[SelfConsistency, ...]:
    """Compare first and second scores, over all annotators and for each one.

    Input: repeats of one criterion, finite scores; the tolerance in their units; resamples, seed.
    Output: first the figures over all repeats, then by annotator, sorted by name: two shares in
    [0, 1], a mean absolute difference >= 0, and an ICC <= 1 that counts a shift between first and
    second time as disagreement. Undefined, with the reason, without repeats and, for the ICC,
    without spread. Formula and source: raw_agreement() and ICC(2,1) of intraclass_correlations(),
    with the two times in place of two annotators (McGraw and Wong, 1996).
    """
    names = sorted({repeat.annotator for repeat in repeats})
    own = [[repeat for repeat in repeats if repeat.annotator == name] for name in names]
    groups = [(None, list(repeats)), *zip(names, own, strict=True)]
    return tuple(_figures(name, group, within, draws, seed) for name, group in groups)


def _figures(
    annotator: str | None, repeats: list[Repeat], within: float, draws: int, seed: int
) -> SelfConsistency:
    if not repeats:
        nothing = undefined(NO_REPEATS)
        return SelfConsistency(annotator, nothing, nothing, nothing, nothing)
    table = Table(
        np.array([(repeat.first, repeat.second) for repeat in repeats], dtype=np.float64),
        tuple(repeat.cluster for repeat in repeats),
        tuple(str(number) for number in range(len(repeats))),
        ("first", "second"),
    )
    raw = raw_agreement(table, within, draws, seed)
    icc = intraclass_correlations(table, draws=draws, seed=seed).single
    return SelfConsistency(annotator, raw.exact, raw.within, raw.mean_difference, icc)
