"""Writes a fine-tuned model so that plain transformers reads it, with a head in plain words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import torch
from safetensors.numpy import save_file
from tokenizers import Tokenizer
from torch import nn
from transformers import AutoConfig, AutoModel, PreTrainedTokenizerFast

from patclaimeval.models.checkpoint import README, Checkpoint, Tensors, read_checkpoint
from patclaimeval.models.errors import CheckpointInvalid, PatClaimEvalError
from patclaimeval.text_io.strict_json import loads

__all__ = ["NotPlain", "write_plain"]

PLAIN_KIND: Final = "finetune"
HEAD_FACTS: Final = "head.json"
HEAD: Final = "head.safetensors"

CODE: Final = '''\
import json
from pathlib import Path

import torch
from safetensors.torch import load_file
from transformers import AutoModel, AutoTokenizer


def load(place):
    facts = json.loads((Path(place) / "head.json").read_text())
    how = {"dtype": torch.float32, "attn_implementation": facts["attention"]}
    model = AutoModel.from_pretrained(place, **how).eval()
    head = load_file(Path(place) / "head.safetensors")
    return AutoTokenizer.from_pretrained(place), model, head, facts


@torch.inference_mode()
def score(parts, reference, candidate):
    """s(Q given P): one pair at a time, so that no padding can change it."""
    tokenizer, model, head, facts = parts
    inputs = tokenizer(reference, candidate, return_tensors="pt")
    if inputs["input_ids"].shape[1] > facts["max_tokens"]:
        raise ValueError("The pair is longer than the model takes; cutting it would change it.")
    if facts["global_tokens"] == "cls":
        inputs["global_attention_mask"] = torch.zeros_like(inputs["input_ids"])
        inputs["global_attention_mask"][:, 0] = 1
    states = model(**inputs).last_hidden_state[0]
    h = states.mean(0) if facts["pooling"] == "mean" else states[0]
    z = ((h - head["centre"]) * head["scale"]).clamp(-facts["clip"], facts["clip"])
    return torch.sigmoid(z @ head["weight"] + head["bias"]).item()
'''
"""The head in plain words; tests run it as it stands in the README."""


class NotPlain(PatClaimEvalError):
    """The model rests on more than an encoder and a linear head; the message says on what."""


def write_plain(directory: Path, target: Path, manifest_sha256: str | None = None) -> None:
    """Write the model in ``directory`` to ``target``, which exists and is empty.

    ``manifest_sha256`` is as for ``read_checkpoint``.

    Files: config.json, model.safetensors and the tokenizer's, as transformers writes them, in
    32-bit floats; head.safetensors with weight, bias, centre and scale; head.json with what else
    decides a score; README.md with a head of some twenty lines and the model's card.
    Raises ``NotPlain`` for a probe or what started from one, ``CheckpointInvalid`` for a changed
    directory.
    """
    checkpoint = read_checkpoint(directory, manifest_sha256)
    _refuse_features(checkpoint)
    shape = _shape(checkpoint)
    config = AutoConfig.for_model(**shape)
    model = AutoModel.from_config(config, dtype=torch.float32)
    _load(model, _part(checkpoint, "encoder."))
    model.save_pretrained(target)
    facts = _facts(checkpoint, config)
    _tokenizer(checkpoint, config, facts["max_tokens"]).save_pretrained(target)
    save_file(_part(checkpoint, "head."), target / HEAD)
    (target / HEAD_FACTS).write_text(json.dumps(facts, indent=1, sort_keys=True) + "\n")
    (target / README).write_text(_readme(checkpoint), encoding="utf-8")


def _refuse_features(checkpoint: Checkpoint) -> None:
    kind = checkpoint.config.get("kind")
    if kind != PLAIN_KIND:
        raise NotPlain(
            f"This model is a {kind}: its score also rests on features of claim text (terms, "
            "antecedents, citations, overlap) that no short head can compute. Download its own "
            "directory and score with `python -m patclaimeval score`; only models of the "
            "method finetune are exported for plain transformers."
        )


def _shape(checkpoint: Checkpoint) -> dict[str, Any]:
    try:
        return dict(loads(checkpoint.texts["encoder_config.json"].encode()))
    except (KeyError, TypeError, ValueError) as error:
        raise CheckpointInvalid("The model lacks its encoder's configuration.") from error


def _part(checkpoint: Checkpoint, prefix: str) -> Tensors:
    return {
        name.removeprefix(prefix): tensor
        for name, tensor in checkpoint.tensors.items()
        if name.startswith(prefix)
    }


def _load(model: nn.Module, tensors: Tensors) -> None:
    try:
        model.load_state_dict({name: torch.from_numpy(one) for name, one in tensors.items()})
    except RuntimeError as error:
        raise CheckpointInvalid(f"The weights do not fit the model: {error}") from error


def _facts(checkpoint: Checkpoint, config: Any) -> dict[str, Any]:
    settings, encoder = checkpoint.config["settings"], checkpoint.config["encoder"]
    is_longformer = config.model_type == "longformer"
    return {
        "criterion": checkpoint.config["criterion"],
        "tie_threshold": checkpoint.config["tie_threshold"],
        "clip": checkpoint.config["clip"],
        "pooling": settings["pooling"],
        "max_tokens": encoder["limit"],
        "global_tokens": settings["global_tokens"] if is_longformer else "none",
        "attention": "eager" if is_longformer else "sdpa",
        "encoder_sha256_before_training": encoder["sha256"],
    }


def _tokenizer(checkpoint: Checkpoint, config: Any, limit: int) -> PreTrainedTokenizerFast:
    backend = Tokenizer.from_str(checkpoint.texts["tokenizer.json"])
    names = ["input_ids", "attention_mask"]
    if (getattr(config, "type_vocab_size", 0) or 0) > 1:
        names.insert(1, "token_type_ids")
    padding = getattr(config, "pad_token_id", None)
    return PreTrainedTokenizerFast(
        tokenizer_object=backend,
        model_input_names=names,
        model_max_length=limit,
        pad_token=backend.id_to_token(padding) if padding is not None else None,
    )


def _readme(checkpoint: Checkpoint) -> str:
    card = checkpoint.texts.get(README, "")
    return (
        "# How to score with this directory\n\n"
        "It needs `transformers`, `torch` and `safetensors`. Compare two candidates of one "
        "reference: the higher score is the better one, and a difference of at most "
        f"`tie_threshold` in `head.json` is a tie. {_closeness(checkpoint)}\n\n"
        f"```python\n{CODE}```\n\n"
        '`score(load("this-directory"), reference_text, candidate_text)`\n'
        + (f"\n{card}" if card else "")
    )


def _closeness(checkpoint: Checkpoint) -> str:
    if checkpoint.config["settings"].get("precision") == "bf16":
        return (
            "PatClaimEval trained and scores this model in bfloat16; this code computes in 32-bit "
            "floats, so its scores differ from PatClaimEval's from the third digit on."
        )
    return "Scores are those of PatClaimEval to six digits."
