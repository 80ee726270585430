"""BARTScore: how likely a text model finds one text, having read the other."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from patclaimeval.metrics.base import Pair
from patclaimeval.metrics.neural import NeuralMetric, run_batches, wrong_setting

if TYPE_CHECKING:
    from torch import Tensor

DIRECTIONS: Final = ("reference-to-candidate", "candidate-to-reference", "both")
# Each written token brings a probability of every word of the vocabulary: 0.2 MB for BART.
WRITTEN_AT_ONCE: Final = 1024


class BartScore(NeuralMetric):
    """Mean log-probability of the candidate's tokens, having read the reference.

    Formula: 1/m sum over t = 1..m of ln p(y_t | y_<t, x); x is the text that is read, y the one
    that is written, its special tokens included, as in the authors' code. Direction:
    'reference-to-candidate' (the authors' precision, the default), 'candidate-to-reference'
    (their recall), or 'both', the mean of the two (their F).
    Source: Yuan, Neubig and Liu, NeurIPS 2021.
    """

    name = "bartscore"
    low = None
    high = 0.0
    settings: ClassVar[tuple[str, ...]] = ("direction", "max_tokens")
    usual_tokens: ClassVar[int] = 1024

    def __init__(self, directory: Path) -> None:
        """Take a checked directory. Raises MetricUnavailable for a direction that there is not."""
        super().__init__(directory)
        self.direction = self.chosen.get("direction", DIRECTIONS[0])
        if self.direction not in DIRECTIONS:
            reason = f"direction must be one of {', '.join(DIRECTIONS)}"
            raise wrong_setting(self.name, reason, self.settings)

    @property
    def recipe(self) -> str:
        return f"1, mean ln p, {self.direction}, texts cut after {self.longest} tokens"

    def measure(self, pairs: Sequence[Pair]) -> list[float]:
        """Score n pairs. Output: n numbers <= 0, natural logarithms."""
        forth = [(pair.reference, pair.candidate) for pair in pairs]
        back = [(pair.candidate, pair.reference) for pair in pairs]
        if self.direction == "both":
            found = self._log_shares([*forth, *back])
            return [
                (p + r) / 2 for p, r in zip(found[: len(pairs)], found[len(pairs) :], strict=True)
            ]
        return self._log_shares(forth if self.direction == DIRECTIONS[0] else back)

    def _log_shares(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Return for each (text read, text written) the mean log-probability of what is written."""
        rows = [tuple(self.encode(text).ids for text in pair) for pair in pairs]
        lengths = [max(len(read), len(written)) for read, written in rows]

        def run(group: list[int]) -> list[float]:
            read, written = zip(*(rows[index] for index in group), strict=True)
            return [min(0.0, mean) for mean in self._means(read, written).tolist()]

        return run_batches(lengths, run, WRITTEN_AT_ONCE)

    def _means(self, read: Sequence[list[int]], written: Sequence[list[int]]) -> Tensor:
        import torch

        start = self._model.config.decoder_start_token_id
        labels = self.weights.padded(written)
        decoder = self.weights.padded([[start, *row[:-1]] for row in written])
        logits = self._model(
            **self.weights.padded(read), decoder_input_ids=decoder["input_ids"], use_cache=False
        ).logits
        losses = torch.nn.functional.cross_entropy(
            logits.transpose(1, 2), labels["input_ids"], reduction="none"
        )
        mask = labels["attention_mask"]
        return -(losses * mask).sum(1) / mask.sum(1)

    @cached_property
    def _model(self) -> Any:
        return self.weights.model("AutoModelForSeq2SeqLM")
