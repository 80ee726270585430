"""The files of a metric's model directory, looked at before anything is loaded from them.

Knows no torch: a page asks here what is missing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from annotator.formats.strict_json import StrictJsonError, loads, short
from scoring.metrics.base import MetricUnavailable
from scoring.pickles import found_among

CONFIG: Final = "config.json"
TOKENIZER: Final = "tokenizer.json"
WEIGHTS: Final = "model.safetensors"
SETTINGS: Final = "metric.json"
LARGEST_TOKENIZER: Final = 64 * 1024 * 1024
LARGEST_HEADER: Final = 4 * 1024 * 1024
# Names under which model families keep the same size.
WIDTHS: Final = ("hidden_size", "d_model", "dim")
LAYER_NAMES: Final = ("num_hidden_layers", "num_layers", "n_layers", "encoder_layers")
ROWS: Final = ("vocab_size", "max_position_embeddings", "intermediate_size", "d_ff")


class _Wrong(Exception):
    """A directory cannot be used; the message completes 'The directory of NAME ...'."""


def checked_directory(name: str, directory: Path | None) -> Path:
    """Return a metric's model directory when its weights can be loaded without running any code.

    Input: the metric's name, and its directory or None where no place is set. Reads the small
    files and the head of the weights. Raises MetricUnavailable, whose sentence says what to put
    where and names no path of the machine.
    """
    place = f"METRIC_MODELS_DIR/{name}"
    wanted = f"{CONFIG}, {TOKENIZER} and {WEIGHTS} (docs/metrics.md says which weights)"
    if directory is None or not directory.is_dir():
        raise MetricUnavailable(
            f"{name} needs its weights: make the directory {place} with {wanted}."
        )
    try:
        _check(directory)
    except _Wrong as wrong:
        raise MetricUnavailable(f"The directory {place} {wrong} It needs {wanted}.") from wrong
    return directory


def read_settings(name: str, directory: Path, known: Collection[str]) -> dict[str, Any]:
    """Return what metric.json in a checked directory sets; empty without the file.

    Raises MetricUnavailable for a setting that is not among the `known` ones.
    """
    settings = _object(directory / SETTINGS) if (directory / SETTINGS).exists() else {}
    unknown = sorted(settings.keys() - set(known))
    if unknown:
        raise wrong_setting(name, f"there is no setting {short(unknown[0])}", known)
    return settings


def wrong_setting(name: str, reason: str, known: Collection[str]) -> MetricUnavailable:
    """Word the refusal of a metric.json; the settings that there are stand in it."""
    return MetricUnavailable(
        f"METRIC_MODELS_DIR/{name}/{SETTINGS} cannot be used: {reason}. "
        f"It may set {', '.join(known)} (docs/metrics.md)."
    )


def whole_setting(
    name: str, settings: Mapping[str, Any], key: str, default: int | None, highest: int
) -> int:
    """Return a whole number from 1 to `highest` that metric.json sets, or its default.

    Raises MetricUnavailable when it is anything else, or not set and without a default.
    """
    value = settings.get(key, default)
    if type(value) is not int or not 1 <= value <= highest:
        raise wrong_setting(name, f"{key} must be a whole number from 1 to {highest:,}", [key])
    return value


def read_config(directory: Path) -> dict[str, Any]:
    """Return config.json of a checked directory."""
    return _object(directory / CONFIG)


def digest_of(directory: Path) -> str:
    """Return 16 hexadecimal digits that change with any byte of any file in the directory."""
    files = sorted(path for path in directory.rglob("*") if path.is_file())
    stamps = tuple((path, path.stat().st_size, path.stat().st_mtime_ns) for path in files)
    return _digest(directory, stamps)


@lru_cache(maxsize=16)
def _digest(directory: Path, stamps: tuple[tuple[Path, int, int], ...]) -> str:
    found = hashlib.sha256()
    for path, _, _ in stamps:
        with path.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        found.update(f"{path.relative_to(directory)}\0{digest}\0".encode())
    return found.hexdigest()[:16]


def _check(directory: Path) -> None:
    pickles = found_among(entry.name for entry in directory.iterdir())
    if pickles:
        raise _Wrong(
            f"is refused: {pickles[0]} can run code when it is opened. Convert it to {WEIGHTS} "
            "elsewhere and take it away."
        )
    for name in (CONFIG, TOKENIZER, WEIGHTS):
        if not (directory / name).is_file():
            raise _Wrong(f"lacks {name}.")
    if (directory / TOKENIZER).stat().st_size > LARGEST_TOKENIZER:
        raise _Wrong(f"is refused: {TOKENIZER} is larger than {LARGEST_TOKENIZER:,} bytes.")
    config = _object(directory / CONFIG)
    _check_sizes(config, _tensors(directory / WEIGHTS), (directory / WEIGHTS).stat().st_size)
    if (directory / SETTINGS).exists():
        _object(directory / SETTINGS)


def _object(path: Path) -> dict[str, Any]:
    try:
        value = loads(path.read_bytes())
    except StrictJsonError as error:
        raise _Wrong(f"is refused: {path.name} is not plain JSON ({error}).") from error
    if not isinstance(value, dict):
        raise _Wrong(f"is refused: {path.name} does not hold one JSON object.")
    return value


def _tensors(path: Path) -> int:
    """Count the tensors of a safetensors file by its head: 8 bytes of length, then JSON."""
    with path.open("rb") as stream:
        length = int.from_bytes(stream.read(8), "little")
        if not 0 < length <= LARGEST_HEADER:
            raise _Wrong(f"is refused: {path.name} is not a safetensors file.")
        head = stream.read(length)
    try:
        return len(loads(head).keys() - {"__metadata__"})
    except (StrictJsonError, AttributeError) as error:
        raise _Wrong(f"is refused: {path.name} is not a safetensors file.") from error


def _check_sizes(config: Mapping[str, Any], tensors: int, weight_bytes: int) -> None:
    """Refuse a configuration that describes more than the weights hold, before it is built."""

    def largest(names: tuple[str, ...]) -> int:
        return max((size for name in names if type(size := config.get(name)) is int), default=0)

    width = largest(WIDTHS)
    # A weight takes a byte at least, and a layer has a tensor of its own.
    too_large = max(width * width, width * largest(ROWS)) > weight_bytes
    if too_large or largest((*LAYER_NAMES, "decoder_layers")) > tensors:
        raise _Wrong(f"is refused: {CONFIG} describes a larger model than {WEIGHTS} holds.")
