"""AlignScore: how far the reference supports each sentence of the candidate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, TextIO

from patclaimeval.metrics.base import Missing, Pair, Score, library_version
from patclaimeval.metrics.neural import CONFIG, WEIGHTS, NeuralMetric, run_batches

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

WORDS_A_CHUNK: Final = 350
PUNKT: Final = "punkt_tab"
ENCODER: Final = "base_model."
HEAD: Final = "tri_layer."
NO_SENTENCE: Final = "The candidate holds no sentence, and AlignScore is a mean over sentences."


class AlignScore(NeuralMetric):
    """AlignScore of one candidate (the claim) against one reference (the context), mode nli_sp.

    Formula: mean over the candidate's sentences of the highest p(aligned) with any chunk of the
    reference; p is the first of three classes. The reference's sentences are dealt out evenly to
    words // 350 + 1 chunks (one more where they do not divide), so the whole of both texts is
    read, unless a chunk with a sentence passes 512 tokens: then the chunk's end is cut, and the
    sentence's where it alone is too long. Source: Zha et al., ACL 2023, and the authors' code.
    """

    name = "alignscore"
    low = 0.0
    high = 1.0
    usual_tokens: ClassVar[int] = 512
    # Its sentences are cut by rules for full stops, its chunks counted in words between blanks.
    never_read = frozenset({"zh", "ja"})

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        self.is_trained = (directory / PUNKT).is_dir()

    @property
    def recipe(self) -> str:
        punkt = f"punkt {'trained' if self.is_trained else 'untrained'}"
        return (
            f"1, nli_sp, {library_version('nltk')} {punkt}, "
            f"chunks of {WORDS_A_CHUNK} words, chunk and sentence cut after {self.longest} tokens"
        )

    def measure(self, pairs: Sequence[Pair]) -> list[Score]:
        """Score n pairs. Output: n shares in [0, 1], or Missing for an empty candidate."""
        import torch

        grids = [self._grid(pair) for pair in pairs]
        distinct = list(dict.fromkeys(cell for grid in grids for row in grid for cell in row))
        aligned = dict(zip(distinct, self._aligned(distinct), strict=True))
        return [
            float(torch.tensor([max(aligned[cell] for cell in row) for row in grid]).mean())
            if grid
            else Missing(NO_SENTENCE)
            for grid in grids
        ]

    def _length(self, text: str) -> int:
        return len(self._whole.encode(text, add_special_tokens=False).ids)

    def _grid(self, pair: Pair) -> list[list[tuple[str, str]]]:
        """Return for each sentence of the candidate its pairs with the reference's chunks."""
        sentences = self._sentences.tokenize(pair.reference) or [""]
        chunks = len(pair.reference.split()) // WORDS_A_CHUNK + 1
        size = max(len(sentences) // chunks, 1)
        contexts = [
            " ".join(sentences[start : start + size]) for start in range(0, len(sentences), size)
        ]
        claims = self._sentences.tokenize(pair.candidate)
        return [[(context, claim) for context in contexts] for claim in claims]

    def encode_pair(self, context: str, claim: str) -> Encoding:
        """Return the tokens of chunk and sentence, the chunk cut first."""
        special = self.tokenizer.num_special_tokens_to_add(is_pair=True)
        fits = self._length(claim) < self.longest - special
        return (self._first_cut if fits else self.tokenizer).encode(context, claim)

    def _aligned(self, cells: Sequence[tuple[str, str]]) -> list[float]:
        """Return p(aligned) of each chunk with a sentence."""
        import torch

        rows = [self.encode_pair(*cell).ids for cell in cells]
        encoder, head = self._network

        def run(group: list[int]) -> list[float]:
            pooled = encoder(**self.weights.padded([rows[i] for i in group])).pooler_output
            shares: list[float] = torch.softmax(head(pooled).double(), dim=-1)[:, 0].tolist()
            return shares

        return run_batches([len(row) for row in rows], run)

    @cached_property
    def _sentences(self) -> Any:
        from nltk.tokenize.punkt import PunktSentenceTokenizer, load_punkt_params

        sentences = PunktSentenceTokenizer()
        if self.is_trained:
            # Plain tables, not the pickle that nltk used to load.
            try:
                sentences._params = load_punkt_params(_Place(self.directory / PUNKT))
            except (OSError, LookupError, ValueError) as error:
                raise self.weights.unusable(f"{PUNKT} is not whole") from error
        return sentences

    @cached_property
    def _whole(self) -> Tokenizer:
        return self.weights.tokenizer(None)

    @cached_property
    def _first_cut(self) -> Tokenizer:
        return self.weights.tokenizer(self.longest, "only_first")

    @cached_property
    def _network(self) -> tuple[Any, Any]:
        """Return the encoder with its pooling layer, and the head of three classes."""
        import torch
        from transformers import AutoConfig, AutoModel

        tensors = self.weights.tensors()
        try:
            config = AutoConfig.from_pretrained(self.directory, local_files_only=True)
            encoder = AutoModel.from_config(config, dtype=torch.float32)
            head = torch.nn.Linear(config.hidden_size, 3)
            head.load_state_dict(_under(HEAD, tensors))
            found = encoder.load_state_dict(_under(ENCODER, tensors), strict=False)
        except (OSError, ValueError, KeyError, RuntimeError) as error:
            raise self.weights.unusable(f"{CONFIG} and {WEIGHTS} do not make a model") from error
        if found.missing_keys:
            number = len(found.missing_keys)
            raise self.weights.unusable(f"{WEIGHTS} lacks {number} tensors under {ENCODER}")
        return self.weights.ready(encoder), self.weights.ready(head)


@dataclass(frozen=True)
class _Place:
    """Stands where nltk wants a pointer into its own data folder, and points into ours."""

    path: Path

    def join(self, name: str) -> _Place:
        return _Place(self.path / name)

    def open(self, encoding: str) -> TextIO:
        return self.path.open(encoding=encoding)


def _under(prefix: str, tensors: dict[str, Any]) -> dict[str, Any]:
    return {
        name.removeprefix(prefix): tensor
        for name, tensor in tensors.items()
        if name.startswith(prefix)
    }
