"""Wilson's score interval of a share."""

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Final

CONFIDENCE: Final = 0.95


@dataclass(frozen=True, slots=True)
class ShareInterval:
    """A share between 0 and 1 with the ends of its interval."""

    value: float
    low: float
    high: float


def wilson_interval(hits: int, n: int) -> ShareInterval:
    """Return a share with Wilson's score interval, 95 %.

    Inputs: 0 <= hits <= n, n >= 1. Output: value = p = hits/n and
    low, high = (p + z²/2n ± z·sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n), all in 0 to 1, with z the
    0.975 quantile of the standard normal distribution. Source: E. B. Wilson, "Probable inference,
    the law of succession, and statistical inference", JASA 22 (1927), pages 209-212. It takes the n
    answers as independent; answers of one annotator, or on one reference, are less so, and the true
    interval is then wider. Raises ValueError otherwise.
    """
    if not 0 <= hits <= n or n < 1:
        raise ValueError(f"no share of {hits} in {n}")
    z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    p = hits / n
    centre = p + z * z / (2 * n)
    reach = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    # At 0 and at n the bound is exactly p; floats miss it by a hair.
    low = 0.0 if hits == 0 else (centre - reach) / scale
    high = 1.0 if hits == n else (centre + reach) / scale
    return ShareInterval(p, low, high)
