"""BERTScore: greedy matching of contextual token states by cosine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from patclaimeval.metrics.base import Pair
from patclaimeval.metrics.neural import (
    LAYER_NAMES,
    NeuralMetric,
    by_reference,
    run_batches,
    texts_of,
    whole_setting,
)

if TYPE_CHECKING:
    from tokenizers import Encoding
    from torch import Tensor

# The authors chose a layer for each encoder by agreement with people on WMT16; known here by
# kind and number of layers. Another encoder of the same shape needs its own in metric.json.
LAYERS: Final[Mapping[tuple[str, int], int]] = {
    ("bert", 12): 9,
    ("bert", 24): 18,
    ("roberta", 12): 10,
    ("roberta", 24): 17,
    ("distilbert", 6): 5,
    ("longformer", 12): 7,
    ("longformer", 24): 14,
}


class BertScore(NeuralMetric):
    """BERTScore F1 of one candidate against one reference, without idf and without rescaling.

    Formula: F = 2PR / (P + R); P is the mean over the candidate's tokens of the highest cosine
    with any token of the reference, R the same with the roles exchanged. Special tokens can be
    matched and do not enter the means, as in the authors' code. States of one layer, chosen by
    the authors for each encoder. 0 where a text has no token.
    Source: Zhang et al., ICLR 2020.
    """

    name = "bertscore"
    low = -1.0
    high = 1.0
    settings: ClassVar[tuple[str, ...]] = ("layer", "max_tokens")

    def __init__(self, directory: Path) -> None:
        """Take a checked directory. Raises MetricUnavailable when no layer is known for it."""
        super().__init__(directory)
        config = self.weights.config
        layers = max(size for name in LAYER_NAMES if type(size := config.get(name, 1)) is int)
        default = LAYERS.get((config.get("model_type", ""), layers))
        self.layer = whole_setting(self.name, self.chosen, "layer", default, layers)

    @property
    def recipe(self) -> str:
        return (
            f"1, F1, layer {self.layer}, no idf, no rescaling, "
            f"texts cut after {self.longest} tokens"
        )

    def measure(self, pairs: Sequence[Pair]) -> list[float]:
        """Score n pairs. Output: n numbers in [-1, 1], in practice above 0."""
        scores = [0.0] * len(pairs)
        for group in by_reference(pairs):
            found = [pairs[index] for index in group]
            states = self._states(texts_of(found))
            for index, pair in zip(group, found, strict=True):
                scores[index] = f1(*states[pair.reference], *states[pair.candidate])
        return scores

    def encode(self, text: str) -> Encoding:
        """Return the tokens of one text, stripped.

        A space goes before the first word where a space is part of a token, as the authors do.
        """
        return self.tokenizer.encode(f"{self._lead}{text.strip()}" if text.strip() else "")

    def _states(self, texts: Sequence[str]) -> dict[str, tuple[Tensor, Tensor]]:
        """Return for each text its states, of length 1 each, and which are its own tokens'."""
        import torch

        encodings = [self.encode(text) for text in texts]

        def run(group: list[int]) -> Iterator[tuple[Tensor, Tensor]]:
            batch = self.weights.padded([encodings[index].ids for index in group])
            states = self._model(**batch, output_hidden_states=True).hidden_states[self.layer]
            states = torch.nn.functional.normalize(states, dim=-1)
            for row, index in enumerate(group):
                special = torch.tensor(encodings[index].special_tokens_mask, device=states.device)
                yield states[row, : len(special)], special == 0

        lengths = [len(encoding.ids) for encoding in encodings]
        return dict(zip(texts, run_batches(lengths, run), strict=True))

    @cached_property
    def _lead(self) -> str:
        return " " if "ByteLevel" in repr(self.tokenizer.pre_tokenizer) else ""

    @cached_property
    def _model(self) -> Any:
        model = self.weights.model("AutoModel", spare=("pooler.",))
        return model.get_encoder() if model.config.is_encoder_decoder else model


def f1(reference: Tensor, in_reference: Tensor, candidate: Tensor, in_candidate: Tensor) -> float:
    """Harmonic mean of the two greedy matchings.

    Input: states of two texts, shapes [r, width] and [c, width], each of length 1; which of them
    belong to words, shapes [r] and [c]. Output: a number in [-1, 1]; 0 where a text has no word.
    """
    if not (in_reference.any() and in_candidate.any()):
        return 0.0
    cosines = candidate @ reference.T
    precision = float(cosines.max(1).values[in_candidate].mean())
    recall = float(cosines.max(0).values[in_reference].mean())
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
