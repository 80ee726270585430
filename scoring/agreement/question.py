"""The question that an agreement report answers, which decides every number in it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scoring.agreement.items import AgreementError

DEFAULT_TIE_THRESHOLD = 1e-4
PAPER_TIE_THRESHOLD = 1e-6
DEFAULT_RESAMPLES = 1000
FEWEST_RESAMPLES = 100
MOST_RESAMPLES = 10_000
LARGEST_SEED = 2**32 - 1


@dataclass(frozen=True, slots=True)
class Question:
    """How well do scorers agree with people on one criterion of one part of a dataset?

    tie_threshold: |score(B) - score(C)| at or below it is a predicted tie; >= 0. The papers name
    1e-4; PAPER_TIE_THRESHOLD repeats the figures that they print.
    seed, resamples: of the bootstrap; seed >= 0, resamples >= 100.
    systems_shown: whether the answer may say which system made a candidate.
    admins_counted: whether items count that rest on ratings of an admin of the campaign.
    """

    criterion: str
    dataset: str = ""
    dataset_sha256: str = ""
    split: str = "test"
    tie_threshold: float = DEFAULT_TIE_THRESHOLD
    seed: int = 0
    resamples: int = DEFAULT_RESAMPLES
    code_version: str = ""
    systems_shown: bool = False
    admins_counted: bool = False

    def __post_init__(self) -> None:
        """Refuse numbers that no report can be made with."""
        if not (math.isfinite(self.tie_threshold) and self.tie_threshold >= 0):
            raise AgreementError(
                f"The tie threshold must be 0 or more, and is {self.tie_threshold}."
            )
        if self.seed < 0:
            raise AgreementError(f"The seed must be 0 or more, and is {self.seed}.")
        if self.resamples < FEWEST_RESAMPLES:
            raise AgreementError(
                f"An interval needs at least {FEWEST_RESAMPLES} resamples, not {self.resamples}."
            )
