"""LLMScore: a language model scores five dimensions of a text from 1 to 10."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from patclaimeval.metrics.base import ENDPOINT, Missing, Needs, Pair, Score
from patclaimeval.metrics.endpoint import Endpoint
from patclaimeval.metrics.endpoint.inquiry import Inquiry
from patclaimeval.metrics.endpoint.prompt import Prompt

DIMENSIONS: Final[dict[str, str]] = {
    "accuracy": "Is what the candidate claims technically and legally right, as the reference "
    "shows it?",
    "relevance": "Does the candidate claim this invention, and leave out what does not belong?",
    "completeness": "Does it hold all that the reference holds?",
    "consistency": "Is it free of contradictions, within itself and with the reference?",
    "language_style": "Is it written as patent claims are: precise, formal, fluent?",
}

PROMPT: Final = Prompt(
    name="llmscore",
    instructions=(
        "You are an experienced patent attorney. You judge the claims of a candidate beside the "
        "claims of a reference for the same invention. Give the candidate a whole number from 1 "
        "(very poor) to 10 (excellent) in each of five dimensions, each on its own, using the "
        "whole scale.\n\n" + "\n".join(f"{key}: {question}" for key, question in DIMENSIONS.items())
    ),
    keys=tuple(DIMENSIONS),
    low=1,
    high=10,
)


@dataclass(slots=True)
class LLMScore:
    """The mean of a language model's five numbers, each from 1 to 10.

    Formula: (accuracy + relevance + completeness + consistency + language style) / 5, the same
    for every criterion of a report: the dimensions are not the rubric's.
    Source: Wang et al., IPBench, 2025, for dimensions and scale; the equal weights and the words
    of the prompt are this project's own.
    """

    endpoint: Endpoint
    low: float | None = 1.0
    high: float | None = 10.0
    needs: Needs = ENDPOINT
    name: str = "llmscore"
    _inquiry: Inquiry = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._inquiry = Inquiry(PROMPT, self.endpoint)

    @property
    def version(self) -> str:
        return f"{self._inquiry.version}, mean of five"

    def reading(self, language: str) -> str:
        return ""

    def score(self, pairs: Sequence[Pair]) -> list[Score]:
        """Score n pairs. Output: n numbers in [1, 10], or Missing where no answer was usable.

        The texts of the pairs are sent to the endpoint. Raises MetricError where no pair would
        be answered.
        """
        return [
            numbers
            if isinstance(numbers, Missing)
            else sum(numbers[key] for key in PROMPT.keys) / len(PROMPT.keys)
            for numbers in self._inquiry.numbers(pairs)
        ]
