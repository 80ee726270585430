"""Model directories: written whole with digests, and read back only if nothing was changed."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from annotator.formats.strict_json import StrictJsonError, loads
from scoring.patclaimeval.durable import sync
from scoring.patclaimeval.encoder_sizes import LARGEST_TOKENIZER
from scoring.patclaimeval.errors import CheckpointInvalid

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
OPTIONAL: Final = frozenset({"encoder_config.json", "tokenizer.json", README})


@dataclass(frozen=True)
class Checkpoint:
    """What a model directory holds: tensors by name, the configuration, further texts by file."""

    tensors: dict[str, Tensor]
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
    tensors = {name: tensor.contiguous() for name, tensor in checkpoint.tensors.items()}
    files = {name: text.encode() for name, text in checkpoint.texts.items()}
    files[WEIGHTS] = save(tensors)
    files[CONFIG] = _json({"format": FORMAT, **checkpoint.config})
    files[MANIFEST] = _json({"sha256": {n: _sha256(data) for n, data in sorted(files.items())}})
    directory.parent.mkdir(parents=True, exist_ok=True)
    partial = directory.with_name(f".{directory.name}.{secrets.token_hex(4)}.partial")
    partial.mkdir()
    try:
        for name, data in files.items():
            with (partial / name).open("wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
        sync(partial)
        partial.rename(directory)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    sync(directory.parent)


def read_checkpoint(directory: Path, manifest_sha256: str | None = None) -> Checkpoint:
    """Read a model directory after checking every file against the manifest.

    ``manifest_sha256`` is the manifest's own digest as whoever registered the model knows it:
    without it, somebody who can write the directory can change a file and its line. Raises
    ``CheckpointInvalid`` if a file is missing, unknown, changed, a link, or holds numbers that are
    not finite. Only safetensors and JSON are read: nothing is unpickled.
    """
    data = _checked_files(directory, manifest_sha256)
    config = _parse(data.pop(CONFIG), CONFIG)
    if config.get("format") != FORMAT:
        raise CheckpointInvalid(f"The model has format {config.get('format')}, not {FORMAT}.")
    weights = data.pop(WEIGHTS)
    try:
        _check_header(weights)
        tensors = load(weights)
    except (SafetensorError, StrictJsonError) as error:
        raise CheckpointInvalid(f"The weights cannot be read: {error}") from error
    _check_finite(tensors)
    return Checkpoint(tensors, config, {name: content.decode() for name, content in data.items()})


def _checked_files(directory: Path, manifest_sha256: str | None) -> dict[str, bytes]:
    """Return the files but the manifest, which vouches for each of them."""
    data = {name: entry.read_bytes() for name, entry in _own_files(directory).items()}
    manifest = data.pop(MANIFEST)
    if manifest_sha256 is not None and _sha256(manifest) != manifest_sha256:
        raise CheckpointInvalid(f"The file {MANIFEST} of the model was changed after training.")
    expected = _parse(manifest, MANIFEST).get("sha256")
    if not isinstance(expected, dict) or set(expected) != set(data):
        raise CheckpointInvalid("The manifest does not list the files of the model directory.")
    for name, content in data.items():
        if _sha256(content) != expected[name]:
            raise CheckpointInvalid(f"The file {name} of the model was changed after training.")
    return data


def _own_files(directory: Path) -> dict[str, Path]:
    """Return the files by name, where no other lies there and none that must be is missing."""
    if not directory.is_dir():
        raise CheckpointInvalid(f"There is no model directory at {directory}.")
    entries = {entry.name: entry for entry in directory.iterdir()}
    known = {WEIGHTS, CONFIG, MANIFEST} | OPTIONAL
    for name, entry in sorted(entries.items()):
        if name not in known or entry.is_symlink() or not entry.is_file():
            raise CheckpointInvalid(f"The model directory holds an unknown file: {name}.")
        most = LARGEST.get(name, sys.maxsize)
        if entry.stat().st_size > most:
            raise CheckpointInvalid(f"The file {name} of the model has more than {most:,} bytes.")
    for name in (WEIGHTS, CONFIG, MANIFEST):
        if name not in entries:
            raise CheckpointInvalid(f"The model directory lacks {name}.")
    return entries


def _check_header(weights: bytes) -> None:
    """Raise StrictJsonError for a header that names a tensor twice: readers differ on which."""
    length = int.from_bytes(weights[:8], "little")
    if length <= len(weights) - 8:  # else the library says what is wrong
        loads(weights[8 : 8 + length])


def _check_finite(tensors: dict[str, Tensor]) -> None:
    for name, tensor in tensors.items():
        if not torch.isfinite(tensor).all():
            raise CheckpointInvalid(f"The weights {name} hold numbers that are not finite.")


def _parse(content: bytes, name: str) -> dict[str, Any]:
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
