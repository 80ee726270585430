"""Model directories: written with digests, and read back only if nothing was changed."""

from __future__ import annotations

import hashlib
import json
import math
import os
import secrets
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from patclaimeval.files import atomic_directory, flush_file
from patclaimeval.models.config import LARGEST_MAX_TOKENS, METHODS, TrainingSettings
from patclaimeval.models.encoder_places import LARGEST_TOKENIZER
from patclaimeval.models.errors import CheckpointInvalid, EncoderUnavailable, SettingsError
from patclaimeval.models.features import FEATURE_VERSION, FEATURES
from patclaimeval.text_io.strict_json import StrictJsonError, loads

Tensors = dict[str, NDArray[Any]]
Kind = tuple[str, tuple[int, ...]]
"""What a tensor is made of: the name of its floats as safetensors has it, and its shape."""

PROBE: Final = ("centre", "factor", "weight")
"""The tensors of a probe, one number a feature each."""
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
        refuse_other_features(config)
        return {name: ("F64", (len(FEATURES),)) for name in PROBE}
    # torch loads here: a probe is read without it.
    from patclaimeval.models.encoder import encoder_tensors

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
        columns = len(FEATURES)
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
    settings = config.get("settings")
    if not isinstance(settings, dict):
        raise _wrong("settings", "an object")
    try:
        TrainingSettings.from_stored(settings)
    except (SettingsError, TypeError) as error:
        raise CheckpointInvalid(f"The model's config.json has wrong settings: {error}.") from error
    if config["kind"] != "probe":
        _check_encoder(config.get("encoder"))
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


def _check_encoder(encoder: object) -> None:
    if not isinstance(encoder, dict) or not isinstance(encoder.get("name"), str):
        raise _wrong("encoder", "an object with the encoder's name")
    limit = encoder.get("limit")
    if type(limit) is not int or not 1 <= limit <= LARGEST_MAX_TOKENS:
        raise _wrong("encoder.limit", f"a whole number of tokens from 1 to {LARGEST_MAX_TOKENS:,}")


def _wrong(name: str, wanted: str) -> CheckpointInvalid:
    return CheckpointInvalid(f"The model's config.json is refused: {name} must be {wanted}.")


__all__ = ["Checkpoint", "CheckpointInvalid", "read_checkpoint", "write_checkpoint"]

FORMAT: Final = 1
WEIGHTS: Final = "model.safetensors"
CONFIG: Final = "config.json"
MANIFEST: Final = "MANIFEST.json"
README: Final = "README.md"
LARGEST: Final = {
    **dict.fromkeys((CONFIG, MANIFEST, README, "encoder_config.json"), 1 << 24),
    "tokenizer.json": LARGEST_TOKENIZER,
}
"""Bytes; a larger file is refused before it is read. Only the weights may be of any size."""
LARGEST_HEADER: Final = 1 << 24
SIZES: Final = {"F64": 8, "F32": 4, "I64": 8, "BOOL": 1}
"""Bytes of one number of each kind that a model can require."""
CAREFUL: Final = os.O_NOFOLLOW | os.O_NONBLOCK
OPTIONAL: Final = frozenset({"encoder_config.json", "tokenizer.json", README})


@dataclass(frozen=True)
class Checkpoint:
    """What a model directory holds: tensors by name, the configuration, further texts by file."""

    tensors: Tensors
    config: dict[str, Any]
    texts: dict[str, str]


def write_checkpoint(directory: Path, checkpoint: Checkpoint) -> None:
    """Write ``checkpoint`` to ``directory``, which appears complete or not at all.

    The files go to a hidden neighbour, are flushed to disk, and the neighbour is renamed.
    Raises ``CheckpointInvalid`` if the directory exists or a tensor is not finite.
    """
    if directory.exists():
        raise CheckpointInvalid(f"The model directory {directory} exists already.")
    _check_finite(checkpoint.tensors)
    if set(checkpoint.texts) - OPTIONAL:
        raise CheckpointInvalid("A model directory cannot hold other files than its own.")
    files = {name: text.encode() for name, text in checkpoint.texts.items()}
    files[WEIGHTS] = save(checkpoint.tensors)
    files[CONFIG] = _json({"format": FORMAT, **checkpoint.config})
    files[MANIFEST] = _json({"sha256": {n: _sha256(data) for n, data in sorted(files.items())}})
    directory.parent.mkdir(parents=True, exist_ok=True)
    temporary = directory.with_name(f".{directory.name}.{secrets.token_hex(4)}.partial")
    temporary.mkdir()
    with atomic_directory(directory, temporary):
        for name, data in files.items():
            with (temporary / name).open("wb") as stream:
                stream.write(data)
                flush_file(stream)


