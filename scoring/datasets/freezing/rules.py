"""How a campaign may be frozen, and how long work reports how far it is."""

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from core.errors import Refused
from patclaimeval.rubric import ALL_CRITERIA
from scoring.quadruplets import GROUPED_BY, POLICIES, POLICY_VERSIONS, SplitPlan


@dataclass(frozen=True, slots=True)
class FreezeSettings:
    """Settings of a freeze; a wrong one raises Refused."""

    policy: str = "settled"
    tie_band: float = 0.0
    criteria: Collection[str] = ALL_CRITERIA
    split_by: str = "reference"
    test_share: float = 0.15
    validation_share: float = 0.1
    seed: int = 0
    include_unlocked: bool = False
    # The id of the version whose test references are those of the new one, too.
    test_of: str | None = None

    def __post_init__(self) -> None:
        """Refuse what makes no sense, before anything is read."""
        if self.policy not in POLICIES or not (math.isfinite(self.tie_band) and self.tie_band >= 0):
            raise Refused(
                f"The policy is one of {', '.join(POLICIES)}; the tie band is a number, 0 or more."
            )
        if not self.criteria or not set(self.criteria) <= set(ALL_CRITERIA):
            raise Refused(f"Name at least one criterion of {', '.join(ALL_CRITERIA)}.")
        if self.split_by not in GROUPED_BY:
            raise Refused(f"A freeze is split by one of {', '.join(GROUPED_BY)}.")

    @property
    def band(self) -> Fraction:
        return Fraction(str(self.tie_band))

    @property
    def plan(self) -> SplitPlan:
        return SplitPlan(self.split_by, self.test_share, self.validation_share, self.seed)

    @property
    def chosen(self) -> list[str]:
        """The criteria in the rubric's order."""
        return [key for key in ALL_CRITERIA if key in self.criteria]

    def as_card(self) -> dict[str, Any]:
        """Return what a card holds of them."""
        return {
            "policy": self.policy,
            "policy_version": POLICY_VERSIONS[self.policy],
            "tie_band": self.tie_band,
            "criteria": self.chosen,
            "include_unlocked": self.include_unlocked,
        }


def split_json(plan: SplitPlan, test_of: str = "") -> dict[str, Any]:
    """Return what a card holds of a split; `test_of` names the version that its test part is of."""
    return {
        "by": plan.by,
        "seed": plan.seed,
        "test_share": plan.test_share,
        "validation_share": plan.validation_share,
    } | ({"test_of": test_of} if test_of else {})


# Gets the share that is done, 0 to 1, and the current stage; may raise to stop it.
Progress = Callable[[float, str], None]
