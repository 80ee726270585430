"""What the metrics over a model directory share: settings, tokenizer, limit, version."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from scoring.metrics.base import DIRECTORY, Needs, Pair
from scoring.metrics.networks import Weights
from scoring.metrics.weights import read_settings, whole_setting

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer


class NeuralMetric:
    """A metric whose weights lie in a model directory and load when it first scores.

    settings: what metric.json may set. usual_tokens: how many tokens of a text (special ones
    included) the authors' code reads; metric.json's max_tokens may say otherwise.
    """

    name: str
    low: float | None
    high: float | None
    needs: Needs = DIRECTORY
    settings: ClassVar[tuple[str, ...]] = ("max_tokens",)
    usual_tokens: ClassVar[int] = 512

    def __init__(self, directory: Path) -> None:
        """Take a checked directory. Raises MetricUnavailable when metric.json makes no sense."""
        self.directory = directory
        self.weights = Weights(self.name, directory)
        self.chosen: Mapping[str, Any] = read_settings(self.name, directory, self.settings)
        most = self.weights.limit(self.usual_tokens)
        usual = min(self.usual_tokens, most)
        self.longest = whole_setting(self.name, self.chosen, "max_tokens", usual, most)

    @property
    def version(self) -> str:
        """The recipe with every choice that moves a number, libraries, digest of the directory."""
        return f"{self.recipe}, {self.weights.version}"

    @property
    def recipe(self) -> str:
        """Say in a few words how this metric computes."""
        raise NotImplementedError

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """The directory's tokenizer, cutting at the limit."""
        return self.weights.tokenizer(self.longest)

    def encode(self, text: str) -> Encoding:
        """Return the tokens of one text as the metric reads it."""
        return self.tokenizer.encode(text)

    def cut(self, pairs: Sequence[Pair]) -> list[bool]:
        """Say for each of n pairs whether a part of its texts is not read, as it is too long.

        Loads the tokenizer only.
        """
        read = {text: bool(self.encode(text).overflowing) for text in texts_of(pairs)}
        return [read[pair.reference] or read[pair.candidate] for pair in pairs]


def by_reference(pairs: Sequence[Pair]) -> Iterator[list[int]]:
    """Group the indexes of pairs with the same reference, so that its states are made once."""
    order = sorted(range(len(pairs)), key=lambda index: pairs[index].reference)
    for _, group in groupby(order, key=lambda index: pairs[index].reference):
        yield list(group)


def texts_of(pairs: Sequence[Pair]) -> list[str]:
    """Return the distinct references and candidates of pairs, in order of first appearance."""
    return list(dict.fromkeys(t for pair in pairs for t in (pair.reference, pair.candidate)))
