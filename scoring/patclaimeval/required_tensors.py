"""Which tensors a model's own configuration requires, and what that configuration may say."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

from annotator.formats.strict_json import loads
from scoring.patclaimeval.config import LARGEST_MAX_TOKENS, METHODS, TrainingSettings
from scoring.patclaimeval.encoder import encoder_tensors
from scoring.patclaimeval.errors import CheckpointInvalid, EncoderUnavailable, SettingsError
from scoring.patclaimeval.features import FEATURE_VERSION, surface_signs

Kind = tuple[str, tuple[int, ...]]
"""What a tensor is made of: the name of its floats as safetensors has it, and its shape."""

LARGEST_NUMBER: Final = 1e9
MOST_NAMED: Final = 3
LONGEST_NAME: Final = 80


def required_tensors(config: Mapping[str, Any], texts: Mapping[str, str]) -> dict[str, Kind]:
    """Return dtype and shape of each tensor of a model, by name; nothing is allocated.

    Input: what ``config.json`` says, and the further files of the model directory. Raises
    ``CheckpointInvalid`` for a configuration that no training of ours writes.
    """
    _check(config)
    if config["kind"] == "probe":
        return _head(len(config["features"]))
    try:
        shape = loads(texts["encoder_config.json"].encode())
        width, encoder = encoder_tensors(shape, config["encoder"]["limit"])
    except EncoderUnavailable as error:
        raise CheckpointInvalid(str(error)) from error
    except Exception as error:  # configuration classes raise whatever they meet
        raise CheckpointInvalid(
            "No encoder can be made of what the model's encoder_config.json says "
            f"({type(error).__name__})."
        ) from error
    columns = 0
    if config["kind"] == "probe-then-finetune":
        refuse_other_features(config)
        columns = len(surface_signs())
    return _head(columns + width) | {f"encoder.{name}": kind for name, kind in encoder.items()}


def refuse_other_features(config: Mapping[str, Any]) -> None:
    """Raise ``CheckpointInvalid`` for a model trained on features that are computed no more."""
    version = config.get("feature_version")
    if version != FEATURE_VERSION:
        raise CheckpointInvalid(
            f"The model was trained with version {str(version)[:LONGEST_NAME]} of the features, "
            f"and this program has version {FEATURE_VERSION}: train it again."
        )


def misfit(found: Mapping[str, Kind], required: Mapping[str, Kind]) -> str:
    """Return how tensors differ from those required, the first few by name; "" if they do not."""
    told = [f"lacks {name}" for name in required if name not in found]
    told += [
        f"has {name[:LONGEST_NAME]}, which the model does not use"
        for name in found
        if name not in required
    ]
    told += [
        f"has {name} as {_kind_text(found[name])} where {_kind_text(kind)} is required"
        for name, kind in required.items()
        if name in found and found[name] != kind
    ]
    more = f"; and {len(told) - MOST_NAMED} more" if len(told) > MOST_NAMED else ""
    return "; ".join(told[:MOST_NAMED]) + more


def _kind_text(kind: Kind) -> str:
    return f"{kind[0][:LONGEST_NAME]} {list(kind[1])}"[:LONGEST_NAME]


def _head(size: int) -> dict[str, Kind]:
    vectors: dict[str, Kind] = {
        f"head.{n}": ("F32", (size,)) for n in ("weight", "centre", "scale")
    }
    return vectors | {"head.bias": ("F32", ())}


def _check(config: Mapping[str, Any]) -> None:
    if config.get("kind") not in METHODS:
        raise _wrong("kind", f"one of {', '.join(METHODS)}")
    settings, encoder = config.get("settings"), config.get("encoder")
    if not isinstance(settings, dict):
        raise _wrong("settings", "an object")
    try:
        TrainingSettings(**settings)
    except (SettingsError, TypeError) as error:
        raise CheckpointInvalid(f"The model's config.json has wrong settings: {error}.") from error
    if not isinstance(encoder, dict) or not isinstance(encoder.get("name"), str):
        raise _wrong("encoder", "an object with the encoder's name")
    limit = encoder.get("limit")
    if type(limit) is not int or not 1 <= limit <= LARGEST_MAX_TOKENS:
        raise _wrong("encoder.limit", f"a whole number of tokens from 1 to {LARGEST_MAX_TOKENS:,}")
    for name, least in (("clip", math.ulp(0.0)), ("tie_threshold", 0.0)):
        value = config.get(name)
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not least <= value <= LARGEST_NUMBER
        ):
            raise _wrong(name, f"a number {'above' if least else 'from'} 0")
    features = config.get("features")
    is_list = isinstance(features, list) and all(isinstance(name, str) for name in features)
    if not is_list or (config["kind"] == "probe") != bool(features):
        raise _wrong(
            "features", "the list of names that a probe has, and empty for any other model"
        )


def _wrong(name: str, wanted: str) -> CheckpointInvalid:
    return CheckpointInvalid(f"The model's config.json is refused: {name} must be {wanted}.")