def read_checkpoint(directory: Path, manifest_sha256: str | None = None) -> Checkpoint:
    """Read a model directory after checking every file against the manifest.

    ``manifest_sha256`` is the manifest's own digest as whoever registered the model knows it:
    without it, somebody who can write the directory can change a file and its line. Raises
    ``CheckpointInvalid`` if a file is missing, unknown, changed, a link of either kind, or holds
    numbers that are not finite, and if the weights are not exactly the tensors, shapes and floats
    that the configuration requires; no more is read of them than those can take. Only safetensors
    and JSON are read: nothing is unpickled.
    """
    names = _own_files(directory)
    data = {name: _read(directory / name, LARGEST[name]) for name in names if name != WEIGHTS}
    expected = _manifest(data.pop(MANIFEST), names, manifest_sha256)
    for name, content in data.items():
        _check_digest(name, content, expected)
    config = parse_object(data.pop(CONFIG), CONFIG)
    if config.get("format") != FORMAT:
        raise CheckpointInvalid(f"The model has format {config.get('format')}, not {FORMAT}.")
    texts = {name: _text(content, name) for name, content in data.items()}
    required = required_tensors(config, texts)
    # Known before a byte is read: how many the weights can take.
    most = (
        8 + LARGEST_HEADER + sum(SIZES[dtype] * prod(shape) for dtype, shape in required.values())
    )
    weights = _read(directory / WEIGHTS, most)
    _check_digest(WEIGHTS, weights, expected)
    return Checkpoint(_tensors(weights, required), config, texts)


def _manifest(content: bytes, names: set[str], manifest_sha256: str | None) -> dict[str, Any]:
    """Return the digests that the manifest gives, one for each of the other files."""
    if manifest_sha256 is not None and _sha256(content) != manifest_sha256:
        raise CheckpointInvalid(f"The file {MANIFEST} of the model was changed after training.")
    expected = parse_object(content, MANIFEST).get("sha256")
    if not isinstance(expected, dict) or set(expected) != names - {MANIFEST}:
        raise CheckpointInvalid("The manifest does not list the files of the model directory.")
    return expected


def _check_digest(name: str, content: bytes, expected: dict[str, Any]) -> None:
    if _sha256(content) != expected[name]:
        raise CheckpointInvalid(f"The file {name} of the model was changed after training.")


def _own_files(directory: Path) -> set[str]:
    """Return the names of the files, where no other lies there and none that must be is missing."""
    if not directory.is_dir():
        raise CheckpointInvalid(
            f"There is no model directory at {directory}."
        ) from FileNotFoundError(directory)
    names = {entry.name for entry in directory.iterdir()}
    needed = {WEIGHTS, CONFIG, MANIFEST}
    if unknown := sorted(names - needed - OPTIONAL):
        raise CheckpointInvalid(f"The model directory holds an unknown file: {unknown[0]}.")
    if missing := sorted(needed - names):
        raise CheckpointInvalid(f"The model directory lacks {missing[0]}.")
    return names


def _read(path: Path, most: int) -> bytes:
    """Return a plain file's bytes, at most so many; what is opened is what is looked at."""
    try:
        # A pipe must not be waited for, and a link not followed.
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | CAREFUL)) as file:
            facts = os.fstat(file.fileno())
            if not stat.S_ISREG(facts.st_mode) or facts.st_nlink > 1:
                raise CheckpointInvalid(
                    f"The file {path.name} of the model is no plain file of its own: it is none, "
                    "or has another name too (a hard link). Copy the model's files instead."
                )
            if facts.st_size > most:
                raise CheckpointInvalid(
                    f"The file {path.name} of the model has more than {most:,} bytes."
                )
            return file.read(most)
    except OSError as error:
        raise CheckpointInvalid(
            f"The file {path.name} of the model is a link, or cannot be read."
        ) from error


def _tensors(weights: bytes, required: Mapping[str, Kind]) -> Tensors:
    """Return the tensors, where they are those that the configuration requires and no other."""
    try:
        wrong = misfit(_header(weights), required)
        tensors = {} if wrong else load(weights)
    except (SafetensorError, StrictJsonError, KeyError, TypeError, ValueError) as error:
        raise CheckpointInvalid(f"The weights cannot be read: {error}") from error
    if wrong:
        raise CheckpointInvalid(f"The weights do not fit the model: {WEIGHTS} {wrong}.")
    _check_finite(tensors)
    return tensors


def _header(weights: bytes) -> dict[str, Kind]:
    """Return dtype and shape of each tensor that the header names.

    Read strictly, as a header that names a tensor twice is read in two ways by two readers.
    """
    length = int.from_bytes(weights[:8], "little")
    if length > min(LARGEST_HEADER, len(weights) - 8):
        raise ValueError("the header is longer than the file, or than any header.")
    found = loads(weights[8 : 8 + length])
    found.pop("__metadata__", None)
    return {name: (str(one["dtype"]), tuple(one["shape"])) for name, one in found.items()}


def _check_finite(tensors: Tensors) -> None:
    for name, tensor in tensors.items():
        if not np.isfinite(tensor).all():
            raise CheckpointInvalid(f"The weights {name} hold numbers that are not finite.")


def _text(content: bytes, name: str) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise CheckpointInvalid(f"The file {name} of the model is not UTF-8.") from error


def parse_object(content: bytes, name: str) -> dict[str, Any]:
    """Return the JSON object of a file; raises ``CheckpointInvalid`` with its name."""
    try:
        value = loads(content)
    except StrictJsonError as error:
        raise CheckpointInvalid(f"The file {name} is not JSON.") from error
    if not isinstance(value, dict):
        raise CheckpointInvalid(f"The file {name} does not hold an object.")
    return value


def _json(value: dict[str, Any]) -> bytes:
    return json.dumps(value, indent=1, sort_keys=True, allow_nan=False).encode() + b"\n"


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
