"""What a training may be started with from a page or by a request: recipes, listed encoders."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from django.conf import settings

from annotator.formats.strict_json import StrictJsonError, loads
from annotator.refusals import Refused
from scoring.patclaimeval.config import (
    BATCHINGS,
    DEFAULT_ENCODER,
    OVER_LENGTH,
    PRECISIONS,
    RECIPES,
    SettingsError,
    TrainingSettings,
)
from scoring.patclaimeval.encoder_sizes import LARGEST_CONFIG, LARGEST_TOKENIZER, MOST
from scoring.pickles import found_among
from scoring.training_work import KNOWN, EncoderShape

NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
FILES: Final = ("config.json", "model.safetensors", "tokenizer.json")
# What work is estimated from, by the names that most kinds of encoder give it.
SIZES: Final = (
    *("num_hidden_layers", "hidden_size", "intermediate_size"),
    *("vocab_size", "max_position_embeddings"),
)
_OWN: Final = ("recipe", "estimate")


def encoders_directory() -> Path:
    return Path(settings.DATA_DIR) / "encoders"


def encoder_choices() -> list[tuple[str, str]]:
    """Return the encoders that may be chosen: the embedded one, and the local directories."""
    found = [(DEFAULT_ENCODER, "the embedded one, 22.7 million parameters")]
    directory = encoders_directory()
    names = sorted(path.name for path in directory.iterdir()) if directory.is_dir() else []
    for name in names:
        shape = _listed_shape(name)
        if shape is not None:
            found.append((name, f"{name}, {shape.parameters / 1e6:.1f} million parameters"))
    return found


def recipe_choices() -> list[tuple[str, str]]:
    return [(key, f"{recipe.name}: {recipe.words}") for key, recipe in RECIPES.items()]


def batching_choices() -> list[tuple[str, str]]:
    words = {"paper": "as in the paper, over all references", "by-reference": "within a reference"}
    return [(key, words[key]) for key in BATCHINGS]


def over_length_choices() -> list[tuple[str, str]]:
    words = {"refuse": "refuse the run and name them", "leave-out": "leave them out and list them"}
    return [(key, words[key]) for key in OVER_LENGTH]


def precision_choices() -> list[tuple[str, str]]:
    words = {"fp32": "32-bit floats", "bf16": "bfloat16", "auto": "whichever is measured faster"}
    return [("", "as the recipe says"), *((key, words[key]) for key in PRECISIONS)]


def training_options(wish: Mapping[str, Any]) -> dict[str, Any]:
    """Turn what a form was given into fields of TrainingSettings; what was left out stays out.

    A value that is given wins over the recipe's. Raises Refused, by field, for an encoder that is
    not listed.
    """
    given = {
        key: value
        for key, value in wish.items()
        if key not in _OWN and value is not None and value != ""
    }
    recipe = RECIPES[wish.get("recipe") or "default"]
    return with_listed_encoder({**recipe.settings, **given})


def with_listed_encoder(options: Mapping[str, Any]) -> dict[str, Any]:
    """Put the directory of a listed encoder for its name: who asks from afar names no path.

    Raises Refused, by field, for any other name, and where the paper's recipe is asked for
    without its own kind of encoder.
    """
    name = options.get("encoder", DEFAULT_ENCODER)
    if name == DEFAULT_ENCODER:
        if options.get("preset") == "paper":
            raise _refused(
                "The paper's recipe needs a Longformer. Put its directory (config.json, "
                "model.safetensors, tokenizer.json) under encoders in the data directory and "
                "choose it here."
            )
        return dict(options)
    if not isinstance(name, str) or _listed_shape(name) is None:
        raise _refused(
            "Choose 'default' or the name of a directory under encoders in the data directory."
        )
    return {**options, "encoder": str(encoders_directory() / name)}


def shape_of(encoder: str) -> EncoderShape | None:
    """Return the sizes of an encoder as a run's settings name it; None where they are not known."""
    return KNOWN.get(encoder) or _read_shape(Path(encoder))


def resolved_options(criterion: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Fill in what a recipe and a method bring along; raises Refused, by field, for nonsense."""
    try:
        return TrainingSettings(criterion=criterion, **options).resolved().as_dict()
    except SettingsError as error:
        raise Refused(str(error), {error.field: [error.message]}) from error


def _listed_shape(name: str) -> EncoderShape | None:
    """Return the sizes of a directory that may be listed: whole, plainly named, of sane size."""
    directory = encoders_directory() / name
    if not NAME.fullmatch(name) or not all((directory / file).is_file() for file in FILES):
        return None
    if found_among(entry.name for entry in directory.iterdir()):
        return None
    if (directory / "tokenizer.json").stat().st_size > LARGEST_TOKENIZER:
        return None
    return _read_shape(directory)


def _read_shape(directory: Path) -> EncoderShape | None:
    file = directory / "config.json"
    try:
        if file.stat().st_size > LARGEST_CONFIG:
            return None
        found = loads(file.read_bytes())
    except (OSError, StrictJsonError):
        return None
    if not isinstance(found, dict):
        return None
    sizes = [_size(found.get(key), MOST[key]) for key in SIZES]
    windows = found.get("attention_window")
    window = windows[0] if isinstance(windows, list) and windows else windows
    layers, width, inner, vocabulary, positions = sizes
    if not all(sizes):
        return None
    return EncoderShape(layers, width, inner, vocabulary, positions, _size(window, positions))


def _size(value: object, most: int) -> int:
    """Return a whole number from 1 to `most`; 0 for anything else."""
    return value if isinstance(value, int) and 0 < value <= most else 0


def _refused(sentence: str) -> Refused:
    return Refused(sentence, {"encoder": [sentence]})
