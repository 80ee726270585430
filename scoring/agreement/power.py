"""How small a difference between two scorers this number of items can show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from scoring.agreement.verdicts import ALPHA

POWER: Final = 0.8
NO_PAIR: Final = (
    "The smallest difference that can be seen is unknown: there are no two scorers whose "
    "difference varies between references."
)
METHOD: Final = (
    "Smallest true difference in tau-b that a two-sided test finds with 80 % power: (t at 97.5 % + "
    "t at 80 %) x clustered standard error of a paired difference, the median over pairs of "
    "scorers, with as many degrees of freedom as references less one. For one test, without "
    "Holm's correction, which asks for more."
)


def detectable_difference(
    standard_errors: Sequence[float], references: int, n: int, alpha: float = ALPHA
) -> dict[str, Any]:
    """The smallest difference in tau-b that n items are likely to show.

    Input: the clustered standard error of each pair's difference in tau-b, all above 0; the
    numbers of references and of items; alpha in (0, 1).
    Output: JSON-ready: smallest_difference (above 0, or None), power, alpha, sentence.
    Formula: (t(1 - alpha / 2) + t(power)) x median standard error, references - 1 degrees.
    Source: Bloom, 1995, minimum detectable effects.
    """
    said = {"power": POWER, "alpha": alpha}
    if not standard_errors or references < 2:
        return {"smallest_difference": None, **said, "sentence": NO_PAIR}
    from scipy.special import stdtrit

    multiple = float(stdtrit(references - 1, 1 - alpha / 2) + stdtrit(references - 1, POWER))
    smallest = multiple * float(np.median(standard_errors))
    return {"smallest_difference": smallest, **said, "sentence": _sentence(smallest, references, n)}


def _sentence(smallest: float, references: int, n: int) -> str:
    if smallest > 1:
        return (
            f"{n} items of {references} references are too few to tell most scorers apart: only a "
            "difference in tau-b of more than 1 would be found with 80 % power."
        )
    return (
        f"With {n} items of {references} references, a difference in tau-b of {smallest:.2f} or "
        f"more between two scorers is found with 80 % power, before Holm's correction; a smaller "
        "one may well go unseen."
    )
