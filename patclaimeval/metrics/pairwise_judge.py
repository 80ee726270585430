"""A pairwise judge: a language model says which of two candidates is better in each criterion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from patclaimeval.metrics.base import ENDPOINT_AND_RIVAL, Missing, Needs, Pair, Score
from patclaimeval.metrics.endpoint import Endpoint
from patclaimeval.metrics.endpoint.inquiry import Inquiry
from patclaimeval.metrics.endpoint.prompt import Numbers, Prompt
from patclaimeval.rubric import ALL_CRITERIA, CRITERIA, OVERALL, RUBRIC, TOTAL_WEIGHT, WEIGHTS

NO_RIVAL: Final = "A pairwise judge compares two candidates, and here is one alone."
_VERDICTS: Final = {0: 0, 1: 1, 2: -1}
"""The number of the better candidate, 0 for neither, as a verdict on the first."""

_TASK: Final = (
    "You are an experienced patent attorney. You compare the claims of two candidates for the same "
    "invention, candidate 1 and candidate 2, with the claims of a reference. The reference is "
    "right by assumption. Decide which candidate is the better one in each of the four criteria "
    "below, each on its own: 1 for candidate 1, 2 for candidate 2, 0 where neither is better. "
    "Which of the two comes first means nothing, and the longer one is not the better one for "
    "its length.\n\n"
) + "\n".join(f"{criterion.key}: {criterion.question}" for criterion in RUBRIC)

_REASONING: Final = (
    "Reason before you decide, as an attorney does who has to defend the decision:\n"
    "1. Construe the reference. List its independent claims with their category and limitations, "
    "then what each dependent claim adds, and to which claim.\n"
    "2. Go through candidate 1 claim by claim. Name the claim of the reference that it answers "
    "to. Name the limitations that are there, those that are narrower or broader, those that are "
    "missing or added, and what each change does to the scope of protection.\n"
    "3. Do the same for candidate 2, with the same measure.\n"
    "4. In both, look for terms without antecedent basis, for one thing under several names, for "
    "words that leave the scope open, and for claims that depend on a wrong claim.\n"
    "5. Weigh the two against each other, criterion by criterion: a fault in an independent claim "
    "counts for more than the same fault in a dependent one."
)

PROMPT: Final = Prompt("pairwise-judge", _TASK, CRITERIA, 0, 2, compares=True)
REASONED_PROMPT: Final = Prompt(
    "pairwise-judge-reasoned",
    f"{_TASK}\n\n{_REASONING}",
    *(CRITERIA, 0, 2),
    compares=True,
    is_reasoned=True,
)


@dataclass(slots=True)
class PairwiseJudge:
    """A language model's verdict on a candidate and its rival, in the order in which they stand.

    criterion: whose verdict counts; 'overall_quality' is formed from the four, and the model is
    not asked for it. One answer serves all five criteria, and is paid once where it is stored.
    is_reasoned: the model is asked for a chain of legal reasoning, claim by claim, before it
    decides; its reasons are read by nobody and stored nowhere.
    Formula: verdict = 1 where the candidate is better, -1 where the rival is, 0 else;
    overall = (4 completeness + 2 clarity + 2 consistency + 3 linkage) / 11 of the four verdicts.
    A model may favour whatever comes first: reports ask both orders, see agreement.preferences.
    Source: Zheng et al., NeurIPS 2023, for comparing in both orders; Wei et al., NeurIPS 2022, for
    reasons before the answer. The words of the prompts are this project's own.
    """

    endpoint: Endpoint
    criterion: str = OVERALL
    is_reasoned: bool = False
    low: float | None = -1.0
    high: float | None = 1.0
    needs: Needs = ENDPOINT_AND_RIVAL
    _inquiry: Inquiry = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.criterion not in ALL_CRITERIA:
            raise ValueError(f"{self.name} knows no criterion {self.criterion!r}")
        self._inquiry = Inquiry(self._prompt, self.endpoint)

    @property
    def name(self) -> str:
        return self._prompt.name

    @property
    def version(self) -> str:
        return f"{self._inquiry.version}, {self.criterion}"

    @property
    def _prompt(self) -> Prompt:
        return REASONED_PROMPT if self.is_reasoned else PROMPT

    def reading(self, language: str) -> str:
        return ""

    def score(self, pairs: Sequence[Pair]) -> list[Score]:
        """Judge n pairs with their rivals. Output: n verdicts in [-1, 1] on the candidates.

        Missing where no answer was usable, or where a pair has no rival. The texts of the pairs
        are sent to the endpoint. Raises MetricError where no pair would be answered.
        """
        whole = [pair for pair in pairs if pair.rival is not None]
        found = iter(self._inquiry.numbers(whole))
        return [
            Missing(NO_RIVAL) if pair.rival is None else self._verdict(next(found))
            for pair in pairs
        ]

    def _verdict(self, numbers: Numbers | Missing) -> Score:
        if isinstance(numbers, Missing):
            return numbers
        verdicts = {key: _VERDICTS[number] for key, number in numbers.items()}
        if self.criterion != OVERALL:
            return float(verdicts[self.criterion])
        return sum(WEIGHTS[key] * verdicts[key] for key in CRITERIA) / TOTAL_WEIGHT
