"""G-Eval for patent claims: a language model scores the four criteria from 0 to 100."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from patclaimeval.metrics.base import ENDPOINT, Missing, Needs, Pair, Score
from patclaimeval.metrics.endpoint import Endpoint
from patclaimeval.metrics.endpoint.inquiry import Inquiry
from patclaimeval.metrics.endpoint.prompt import Numbers, Prompt
from patclaimeval.rubric import ALL_CRITERIA, CRITERIA, OVERALL, RUBRIC, TOTAL_WEIGHT, WEIGHTS

_RANGES: Final = ("0 to 20", "21 to 40", "41 to 60", "61 to 80", "81 to 100")


def _criteria() -> str:
    """Return each criterion with its five bands, in the text that annotators read."""
    parts = []
    for criterion in RUBRIC:
        bands = "\n".join(
            f"- {scores}: {band.sentence}"
            for scores, band in zip(_RANGES, criterion.bands, strict=True)
        )
        parts.append(f"{criterion.key}: {criterion.question}\n{bands}")
    return "\n\n".join(parts)


PROMPT: Final = Prompt(
    name="g-eval",
    instructions=(
        "You are an experienced patent attorney. You compare the claims of a candidate with the "
        "claims of a reference for the same invention. The reference is right by assumption: it "
        "would have 100 in each criterion. Give the candidate a whole number from 0 to 100 in "
        "each of the four criteria below, each on its own, using the whole scale. Each criterion "
        f"has five bands of twenty points.\n\n{_criteria()}"
    ),
    keys=CRITERIA,
    low=0,
    high=100,
)


@dataclass(slots=True)
class GEval:
    """G-Eval-4: a language model's numbers for the four criteria, or their weighted mean.

    criterion: whose number is the score; 'overall_quality' is formed from the four, and the model
    is not asked for it. One answer serves all five criteria, and is paid once where it is stored.
    Formula: overall = (4 completeness + 2 clarity + 2 consistency + 3 linkage) / 11.
    Source: Liu et al., EMNLP 2023, as used by Jiang, Scherz, Goetz, ACL 2025: reference assumed
    100, five bands of 20, numbers only. The words of the prompt are this project's own, so that
    scores are comparable with each other and not with the paper's.
    """

    endpoint: Endpoint
    criterion: str = OVERALL
    low: float | None = 0.0
    high: float | None = 100.0
    needs: Needs = ENDPOINT
    name: str = "g-eval"
    _inquiry: Inquiry = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.criterion not in ALL_CRITERIA:
            raise ValueError(f"g-eval knows no criterion {self.criterion!r}")
        self._inquiry = Inquiry(PROMPT, self.endpoint)

    @property
    def version(self) -> str:
        return f"{self._inquiry.version}, {self.criterion}"

    def reading(self, language: str) -> str:
        return ""

    def score(self, pairs: Sequence[Pair]) -> list[Score]:
        """Score n pairs. Output: n numbers in [0, 100], or Missing where no answer was usable.

        The texts of the pairs are sent to the endpoint. Raises MetricError where no pair would
        be answered.
        """
        return [
            numbers if isinstance(numbers, Missing) else self._number(numbers)
            for numbers in self._inquiry.numbers(pairs)
        ]

    def _number(self, numbers: Numbers) -> float:
        if self.criterion != OVERALL:
            return float(numbers[self.criterion])
        return sum(WEIGHTS[key] * numbers[key] for key in CRITERIA) / TOTAL_WEIGHT
