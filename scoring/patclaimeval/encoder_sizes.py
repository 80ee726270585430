"""The sizes beyond which an encoder's configuration is a mistake or an attack."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

MOST: Final[Mapping[str, int]] = {
    "num_hidden_layers": 200,
    "hidden_size": 16_384,
    "intermediate_size": 65_536,
    "vocab_size": 1_000_000,
    "max_position_embeddings": 131_072,
}
LARGEST_CONFIG: Final = 1 << 20
LARGEST_TOKENIZER: Final = 1 << 27
"""Bytes of config.json and of tokenizer.json; those of known encoders have some megabytes."""


def beyond_measure(config: Mapping[str, Any]) -> str:
    """Return what is wrong with the sizes in a configuration, "" for nothing.

    A size that is absent says nothing: not every kind of model names all of them.
    """
    for name, most in MOST.items():
        size = config.get(name, 1)
        if isinstance(size, bool) or not isinstance(size, int) or not 0 < size <= most:
            return f"{name} must be a whole number from 1 to {most:,}."
    return ""
