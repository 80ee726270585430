"""The sizes beyond which an encoder's configuration is a mistake or an attack."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

MOST: Final[Mapping[str, int]] = {
    **dict.fromkeys(("num_hidden_layers", "n_layers"), 200),
    **dict.fromkeys(("num_attention_heads", "n_heads"), 1_024),
    **dict.fromkeys(("hidden_size", "dim", "embedding_size"), 16_384),
    **dict.fromkeys(("intermediate_size", "hidden_dim"), 65_536),
    "vocab_size": 1_000_000,
    "type_vocab_size": 1_024,
    **dict.fromkeys(("max_position_embeddings", "attention_window"), 131_072),
}
"""Some kinds of model call a size otherwise than most: both names stand here."""
LARGEST_CONFIG: Final = 1 << 20
LARGEST_TOKENIZER: Final = 1 << 27
"""Bytes of config.json and of tokenizer.json; those of known encoders have some megabytes."""


def beyond_measure(config: Mapping[str, Any]) -> str:
    """Return what is wrong with the sizes in a configuration, "" for nothing.

    A size that is absent says nothing: not every kind of model names all of them.
    """
    for name, most in MOST.items():
        given = config.get(name, 1)
        # A window is one size, or one for each layer.
        sizes = given if name == "attention_window" and isinstance(given, list) else [given]
        if not all(type(size) is int and 0 < size <= most for size in sizes):
            return f"{name} must be a whole number from 1 to {most:,}."
    return ""
