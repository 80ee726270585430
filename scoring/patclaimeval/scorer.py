"""Scores pairs with a trained model read from its directory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import torch

from core.text_io.strict_json import loads
from scoring.patclaimeval.checkpoint import Checkpoint, read_checkpoint, refuse_other_features
from scoring.patclaimeval.data import Pair
from scoring.patclaimeval.encoder import Encoder, rebuild_encoder, refusal, too_long
from scoring.patclaimeval.errors import CheckpointInvalid, EncoderUnavailable, PatClaimEvalError
from scoring.patclaimeval.features import FeatureCache, PairFeatures, surface_matrix
from scoring.patclaimeval.network import LinearHead, PairScorer
from scoring.patclaimeval.shared_encoders import shared_encoder

NONSENSE: Final = (AttributeError, LookupError, OverflowError, TypeError, ValueError)
"""What comes of a configuration that is whole and yet says what no model can be made of."""


class Scorer:
    """A trained model; ``config`` is what it was saved with, ``tie_threshold`` its own."""

    def __init__(
        self, checkpoint: Checkpoint, cache: FeatureCache, encoder: str | None = None
    ) -> None:
        """Build the networks of ``checkpoint``; use :func:`load_scorer` rather than this."""
        self.config: dict[str, Any] = checkpoint.config
        self.tie_threshold = float(self.config["tie_threshold"])
        head = LinearHead(len(checkpoint.tensors["head.weight"]))
        head.clip = float(self.config["clip"])
        _load(head, checkpoint, "head.")
        self._head = head.eval()
        self._encoder = _encoder(checkpoint, encoder)
        self._features: PairFeatures | None = None
        self._network: PairScorer | None = None
        if self.config["kind"] == "probe":
            self._features = PairFeatures(self._encoder, cache)
            if list(self._features.names) != self.config["features"]:
                raise CheckpointInvalid("The model was trained on other features than these.")
        else:
            device = "cuda" if torch.cuda.is_available() else "cpu"
            # As it was trained: its scores, and the threshold for ties, hold for that precision.
            self._encoder.use_precision(self.config["settings"].get("precision", "fp32"), device)
            pooling = self.config["settings"]["pooling"]
            self._network = PairScorer(self._encoder, head, pooling).eval().to(device)

    @property
    def limit(self) -> int:
        """The longest pair in tokens, special ones included."""
        return self._encoder.limit

    def token_counts(self, pairs: Sequence[Pair]) -> list[int]:
        """Return the length of each pair in tokens, special ones included."""
        return [self._encoder.token_count(*pair) for pair in pairs]

    def score(self, pairs: Sequence[Pair]) -> list[float]:
        """Return s(Q|P) in (0, 1) for each (reference P, candidate Q), in the given order.

        On a CPU each pair is encoded by itself, so its score does not depend on the others. On a
        GPU pairs share passes, which may change a score by rounding.
        Raises ``PatClaimEvalError`` if a pair is longer than the encoder's limit.
        """
        self._check_lengths(pairs)
        distinct = list(dict.fromkeys(pairs))
        with torch.inference_mode():
            found = self._scores(distinct) if distinct else []
        scored = dict(zip(distinct, found, strict=True))
        return [scored[pair] for pair in pairs]

    def _scores(self, pairs: Sequence[Pair]) -> list[float]:
        # One by one, even in the head: a product of several rows rounds differently than of one.
        if self._features is not None:
            rows = torch.from_numpy(self._features.compute(pairs))
            return [float(self._head(row[None])[0]) for row in rows]
        assert self._network is not None
        together = self._network.head.weight.is_cuda
        parts = [pairs] if together else [[pair] for pair in pairs]
        found = torch.cat([self._network(part, self._extra(part)) for part in parts])
        return [float(score) for score in found.cpu()]

    def _extra(self, pairs: Sequence[Pair]) -> torch.Tensor:
        if self.config["kind"] == "finetune":
            return torch.zeros((len(pairs), 0))
        return torch.from_numpy(surface_matrix(pairs))

    def _check_lengths(self, pairs: Sequence[Pair]) -> None:
        long = too_long(self._encoder, pairs)
        if long:
            named = [f"number {place + 1} with {tokens} tokens" for place, tokens in long]
            raise PatClaimEvalError(refusal(named, self._encoder.limit))


def load_scorer(
    directory: Path,
    cache_directory: Path | None = None,
    encoder: str | None = None,
    manifest_sha256: str | None = None,
) -> Scorer:
    """Read a model directory, check it, and return its scorer.

    ``encoder`` says where a probe's encoder lies, if not where it lay in training;
    ``manifest_sha256`` is as for ``read_checkpoint``. Feature vectors are kept in
    ``cache_directory``. Raises ``CheckpointInvalid`` if the directory was changed,
    ``EncoderUnavailable`` if the encoder it was trained on is missing or another one.
    """
    checkpoint = read_checkpoint(directory, manifest_sha256)
    refuse_other_features(checkpoint.config)
    try:
        return Scorer(checkpoint, FeatureCache(cache_directory), encoder)
    except PatClaimEvalError:
        raise
    except NONSENSE as error:
        # The manifest vouches for the bytes, not for what they say; the kind is enough to tell.
        raise CheckpointInvalid(
            f"No model can be made of what the directory says ({type(error).__name__})."
        ) from error


def _encoder(checkpoint: Checkpoint, place: str | None) -> Encoder:
    config = checkpoint.config
    name, settings = place or str(config["encoder"]["name"]), config["settings"]
    limits = int(config["encoder"]["limit"]), str(settings["global_tokens"])
    if config["kind"] != "probe":
        shape = _shape(checkpoint)
        encoder = rebuild_encoder(name, shape, checkpoint.texts["tokenizer.json"], *limits)
        _load(encoder.model, checkpoint, "encoder.")
        return encoder.eval()
    encoder = shared_encoder(name, max_tokens=limits[0], global_tokens=limits[1])
    if encoder.digest != config["encoder"]["sha256"]:
        raise EncoderUnavailable(
            f"The encoder {name} is not the one this model was trained on "
            f"(sha256 {config['encoder']['sha256']}). Put that one back to use the model."
        )
    return encoder


def _shape(checkpoint: Checkpoint) -> dict[str, Any]:
    """Return the encoder configuration that a fine-tuned model carries."""
    try:
        return dict(loads(checkpoint.texts["encoder_config.json"].encode()))
    except (KeyError, TypeError, ValueError) as error:
        raise CheckpointInvalid("The model lacks its encoder's configuration.") from error


def _load(module: torch.nn.Module, checkpoint: Checkpoint, prefix: str) -> None:
    own = {
        name.removeprefix(prefix): tensor
        for name, tensor in checkpoint.tensors.items()
        if name.startswith(prefix)
    }
    try:
        module.load_state_dict(own)
    except RuntimeError as error:
        raise CheckpointInvalid(f"The weights do not fit the model: {error}") from error
