"""Makes a native model directory of weights that the authors of PatClaimEval publish.

They are a Longformer with a linear layer on its first token, in Hugging Face layout. Nothing of the
directory is run or unpickled: config.json and tokenizer.json are read as JSON, the weights as
safetensors. What does not fit is refused by name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file

from patclaimeval.claims.languages import LATIN
from patclaimeval.models.checkpoint import WEIGHTS, Tensors, parse_object, write_checkpoint
from patclaimeval.models.config import TrainingSettings
from patclaimeval.models.encoder import encoder_files, encoder_tensors, rebuild_encoder
from patclaimeval.models.encoder_places import (
    LARGEST_CONFIG,
    LARGEST_TOKENIZER,
    refuse_directory,
)
from patclaimeval.models.encoder_training import NO_CLIP
from patclaimeval.models.errors import CheckpointInvalid, EncoderUnavailable
from patclaimeval.models.outcome import Outcome, as_checkpoint, training_result

HEADS: Final = (
    *("linear", "fc", "head", "classifier", "regressor", "score", "scorer", "out"),
    *("output", "dense", "out_proj", "linear_layer", "regression_head"),
)
"""Names by which a linear layer on an encoder goes; one of them settles it where shapes do not."""
PAPER_TIE_THRESHOLD: Final = 1e-4
"""The threshold that the paper names."""
MOST_NAMED: Final = 3


def convert(source: Path, directory: Path, criterion: str = "overall_quality") -> dict[str, Any]:
    """Write the model in ``source`` to ``directory`` in our own layout, for one criterion.

    Input: a directory with config.json, model.safetensors and tokenizer.json. Output: what the
    new model's config.json says of its encoder. Raises ``CheckpointInvalid`` and
    ``EncoderUnavailable`` with a sentence on what does not fit.
    """
    if not source.is_dir():
        raise CheckpointInvalid(f"There is no directory {source}.")
    refuse_directory(str(source), source)
    shape, tokenizer = _read_json(source / "config.json", LARGEST_CONFIG), source / "tokenizer.json"
    if shape.get("model_type") != "longformer":
        raise CheckpointInvalid(
            f"config.json is of a {str(shape.get('model_type'))[:40]!r}; the published model is a "
            "longformer."
        )
    _read_json(tokenizer, LARGEST_TOKENIZER)
    settings = TrainingSettings(criterion, preset="paper", encoder=source.name).resolved()
    limit = int(shape.get("max_position_embeddings", 0)) - int(shape.get("pad_token_id", 0)) - 1
    tensors = _read_weights(source / WEIGHTS)
    try:
        width, required = encoder_tensors(shape, limit)
        text = tokenizer.read_text("utf-8")
        encoder = rebuild_encoder(source.name, shape, text, limit, settings.global_tokens)
    except EncoderUnavailable:
        raise
    except Exception as error:  # configuration classes raise whatever they meet
        raise CheckpointInvalid(
            f"No Longformer can be made of config.json ({type(error).__name__})."
        ) from error
    body, rest = _split(tensors, {name: kind[1] for name, kind in required.items()})
    weight, bias = _head(rest, width)
    converted: Tensors = {f"encoder.{name}": value for name, value in body.items()}
    converted |= {
        "head.weight": weight,
        "head.bias": bias,
        "head.centre": np.zeros(width, np.float32),
        "head.scale": np.ones(width, np.float32),
    }
    outcome = Outcome(
        "finetune",
        converted,
        NO_CLIP,
        [],
        np.zeros(0),
        PAPER_TIE_THRESHOLD,
        settings.epochs or 0,
        settings.epochs or 0,
        [],
        texts=encoder_files(encoder),
        facts={"chosen_by": "its authors; the weights were converted", "languages": [LATIN]},
    )
    with (source / WEIGHTS).open("rb") as stream:
        facts = encoder.facts() | {"sha256": hashlib.file_digest(stream, "sha256").hexdigest()}
    result = training_result(outcome, [], [], settings, facts)
    write_checkpoint(directory, as_checkpoint(outcome, result, ""))
    return result.encoder


def _read_json(path: Path, most: int) -> dict[str, Any]:
    if not path.is_file():
        raise CheckpointInvalid(f"The directory lacks {path.name}.")
    if path.stat().st_size > most:
        raise CheckpointInvalid(f"{path.name} has more than {most:,} bytes.")
    return parse_object(path.read_bytes(), path.name)


def _read_weights(path: Path) -> Tensors:
    if not path.is_file():
        raise CheckpointInvalid(
            f"The directory lacks {WEIGHTS}. Weights in another format are not opened, as that "
            "can run code: have them saved as safetensors where they were made."
        )
    try:
        found = load_file(path)
    except (SafetensorError, OSError, ValueError, TypeError) as error:
        raise CheckpointInvalid(f"{WEIGHTS} cannot be read: {error}") from error
    return {
        name: value.astype(np.float32) if value.dtype == np.float16 else value
        for name, value in found.items()
    }


def _split(tensors: Tensors, shapes: Mapping[str, tuple[int, ...]]) -> tuple[Tensors, Tensors]:
    """Return the encoder's tensors under our names, and what is left.

    The encoder stands under one prefix, whatever it is called. A pooler may be missing, as it is
    not used; its weights are then zeros.
    """
    anchor = "embeddings.word_embeddings.weight"
    prefixes = [name.removesuffix(anchor) for name in tensors if name.endswith(anchor)]
    if len(prefixes) != 1:
        raise CheckpointInvalid(f"{WEIGHTS} holds {len(prefixes)} encoders; one was expected.")
    prefix = prefixes[0]
    body: Tensors = {}
    wrong = []
    for name, shape in shapes.items():
        found = tensors.get(prefix + name)
        if found is None and name.startswith("pooler."):
            found = np.zeros(shape, np.float32)
        if found is None:
            wrong.append(f"lacks {prefix}{name}")
        elif found.shape != shape:
            wrong.append(f"has {prefix}{name} as {list(found.shape)}, not {list(shape)}")
        else:
            body[name] = np.ascontiguousarray(found)
    if wrong:
        raise CheckpointInvalid(f"{WEIGHTS} does not fit config.json: it {_first(wrong)}.")
    used = {prefix + name for name in shapes}
    # Older files carry the numbers of the positions along.
    rest = {n: v for n, v in tensors.items() if n not in used and not n.endswith("position_ids")}
    return body, rest


def _head(rest: Tensors, width: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return the one linear layer from ``width`` numbers to a score: weight [width], bias []."""
    weights = [name for name in rest if _is_weight(name, rest[name].shape, width)]
    if len(weights) > 1:
        weights = [name for name in weights if _layer(name).rsplit(".", 1)[-1] in HEADS]
    if len(weights) != 1:
        raise CheckpointInvalid(
            f"{WEIGHTS} has {len(weights)} layers from {width} numbers to one; the published model "
            f"has one. Beside the encoder it holds {_first(sorted(rest)) or 'nothing'}."
        )
    name = weights[0]
    bias = rest.get(f"{_layer(name)}.bias", np.zeros(1, np.float32))
    unused = sorted(set(rest) - {name, f"{_layer(name)}.bias"})
    if unused or bias.size != 1:
        raise CheckpointInvalid(
            f"{WEIGHTS} holds more than an encoder and a linear layer: "
            f"{_first(unused) or 'a bias of several numbers'}. Such a head cannot be converted."
        )
    weight = np.ascontiguousarray(rest[name].reshape(width).astype(np.float32))
    return weight, bias.reshape(()).astype(np.float32)


def _is_weight(name: str, shape: tuple[int, ...], width: int) -> bool:
    return name.endswith("weight") and shape in ((1, width), (width,), (width, 1))


def _layer(name: str) -> str:
    return name.removesuffix("weight").rstrip(".")


def _first(names: Collection[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join([*names][:MOST_NAMED]) + more
