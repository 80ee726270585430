"""What a training may be started with, and what it costs, from sizes alone."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from django.conf import settings

from core.errors import Refused
from patclaimeval.files import found_among
from patclaimeval.models.config import (
    BATCHINGS,
    DEFAULT_ENCODER,
    LONGFORMER,
    OVER_LENGTH,
    PRECISIONS,
    RECIPES,
    SettingsError,
    TrainingSettings,
)
from patclaimeval.models.encoder_places import LARGEST_CONFIG, LARGEST_TOKENIZER, MOST
from patclaimeval.text_io.strict_json import StrictJsonError, loads

# Pieces of a wordpiece or byte-pair tokenizer for a word as datasets.text_lengths counts it:
# measured 1.28 on published claim sets with the embedded one (1.08 to 1.89 by text).
PIECES_PER_WORD: Final = (1.2, 1.5)
PROCESS_BYTES: Final = (6e8, 1.2e9)
# A probe loads no torch.
PROBE_BYTES: Final = (1.5e8, 3e8)
FLOAT: Final = 4
# Weights, gradients, two moments of the optimiser, and the copy of the best epoch.
TRAINED_COPIES: Final = 5
FORWARD_AND_BACKWARD: Final = 3
PAIRS_OF_AN_ITEM: Final = 2


@dataclass(frozen=True, slots=True)
class EncoderShape:
    """The sizes of an encoder; `window` is 0 where every token attends to every other."""

    layers: int
    width: int
    inner: int
    vocabulary: int
    positions: int
    window: int = 0

    @property
    def body(self) -> int:
        """Weights that every token is multiplied with."""
        projections = 4 + (3 if self.window else 0)
        return self.layers * (projections * self.width**2 + 2 * self.width * self.inner)

    @property
    def parameters(self) -> int:
        return self.body + (self.vocabulary + self.positions) * self.width


EMBEDDED: Final = EncoderShape(6, 384, 1536, 30_522, 4096)
LONGFORMER_BASE: Final = EncoderShape(12, 768, 3072, 50_265, 4098, 512)
KNOWN: Final[Mapping[str, EncoderShape]] = {"default": EMBEDDED, LONGFORMER: LONGFORMER_BASE}


@dataclass(frozen=True, slots=True)
class DataSizes:
    """What a training reads: quadruplets and distinct texts; their mean and greatest words."""

    training: int
    validation: int
    references: int
    candidates: int
    reference_words: float
    candidate_words: float
    longest_words: int

    @property
    def pair_words(self) -> float:
        return self.reference_words + self.candidate_words


def operations(shape: EncoderShape, data: DataSizes, settings: Mapping[str, Any]) -> float:
    """Count what a training does: a probe's words, else floating-point operations, roughly.

    Input: sizes; `method`, `epochs`, `batching` of the settings as they are resolved. A probe
    reads each pair once. Fine-tuning reads each quadruplet's two pairs in every epoch forwards and
    backwards (by reference: each distinct pair), and the validation pairs once more.
    """
    pieces = sum(PIECES_PER_WORD) / 2
    pair = pieces * data.pair_words
    if settings["method"] == "probe":
        return data.candidates * data.pair_words
    share = data.training / max(1, data.training + data.validation)
    trained = float(PAIRS_OF_AN_ITEM * data.training)
    if settings.get("batching") == "by-reference":
        trained = min(trained, data.candidates * share)
    unseen = data.candidates * (1 - share)
    epoch = (FORWARD_AND_BACKWARD * trained + unseen) * _forward(shape, pair)
    started = settings["method"] == "probe-then-finetune"
    features = data.candidates * share * _forward(shape, pair) if started else 0.0
    return int(settings.get("epochs") or 1) * epoch + features


def memory_bytes(
    shape: EncoderShape, data: DataSizes, settings: Mapping[str, Any]
) -> tuple[float, float]:
    """Return the least and the most bytes of memory that a training may take, roughly.

    The process itself, the weights (for fine-tuning with gradients, moments and the best epoch),
    and the states of the longest pair, or of a batch of them.
    """
    if settings["method"] == "probe":
        return PROBE_BYTES
    tokens = data.longest_words * PIECES_PER_WORD[1]
    weights = FLOAT * TRAINED_COPIES * shape.parameters
    states = FLOAT * tokens * shape.layers * (16 * shape.width + 3 * shape.inner)
    by_reference = settings.get("batching") == "by-reference"
    most = float(PAIRS_OF_AN_ITEM * (settings.get("batch_size") or 1 if by_reference else 1))
    return PROCESS_BYTES[0] + weights + states, PROCESS_BYTES[1] + weights + most * states


def longest_pieces(data: DataSizes) -> float:
    """Return how many tokens the longest pair has, at the least likely."""
    return data.longest_words * PIECES_PER_WORD[0]


def format_duration_range(low: float, high: float) -> str:
    """Return a range of seconds in fitting units: "2 to 6 minutes", "40 seconds to 2 minutes"."""
    (first, unit), (last, name) = _in_unit(low), _in_unit(high)
    if (first, unit) == (last, name):
        return f"about {last} {name[:-1] if last == '1' else name}"
    return f"{first} to {last} {name}" if unit == name else f"{first} {unit} to {last} {name}"


def format_memory_range(low: float, high: float) -> str:
    """Return a range of bytes in gigabytes: "1.1 to 2.3 GB"."""
    return f"{low / 1e9:.1f} to {max(high, low) / 1e9:.1f} GB"


def _forward(shape: EncoderShape, tokens: float) -> float:
    seen = min(tokens, shape.window) if shape.window else tokens
    return 2 * tokens * shape.body + 4 * shape.layers * shape.width * tokens * seen


def _in_unit(seconds: float) -> tuple[str, str]:
    units = ((3600, "hours"), (60, "minutes"), (1, "seconds"))
    size, name = next((unit for unit in units if seconds >= 1.5 * unit[0]), units[-1])
    return _rounded(seconds / size), name


def _rounded(number: float) -> str:
    """Round to a whole number, from 20 on to tens; nothing takes no time."""
    whole = max(1, round(number))
    return str(whole if whole < 20 else round(whole, -1))


WORDS: Final = {
    "paper": "as in the paper, over all references",
    "by-reference": "within a reference",
    "refuse": "refuse the run and name them",
    "leave-out": "leave them out and list them",
    "fp32": "32-bit floats",
    "bf16": "bfloat16",
    "auto": "bfloat16 where the GPU supports it",
}
CHOICES: Final = {
    "recipe": [(key, f"{recipe.name}: {recipe.words}") for key, recipe in RECIPES.items()],
    "batching": [(key, WORDS[key]) for key in BATCHINGS],
    "precision": [(key, WORDS[key]) for key in PRECISIONS],
    "over_length": [(key, WORDS[key]) for key in OVER_LENGTH],
}
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
    return Refused.at("encoder", sentence)
