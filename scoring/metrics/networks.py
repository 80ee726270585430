"""Loading tokenizers and networks from a model directory, and feeding them in batches.

Published tokenizers and weights only: safetensors, no code from the directory, 32-bit floats,
evaluation mode. torch and transformers load here when a metric first scores.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from scoring.metrics.base import MetricUnavailable, library_version
from scoring.metrics.weights import CONFIG, TOKENIZER, WEIGHTS, digest_of, read_config

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from torch import Tensor

# Padded tokens that run together: states of a base-size encoder then take about 50 MB a layer.
TOKENS_AT_ONCE: Final = 4096
# Kin of RoBERTa number their positions from behind the padding index.
OFFSET_KINDS: Final = frozenset({"roberta", "xlm-roberta", "camembert", "longformer", "mpnet"})


@dataclass(frozen=True)
class Weights:
    """The model directory of one metric, from which tokenizer and network load on first use."""

    name: str
    directory: Path

    @cached_property
    def config(self) -> dict[str, Any]:
        """What config.json says."""
        return read_config(self.directory)

    @property
    def version(self) -> str:
        """Libraries, and the digest of every file in the directory."""
        libraries = f"{library_version('transformers')}, {library_version('torch')}"
        return f"{libraries}, weights {digest_of(self.directory)}"

    def limit(self, default: int) -> int:
        """Return how many tokens the model's positions take; `default` where it has no table."""
        rows = self.config.get("max_position_embeddings", default)
        if self.config.get("model_type") in OFFSET_KINDS:
            rows -= self.config.get("pad_token_id", 1) + 1
        return int(rows)

    def tokenizer(self, limit: int | None, strategy: str = "longest_first") -> Tokenizer:
        """Return the tokenizer, cutting at `limit` tokens, special ones included; None: never."""
        from tokenizers import Tokenizer

        try:
            tokenizer = Tokenizer.from_file(str(self.directory / TOKENIZER))
        except Exception as error:
            raise self.unusable(f"{TOKENIZER} cannot be read") from error
        tokenizer.no_padding()
        tokenizer.no_truncation()
        if limit is not None:
            tokenizer.enable_truncation(limit, strategy=strategy)
        return tokenizer

    def model(self, kind: str, spare: tuple[str, ...] = ()) -> Any:
        """Return the network in evaluation mode, as the class `kind` of transformers.

        spare: beginnings of names of weights that may be missing, because no score reads them.
        Raises MetricUnavailable when the weights do not fit, are incomplete or are not finite.
        """
        import torch
        import transformers
        from safetensors import SafetensorError
        from transformers.utils.logging import disable_progress_bar

        disable_progress_bar()
        try:
            model, facts = getattr(transformers, kind).from_pretrained(
                self.directory,
                use_safetensors=True,
                local_files_only=True,
                trust_remote_code=False,
                dtype=torch.float32,
                output_loading_info=True,
            )
        except (OSError, ValueError, KeyError, RuntimeError, ImportError, SafetensorError) as error:
            raise self.unusable(f"{CONFIG} and {WEIGHTS} do not make a model") from error
        missing = [name for name in facts["missing_keys"] if not name.startswith(spare)]
        if missing:
            raise self.unusable(f"{WEIGHTS} lacks {len(missing)} tensors of the model")
        return self.ready(model)

    def tensors(self) -> dict[str, Tensor]:
        """Return the tensors of model.safetensors by name, in 32-bit floats."""
        from safetensors import SafetensorError
        from safetensors.torch import load_file

        try:
            found = load_file(self.directory / WEIGHTS)
        except (OSError, SafetensorError) as error:
            raise self.unusable(f"{WEIGHTS} cannot be read") from error
        return {name: tensor.float() for name, tensor in found.items()}

    def ready(self, model: Any) -> Any:
        """Return a network with finite weights, in evaluation mode, on the device there is."""
        import torch

        if not all(bool(torch.isfinite(tensor).all()) for tensor in model.state_dict().values()):
            raise self.unusable(f"{WEIGHTS} holds numbers that are not finite")
        return model.eval().to("cuda" if torch.cuda.is_available() else "cpu")

    def unusable(self, reason: str) -> MetricUnavailable:
        """Word why the directory cannot be used."""
        return MetricUnavailable(
            f"The directory METRIC_MODELS_DIR/{self.name} cannot be used: {reason}. "
            "docs/metrics.md says what belongs there."
        )

    def padded(self, rows: Sequence[Sequence[int]]) -> dict[str, Tensor]:
        """Return token ids as one table with its mask, both of shape [rows, longest row]."""
        import torch

        longest, padding = max(map(len, rows)), self.config.get("pad_token_id") or 0
        ids = torch.full((len(rows), longest), padding)
        mask = torch.zeros((len(rows), longest), dtype=torch.long)
        for number, row in enumerate(rows):
            ids[number, : len(row)] = torch.tensor(row)
            mask[number, : len(row)] = 1
        device = "cuda" if torch.cuda.is_available() else "cpu"
        return {"input_ids": ids.to(device), "attention_mask": mask.to(device)}


def batches(lengths: Sequence[int], budget: int = TOKENS_AT_ONCE) -> Iterator[list[int]]:
    """Group texts of like length. Input: their lengths in tokens. Output: groups of indexes.

    Longest first; a group, padded to its longest text, holds at most `budget` tokens, or one text.
    """
    group: list[int] = []
    for index in sorted(range(len(lengths)), key=lambda index: -lengths[index]):
        if group and lengths[group[0]] * (len(group) + 1) > budget:
            yield group
            group = []
        group.append(index)
    if group:
        yield group
