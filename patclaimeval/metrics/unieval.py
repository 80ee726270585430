"""UniEval: a text model asked whether the candidate is relevant to the reference."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Final

from patclaimeval.metrics.base import Missing, Pair, Score
from patclaimeval.metrics.neural import NeuralMetric, run_batches

if TYPE_CHECKING:
    from tokenizers import Encoding
    from torch import Tensor

# The weights were trained on exactly these words: Zhong et al., 2022, and their code.
CANDIDATE_PART: Final = "question: Is this summary relevant to the reference? </s> summary: "
REFERENCE_PART: Final = " </s> reference: "
NOTHING_READ: Final = (
    "The candidate alone fills the tokens that UniEval reads, so that it would be scored without "
    "any of the reference."
)


class UniEval(NeuralMetric):
    """UniEval's relevance of one candidate to one reference.

    Formula: p(Yes) / (p(Yes) + p(No)) of the first token that the model writes after the
    authors' question. What lies behind 1,024 tokens of question, candidate and reference together
    is not read, as in the authors' code; a pair of which the whole reference lies there is
    Missing. Source: Zhong et al., EMNLP 2022.
    """

    name = "unieval"
    low = 0.0
    high = 1.0
    usual_tokens: ClassVar[int] = 1024

    @property
    def recipe(self) -> str:
        return (
            f"1, summarization relevance, question, candidate and reference together cut after "
            f"{self.longest} tokens"
        )

    def measure(self, pairs: Sequence[Pair]) -> list[Score]:
        """Score n pairs. Output: n shares in [0, 1], or Missing where no reference is read."""
        scores: list[Score] = [Missing(NOTHING_READ)] * len(pairs)
        asked = [index for index, pair in enumerate(pairs) if self._reads_reference(pair)]
        rows = [self._question(pairs[index]).ids for index in asked]
        shares = run_batches(
            [len(row) for row in rows],
            lambda group: self._shares([rows[place] for place in group]).tolist(),
        )
        for index, share in zip(asked, shares, strict=True):
            scores[index] = share
        return scores

    def _question(self, pair: Pair) -> Encoding:
        return self.encode(f"{CANDIDATE_PART}{pair.candidate}{REFERENCE_PART}{pair.reference}")

    def _reads_reference(self, pair: Pair) -> bool:
        before = self.encode(f"{CANDIDATE_PART}{pair.candidate}{REFERENCE_PART}")
        return not before.overflowing and len(before.ids) < self.longest

    def _shares(self, rows: list[list[int]]) -> Tensor:
        import torch

        batch = self.weights.padded(rows)
        start = self._model.config.decoder_start_token_id
        first = torch.full((len(rows), 1), start, device=batch["input_ids"].device)
        logits = self._model(**batch, decoder_input_ids=first, use_cache=False).logits[:, 0]
        yes, no = self._answers
        # Two softmax shares divided by their sum.
        return torch.sigmoid(logits[:, yes].double() - logits[:, no].double())

    @cached_property
    def _answers(self) -> tuple[int, int]:
        yes, no = (self.encode(word).ids[0] for word in ("Yes", "No"))
        if yes == no:
            raise self.weights.unusable("its tokenizer knows neither Yes nor No")
        return yes, no

    @cached_property
    def _model(self) -> Any:
        return self.weights.model("AutoModelForSeq2SeqLM")
