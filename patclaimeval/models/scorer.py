"""Scores pairs with a trained model read from its directory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np

from patclaimeval.claims.languages import pair_language
from patclaimeval.metrics.languages import TWO_LANGUAGES
from patclaimeval.models.checkpoint import Checkpoint, read_checkpoint
from patclaimeval.models.data import Pair
from patclaimeval.models.errors import CheckpointInvalid, PatClaimEvalError, needs_extra
from patclaimeval.models.features import FEATURES, Matrix, feature_vector
from patclaimeval.models.ridge import GAIN, Linear

NONSENSE: Final = (AttributeError, LookupError, OverflowError, TypeError, ValueError)
"""What comes of a configuration that is whole and yet says what no model can be made of."""
ANY_LENGTH: Final = 2**62
"""The limit of a model that reads a text of any length."""


class Scorer(Protocol):
    """A model; ``config`` is what it was saved with, ``tie_threshold`` its own."""

    config: dict[str, Any]
    tie_threshold: float

    @property
    def limit(self) -> int:
        """The longest pair in tokens, special ones included."""

    def token_counts(self, pairs: Sequence[Pair]) -> list[int]:
        """Return the length of each pair in tokens, special ones included."""

    def unread(self, pairs: Sequence[Pair]) -> list[str]:
        """Return of each pair why the model cannot read its language; "" where it can."""

    def score(self, pairs: Sequence[Pair]) -> list[float]:
        """Return s(Q|P) in (0, 1) for each (reference P, candidate Q), in the given order."""


class LinearScorer:
    """A probe: a linear model over named features. It cuts nothing and has no longest pair."""

    limit = ANY_LENGTH

    def __init__(self, model: Linear, config: dict[str, Any]) -> None:
        """Score with ``model``; ``config`` holds at least its ``tie_threshold``."""
        self.model = model
        self.config = config
        self.tie_threshold = float(config["tie_threshold"])

    def token_counts(self, pairs: Sequence[Pair]) -> list[int]:
        """Return the words of each pair, about: they say which pairs go together, and no more."""
        return [sum(len(text.split()) for text in pair) for pair in pairs]

    def unread(self, pairs: Sequence[Pair]) -> list[str]:
        """Return a reason for pairs in two scripts; words and characters of all are counted."""
        return [TWO_LANGUAGES if pair_language(*pair) is None else "" for pair in pairs]

    def score(self, pairs: Sequence[Pair]) -> list[float]:
        """Return s(Q|P) in (0, 1) for each (reference P, candidate Q), in the given order."""
        if not pairs:
            return []
        return self.model.scores(self._features(pairs)).tolist()

    def parts(self, pairs: Sequence[Pair]) -> list[dict[str, list[float]]]:
        """Return what ``explanation`` makes sentences of: by feature its value, mean and part.

        The parts of a pair sum to the logit of its score. A feature without weight is left out.
        """
        if not pairs:
            return []
        features = self._features(pairs)
        added = GAIN * self.model.contributions(features)
        counting = [(at, FEATURES[at]) for at in np.flatnonzero(self.model.weight).tolist()]
        return [
            {
                name: [float(row[at]), float(self.model.centre[at]), float(part[at])]
                for at, name in counting
            }
            for row, part in zip(features, added, strict=True)
        ]

    def _features(self, pairs: Sequence[Pair]) -> Matrix:
        return np.stack([feature_vector(*pair) for pair in pairs])


def load_scorer(directory: Path, manifest_sha256: str | None = None) -> Scorer:
    """Read a model directory, check it, and return its scorer.

    ``manifest_sha256`` is as for ``read_checkpoint``. Raises ``CheckpointInvalid`` if the
    directory was changed, ``MissingExtra`` for a fine-tuned model where torch is not installed.
    """
    checkpoint = read_checkpoint(directory, manifest_sha256)
    try:
        return _scorer(checkpoint)
    except PatClaimEvalError:
        raise
    except NONSENSE as error:
        # The manifest vouches for the bytes, not for what they say; the kind is enough to tell.
        raise CheckpointInvalid(
            f"No model can be made of what the directory says ({type(error).__name__})."
        ) from error


def _scorer(checkpoint: Checkpoint) -> Scorer:
    if checkpoint.config["kind"] == "probe":
        if tuple(checkpoint.config["features"]) != FEATURES:
            raise CheckpointInvalid("The model was trained on other features than these.")
        return LinearScorer(Linear(**checkpoint.tensors), checkpoint.config)
    with needs_extra("neural"):
        from patclaimeval.models.encoder_scorer import EncoderScorer
    return EncoderScorer(checkpoint)
