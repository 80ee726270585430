"""MoverScore: the least work that turns the candidate's token states into the reference's."""

from __future__ import annotations

import string
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from math import log
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from patclaimeval.metrics.base import Missing, Pair, Score, library_version
from patclaimeval.metrics.neural import NeuralMetric, by_reference, run_batches, texts_of
from patclaimeval.text_io.strict_json import StrictJsonError, loads

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

    Matrix = NDArray[float64]

LAYERS_READ: Final = 5
COUNTS: Final = "idf.json"
PUNCTUATION: Final = frozenset(string.punctuation)
WEIGHTLESS: Final = "A text holds no token that has a weight, so that nothing can be moved."
UNSOLVED: Final = "The transport problem of this pair was not solved."


class MoverScore(NeuralMetric):
    """1 minus the earth mover's distance between the tokens of candidate and reference.

    Formula: 1 - min over flows F of sum F_ij |r_i - c_j|^2, F >= 0, whose row and column sums are
    the tokens' weights. A token's vector is the least, the mean and the greatest of its last five
    layers' states (power means -inf, 1, inf), each state of length 1, joined and brought to
    length 1. Punctuation and the later pieces of a word (##) carry no weight. The others weigh
    ln((n + 1) / (d + 1)) by idf.json of the directory, each text's weights summing to 1; without
    that file all weigh the same, the authors' own alternative: weights counted over whatever is
    scored together would make a score depend on its company. Solved exactly, as a linear program.
    Source: Zhao et al., EMNLP 2019, and the authors' moverscore.py with n-grams of 1.
    """

    name = "moverscore"
    low = -1.0
    high = 1.0

    def __init__(self, directory: Path) -> None:
        """Take a checked directory. Raises MetricUnavailable when its idf.json makes no sense."""
        super().__init__(directory)
        self.idf = self._read_counts(directory / COUNTS)

    @property
    def recipe(self) -> str:
        weights = "equal weights" if self.idf is None else "idf weights"
        return (
            f"1, 1-grams, last {LAYERS_READ} layers, {weights}, {library_version('scipy')} HiGHS, "
            f"texts cut after {self.longest} tokens"
        )

    def measure(self, pairs: Sequence[Pair]) -> list[Score]:
        """Score n pairs. Output: n numbers in [-1, 1], or Missing where no token has a weight."""
        scores: list[Score] = [Missing(WEIGHTLESS)] * len(pairs)
        for group in by_reference(pairs):
            found = [pairs[index] for index in group]
            clouds = self._clouds(texts_of(found))
            for index, pair in zip(group, found, strict=True):
                scores[index] = _similarity(clouds[pair.reference], clouds[pair.candidate])
        return scores

    def _clouds(self, texts: Sequence[str]) -> dict[str, tuple[Matrix, Matrix]]:
        """Return for each text the vectors of its tokens with a weight, and the weights."""
        import torch

        encodings = [self.encode(text) for text in texts]

        def run(group: list[int]) -> Iterator[tuple[Matrix, Matrix]]:
            batch = self.weights.padded([encodings[index].ids for index in group])
            layers = self._model(**batch, output_hidden_states=True).hidden_states
            states = torch.stack(layers[-LAYERS_READ:])
            states = torch.nn.functional.normalize(states, dim=-1)
            means = [states.amin(0), states.mean(0), states.amax(0)]
            vectors = torch.nn.functional.normalize(torch.cat(means, -1), dim=-1)
            for row, index in enumerate(group):
                weights = self._token_weights(encodings[index])
                own = weights > 0
                cloud = vectors[row, : len(weights)].double().cpu().numpy()
                yield cloud[own], weights[own]

        lengths = [len(encoding.ids) for encoding in encodings]
        return dict(zip(texts, run_batches(lengths, run), strict=True))

    def _token_weights(self, encoding: Any) -> Matrix:
        import numpy as np

        def weight(token: str, number: int) -> float:
            if token in PUNCTUATION or "##" in token:
                return 0.0
            documents, counts = self.idf or (0, {})
            return log((documents + 1) / (counts.get(number, 0) + 1)) if self.idf else 1.0

        # The authors keep the first and the last, special token.
        return np.array(list(map(weight, encoding.tokens, encoding.ids)))

    def _read_counts(self, path: Path) -> tuple[int, Mapping[int, int]] | None:
        """Return in how many of n texts each token stands, as `count_documents` found it."""
        if not path.exists():
            return None
        try:
            value = loads(path.read_bytes())
            documents, counts = value["documents"], value["counts"]
            numbers = {int(token): count for token, count in counts.items()}
        except (StrictJsonError, KeyError, TypeError, AttributeError, ValueError) as error:
            raise self.weights.unusable(f"{COUNTS} does not hold documents and counts") from error
        sizes = [documents, *numbers.values()]
        whole = all(type(size) is int for size in sizes)
        if not (whole and min(sizes) >= 0 and max(sizes) == documents):
            raise self.weights.unusable(f"{COUNTS} counts a token in more texts than there are")
        return documents, numbers

    def count_documents(self, texts: Sequence[str]) -> dict[str, Any]:
        """Count for idf.json in how many of n texts each token stands, by the token's number."""
        counts: dict[str, int] = {}
        for text in texts:
            for number in sorted(set(self.encode(text).ids)):
                counts[str(number)] = counts.get(str(number), 0) + 1
        return {"documents": len(texts), "counts": counts}

    @cached_property
    def _model(self) -> Any:
        return self.weights.model("AutoModel", spare=("pooler.",))


def _similarity(reference: tuple[Matrix, Matrix], candidate: tuple[Matrix, Matrix]) -> Score:
    (here, supply), (there, demand) = reference, candidate
    if not (len(supply) and len(demand)):
        return Missing(WEIGHTLESS)
    # Vectors of length 1: |a - b|^2 = 2 - 2 a.b; rounding can fall below 0.
    costs = (2 - 2 * here @ there.T).clip(0)
    work = least_work(costs, supply / supply.sum(), demand / demand.sum())
    return Missing(UNSOLVED) if work is None else 1 - work


def least_work(costs: Matrix, supply: Matrix, demand: Matrix) -> float | None:
    """Return the least cost of moving all of `supply` to where `demand` is, or None if not found.

    Input: costs >= 0, shape [r, c]; supply, shape [r], and demand, shape [c], each > 0 with the
    same sum. Output: min over F >= 0 of sum F_ij costs_ij with row sums supply and column sums
    demand (the transport problem), to the solver's 1e-7.
    """
    import numpy as np
    from scipy.optimize import linprog
    from scipy.sparse import identity, kron, vstack

    rows, columns = costs.shape
    leave = kron(identity(rows), np.ones((1, columns)))
    arrive = kron(np.ones((1, rows)), identity(columns))
    solved = linprog(
        costs.ravel(),
        A_eq=vstack([leave, arrive], format="csr"),
        b_eq=np.concatenate([supply, demand]),
        method="highs-ds",
    )
    return float(solved.fun) if solved.status == 0 else None
