"""SimCSE: cosine of two sentence vectors."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Final

from patclaimeval.metrics.base import Pair
from patclaimeval.metrics.neural import NeuralMetric, run_batches, texts_of, wrong_setting

POOLERS: Final = ("cls", "cls_before_pooler")


class SimCse(NeuralMetric):
    """Cosine of the vectors of candidate and reference.

    Formula: cos(h(candidate), h(reference)); h is the first token's last state, through the
    encoder's own pooling layer ('cls', for supervised weights) or before it ('cls_before_pooler',
    for unsupervised ones). The authors' tool reads 128 tokens of a text; metric.json may set more.
    Source: Gao, Yao and Chen, EMNLP 2021.
    """

    name = "simcse"
    low = -1.0
    high = 1.0
    settings: ClassVar[tuple[str, ...]] = ("max_tokens", "pooler")
    usual_tokens: ClassVar[int] = 128

    def __init__(self, directory: Path) -> None:
        """Take a checked directory. Raises MetricUnavailable for a pooler that there is not."""
        super().__init__(directory)
        self.pooler = self.chosen.get("pooler", "cls")
        if self.pooler not in POOLERS:
            raise wrong_setting(self.name, f"pooler must be {' or '.join(POOLERS)}", self.settings)

    @property
    def recipe(self) -> str:
        return f"1, cosine, pooler {self.pooler}, texts cut after {self.longest} tokens"

    def measure(self, pairs: Sequence[Pair]) -> list[float]:
        """Score n pairs. Output: n cosines in [-1, 1]."""
        vectors = self._vectors(texts_of(pairs))
        # Rounding can pass 1 by a few units in the last place.
        return [
            max(-1.0, min(1.0, float(vectors[pair.reference] @ vectors[pair.candidate])))
            for pair in pairs
        ]

    def _vectors(self, texts: Sequence[str]) -> dict[str, Any]:
        """Return for each text its vector of length 1."""
        import torch

        rows = [self.encode(text).ids for text in texts]

        def run(group: list[int]) -> Any:
            output = self._model(**self.weights.padded([rows[index] for index in group]))
            is_pooled = self.pooler == "cls"
            vectors = output.pooler_output if is_pooled else output.last_hidden_state[:, 0]
            return torch.nn.functional.normalize(vectors.double(), dim=-1).cpu()

        return dict(zip(texts, run_batches([len(row) for row in rows], run), strict=True))

    @cached_property
    def _model(self) -> Any:
        return self.weights.model("AutoModel", () if self.pooler == "cls" else ("pooler.",))
