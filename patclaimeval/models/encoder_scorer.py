"""Scores pairs with a fine-tuned encoder and its head."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from patclaimeval.claims.languages import LATIN, LATIN_ONLY, language_name, pair_language
from patclaimeval.metrics.languages import NOT_TRAINED, TWO_LANGUAGES
from patclaimeval.models.checkpoint import Checkpoint
from patclaimeval.models.data import Pair
from patclaimeval.models.encoder import Encoder, rebuild_encoder, refusal, too_long
from patclaimeval.models.errors import CheckpointInvalid, PatClaimEvalError
from patclaimeval.models.network import LinearHead, PairScorer, features_of
from patclaimeval.text_io.strict_json import loads


class EncoderScorer:
    """A fine-tuned model; ``config`` is what it was saved with, ``tie_threshold`` its own."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        """Build the networks of ``checkpoint``; use ``load_scorer`` rather than this."""
        self.config: dict[str, Any] = checkpoint.config
        self.tie_threshold = float(self.config["tie_threshold"])
        chosen = self.config.get("chosen")
        self._languages = chosen.get("languages") if isinstance(chosen, dict) else None
        head = LinearHead(len(checkpoint.tensors["head.weight"]), clip=float(self.config["clip"]))
        _load(head, checkpoint, "head.")
        self._encoder = _encoder(checkpoint)
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

    def unread(self, pairs: Sequence[Pair]) -> list[str]:
        """Return a reason for pairs in two scripts, or in one that no training claim was in.

        Models fine-tuned before their languages were stored refuse none of the latter.
        """
        return [_unread(pair_language(*pair), self._languages) for pair in pairs]

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
        together = self._network.head.weight.is_cuda
        parts = [pairs] if together else [[pair] for pair in pairs]
        found = torch.cat([self._network(part, self._extra(part)) for part in parts])
        return [float(score) for score in found.cpu()]

    def _extra(self, pairs: Sequence[Pair]) -> torch.Tensor:
        if self.config["kind"] == "finetune":
            return torch.zeros((len(pairs), 0))
        return torch.stack([features_of(pair) for pair in pairs])

    def _check_lengths(self, pairs: Sequence[Pair]) -> None:
        long = too_long(self._encoder, pairs)
        if long:
            named = [f"number {place + 1} with {tokens} tokens" for place, tokens in long]
            raise PatClaimEvalError(refusal(named, self._encoder.limit))


def _unread(language: str | None, known: Sequence[str] | None) -> str:
    if language is None:
        return TWO_LANGUAGES
    if known is None or ("en" if language == LATIN else language) in known:
        return ""
    # Models of earlier releases know all languages in Latin letters as one.
    if LATIN in known and (language == LATIN or language in LATIN_ONLY):
        return ""
    return f"{NOT_TRAINED}{'English' if language == LATIN else language_name(language)}."


def _encoder(checkpoint: Checkpoint) -> Encoder:
    encoder, settings = checkpoint.config["encoder"], checkpoint.config["settings"]
    try:
        shape = dict(loads(checkpoint.texts["encoder_config.json"].encode()))
        tokenizer = checkpoint.texts["tokenizer.json"]
    except (KeyError, TypeError, ValueError) as error:
        raise CheckpointInvalid("The model lacks its encoder's configuration.") from error
    limits = int(encoder["limit"]), str(settings["global_tokens"])
    built = rebuild_encoder(str(encoder["name"]), shape, tokenizer, *limits)
    _load(built.model, checkpoint, "encoder.")
    return built.eval()


def _load(module: torch.nn.Module, checkpoint: Checkpoint, prefix: str) -> None:
    own = {
        name.removeprefix(prefix): torch.from_numpy(tensor)
        for name, tensor in checkpoint.tensors.items()
        if name.startswith(prefix)
    }
    try:
        module.load_state_dict(own)
    except RuntimeError as error:
        raise CheckpointInvalid(f"The weights do not fit the model: {error}") from error
