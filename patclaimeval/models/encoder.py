"""Encoders: finding one, checking it, and running texts through it; nothing is cut."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch
from safetensors import safe_open
from tokenizers import Tokenizer
from torch import Tensor, nn
from transformers import AutoConfig, AutoModel, AutoTokenizer, PretrainedConfig
from transformers.utils.logging import disable_progress_bar

from patclaimeval.models.config import DEFAULT_ENCODER
from patclaimeval.models.data import Pair, Quadruplet, distinct_pairs
from patclaimeval.models.encoder_places import (
    beyond_measure,
    default_directory,
    refuse_directory,
    what_is_missing,
)
from patclaimeval.models.errors import EncoderUnavailable
from patclaimeval.models.one_by_one import OneByOne
from patclaimeval.models.packed.forward import PackedForward, can_pack
from patclaimeval.models.packed.sequences import Tokens, by_budget


@dataclass(frozen=True)
class Positions:
    """How many tokens a model was made for and how many fit it now."""

    made_for: int
    fitting: int


def lengthen_positions(model: nn.Module, wanted: int) -> Positions:
    """Repeat learned position embeddings until ``wanted`` tokens fit; return what fitted and fits.

    The table is tiled, as the authors of Longformer did with RoBERTa's. RoBERTa's kin keep the
    rows up to the padding index in front. Models without such a table keep their own limit.
    """
    config: Any = model.config
    embeddings: Any = getattr(model, "embeddings", None)
    table = getattr(embeddings, "position_embeddings", None)
    if not isinstance(table, nn.Embedding):
        own = int(getattr(config, "max_position_embeddings", wanted))
        return Positions(own, own)
    roberta_kin = config.model_type in ("roberta", "longformer", "xlm-roberta", "camembert")
    offset = int(config.pad_token_id) + 1 if roberta_kin else 0
    fitting = table.num_embeddings - offset
    if fitting >= wanted:
        return Positions(fitting, fitting)
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
    return Positions(fitting, wanted)


DTYPES: Final = {"fp32": torch.float32, "bf16": torch.bfloat16}


def resolve_precision(wanted: str, device: str) -> str:
    """Return 'fp32' or 'bf16' for ``wanted``, one of those or 'auto', on a device ('cpu', 'cuda').

    'auto' is bfloat16 on a card that computes in it, and 32 bits elsewhere: some processors have
    no bfloat16 arithmetic and are slower with it.
    """
    if wanted != "auto":
        return wanted
    is_cuda = device.startswith("cuda")
    return "bf16" if is_cuda and torch.cuda.is_bf16_supported(including_emulation=False) else "fp32"


ORIGIN: Final = "_name_or_path"
"""Under this key transformers notes where a model was read from: a path of this machine."""

WEIGHTS: Final = "model.safetensors"
FLOATS: Final = ("F64", "F32", "F16", "BF16")
_NAMES: Final = {torch.float32: "F32", torch.int64: "I64", torch.bool: "BOOL"}
"""What a model that is made here can be of, as safetensors calls it."""

__all__ = ["Encoder", "EncoderUnavailable", "encoder_files", "load_encoder", "rebuild_encoder"]


class Encoder(nn.Module):
    """A Hugging Face encoder with its tokenizer: takes texts or pairs, uncut and unpadded.

    BERT, RoBERTa and its kin, and Longformer run packed; any other model runs by Hugging Face's
    own forward pass, one sequence at a time. ``limit`` is the longest sequence in tokens, special
    ones included. The parameters are Hugging Face's under their own names either way.
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
        self.positions = lengthen_positions(model, max_tokens)
        self.limit = min(max_tokens, self.positions.fitting)
        self.forward_pass: PackedForward | OneByOne = (
            PackedForward(model, global_tokens)
            if can_pack(model)
            else OneByOne(model, global_tokens)
        )
        self.digest = self._digest()

    @property
    def width(self) -> int:
        """Size of a hidden state."""
        return int(self.config.hidden_size)

    @property
    def layers(self) -> int:
        """Number of layers."""
        return int(self.config.num_hidden_layers)

    @property
    def precision(self) -> str:
        """What the encoder computes in: 'fp32' or 'bf16'."""
        half = getattr(self.forward_pass, "dtype", torch.float32) == torch.bfloat16
        return "bf16" if half else "fp32"

    def use_precision(self, wanted: str, device: str) -> str:
        """Compute in ``wanted`` ('fp32', 'bf16' or 'auto': see ``resolve_precision``) from now on.

        Returns which it is. The parameters stay 32-bit. Raises ``EncoderUnavailable`` if bf16 is
        asked of a model that is not packed; 'auto' gives such a model 32 bits.
        """
        if isinstance(self.forward_pass, PackedForward):
            self.forward_pass.dtype = DTYPES[resolve_precision(wanted, device)]
        elif wanted == "bf16":
            raise EncoderUnavailable(
                f"The encoder {self.name} runs in 32-bit floats only: choose the precision auto."
            )
        return self.precision

    def facts(self) -> dict[str, Any]:
        """Return name, kind, sizes, limit, positions, way of running and digest, fit for JSON."""
        return {
            "name": self.name,
            "kind": self.config.model_type,
            "layers": self.layers,
            "width": self.width,
            "parameters": sum(p.numel() for p in self.model.parameters()),
            "limit": self.limit,
            "own_positions": self.positions.made_for,
            "forward": self.forward_pass.name,
            "global_tokens": self.global_tokens if self._is_longformer else None,
            "sha256": self.digest,
        }

    def token_count(self, reference: str, candidate: str) -> int:
        """Return the length of the pair in tokens, special ones included."""
        return len(self.tokenizer.encode(reference, candidate).ids)

    def pooled_pair(self, reference: str, candidate: str, pooling: str) -> Tensor:
        """Return the pair's vector, shape [width]: mean over tokens, or the first token's state."""
        return self.pooled_pairs([(reference, candidate)], pooling)[0]

    def pooled_pairs(
        self, pairs: Sequence[tuple[str, str]], pooling: str, token_budget: int | None = 0
    ) -> Tensor:
        """Return the vectors of n (reference, candidate) pairs, shape [n, width], 32-bit floats.

        ``pooling``: 'mean' over tokens, or 'cls', the first token's state. ``token_budget``: pairs
        run together while they hold at most so many tokens; 0 runs each by itself, None all at
        once. On a CPU, 0 gives a pair the same bits whatever else is asked for; otherwise its
        company may change a vector by rounding (about 1e-6 of its size in 32-bit floats, 1e-2 in
        bfloat16). Raises ``ValueError`` for a pair over the limit.
        """
        tokens = self.tokens(pairs)
        lengths = [len(ids) for ids, _ in tokens]
        vectors = [torch.empty((0, self.width), device=next(self.model.parameters()).device)]
        for group in by_budget(lengths, token_budget):
            own = [tokens[i] for i in group]
            if pooling == "mean":
                parts = self.forward_pass.states(own).float().split([lengths[i] for i in group])
                vectors.append(torch.stack([part.mean(0) for part in parts]))
            else:
                vectors.append(self.forward_pass.first_states(own).float())
        return torch.cat(vectors)

    def tokens(self, pairs: Sequence[tuple[str, str]]) -> list[Tokens]:
        """Return the tokens of (reference, candidate) pairs.

        Raises ``ValueError`` for a pair over the limit.
        """
        found = [self.tokenizer.encode(*pair) for pair in pairs]
        longest = max((len(one.ids) for one in found), default=0)
        if longest > self.limit:
            raise ValueError(f"{longest} tokens are more than the limit {self.limit}")
        return [(one.ids, one.type_ids) for one in found]

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


def load_encoder(name: str, *, max_tokens: int, global_tokens: str = "cls") -> Encoder:
    """Load an encoder by name and return it in evaluation mode, in 32-bit floats, on the CPU.

    ``name``: 'default' (the embedded one, its weights checked by digest), a directory in
    Hugging Face layout, or a model name, looked for in the local cache. Nothing is downloaded, and
    code that comes with a model is never run.
    Raises ``EncoderUnavailable`` with what is missing and what to put where.
    """
    source = default_directory() if name == DEFAULT_ENCODER else Path(name)
    local = source.is_dir()
    if not local and (source.is_absolute() or name.startswith((".", "~"))):
        raise EncoderUnavailable(
            f"There is no encoder directory at {name}. Put a model in Hugging Face layout there "
            "(config.json, model.safetensors, tokenizer.json) or choose the encoder 'default'."
        ) from FileNotFoundError(name)
    options = {"local_files_only": True, "trust_remote_code": False}
    if local:
        refuse_directory(name, source)
    place = str(source) if local else name
    # Progress is told through `on_progress`; a bar of its own would only fill a worker's log.
    disable_progress_bar()
    try:
        tokenizer = AutoTokenizer.from_pretrained(place, use_fast=True, **options)
        config = AutoConfig.from_pretrained(place, **options)
        _refuse_sizes(config.to_dict())
        if (source / WEIGHTS).is_file():
            _refuse_whole_numbers(name, source / WEIGHTS)
        # Weights in any other file are unpickled by torch.
        model, told = AutoModel.from_pretrained(
            place,
            config=config,
            dtype=torch.float32,
            use_safetensors=True,
            output_loading_info=True,
            **_attention(config),
            **options,
        )
    except EncoderUnavailable:
        raise
    except Exception as error:  # what is wrong with files of others is raised as anything
        raise EncoderUnavailable(what_is_missing(name, local, error)) from error
    _refuse_weights(name, model, told["missing_keys"])
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        raise EncoderUnavailable(f"The encoder {name} has no fast tokenizer (tokenizer.json).")
    return _finish(name, model, Tokenizer.from_str(backend.to_str()), max_tokens, global_tokens)


def rebuild_encoder(
    name: str, config: dict[str, Any], tokenizer: str, max_tokens: int, global_tokens: str
) -> Encoder:
    """Return an encoder of the given shape whose weights are still to be loaded (from a file)."""
    model = _shaped_model(config)
    return _finish(name, model, _read_tokenizer(name, tokenizer), max_tokens, global_tokens)


def encoder_tensors(
    config: dict[str, Any], max_tokens: int
) -> tuple[int, dict[str, tuple[str, tuple[int, ...]]]]:
    """Return the width, and dtype and shape of each tensor that ``rebuild_encoder`` takes, by name.

    Nothing is allocated: the model is laid out without memory behind it.
    """
    with torch.device("meta"):
        model = _shaped_model(config)
        lengthen_positions(model, max_tokens)
    state = model.state_dict()
    tensors = {name: (_NAMES[value.dtype], tuple(value.shape)) for name, value in state.items()}
    return int(model.config.hidden_size), tensors


def _shaped_model(config: dict[str, Any]) -> Any:
    _refuse_sizes(config)
    kept = AutoConfig.for_model(**config)
    options = {"trust_remote_code": False, "dtype": torch.float32}
    return AutoModel.from_config(kept, **options, **_attention(kept))


def _read_tokenizer(name: str, text: str) -> Tokenizer:
    try:
        return Tokenizer.from_str(text)
    except Exception as error:  # the library raises no kind of its own
        raise EncoderUnavailable(f"The tokenizer of the encoder {name} cannot be read.") from error


def _finish(
    name: str, model: Any, tokenizer: Tokenizer, max_tokens: int, global_tokens: str
) -> Encoder:
    tokens, rows = tokenizer.get_vocab_size(), int(model.config.vocab_size)
    if tokens > rows:
        raise EncoderUnavailable(
            f"The tokenizer of the encoder {name} knows {tokens:,} tokens and its weights only "
            f"{rows:,}: it belongs to another model. Put the tokenizer.json that came with the "
            "weights in its place."
        )
    encoder = Encoder(name, model, tokenizer, max_tokens, global_tokens)
    encoder.eval()
    return encoder


def _refuse_whole_numbers(name: str, weights: Path) -> None:
    """Raise ``EncoderUnavailable`` for weights that the library would turn into floats unasked."""
    with safe_open(weights, "pt") as held:
        for key in list(held.keys()):
            dtype = held.get_slice(key).get_dtype()
            # Older files carry the numbers of the positions along.
            if dtype not in FLOATS and not key.endswith("position_ids"):
                raise EncoderUnavailable(
                    f"The encoder {name} cannot be used: its weights {key} are {dtype}, not floats."
                )


def _refuse_weights(name: str, model: nn.Module, missing: Iterable[str]) -> None:
    """Raise ``EncoderUnavailable`` for weights that are not finite, or drawn for want of any.

    The pooler is not used, and many published encoders come without one.
    """
    lacking = sorted(key for key in missing if not key.startswith("pooler."))
    if lacking:
        raise EncoderUnavailable(
            f"The encoder {name} cannot be used: its weights lack {lacking[0]}"
            f"{f' and {len(lacking) - 1} more' if len(lacking) > 1 else ''}. Put the whole "
            "model.safetensors of the encoder there."
        )
    for key, value in model.state_dict().items():
        if not torch.isfinite(value).all():
            raise EncoderUnavailable(
                f"The encoder {name} cannot be used: its weights {key} hold numbers that are not "
                "finite."
            )


def _refuse_sizes(config: Mapping[str, Any]) -> None:
    """Raise ``EncoderUnavailable`` before anything is allocated for sizes out of all measure."""
    wrong = beyond_measure(config)
    if wrong:
        raise EncoderUnavailable(f"The configuration of the encoder is out of measure: {wrong}")


def _attention(config: PretrainedConfig) -> dict[str, str]:
    # Longformer knows only its own ("eager") attention; the others are several times faster fused.
    return {"attn_implementation": "eager" if config.model_type == "longformer" else "sdpa"}


def encoder_files(encoder: Encoder) -> dict[str, str]:
    """Return what ``rebuild_encoder`` needs, as the texts of two files, by file name."""
    config = {key: value for key, value in encoder.config.to_dict().items() if key != ORIGIN}
    return {
        "encoder_config.json": json.dumps(config, sort_keys=True, indent=1),
        "tokenizer.json": encoder.tokenizer.to_str(),
    }


MEASURED_AT_ONCE = 64
"""Pairs measured between two chances to stop."""


def too_long(encoder: Encoder, pairs: Sequence[Pair]) -> list[tuple[int, int]]:
    """Return (position, tokens) of each pair that does not fit ``encoder.limit``."""
    known = {pair: encoder.token_count(*pair) for pair in dict.fromkeys(pairs)}
    return [(i, known[pair]) for i, pair in enumerate(pairs) if known[pair] > encoder.limit]


def refusal(named: Sequence[str], limit: int) -> str:
    """Return the sentence that refuses pairs over the limit, with the first ten by name."""
    return f"Nothing is cut: these pairs are longer than {limit} tokens: {_first_ten(named)}."


def measure(
    encoder: Encoder, items: Sequence[Quadruplet], on_step: Callable[[int, int], None]
) -> dict[Pair, int]:
    """Return the tokens of each distinct pair; ``on_step(done, total)`` may raise to stop."""
    pairs = distinct_pairs(items)
    known: dict[Pair, int] = {}
    for done, pair in enumerate(pairs):
        if done % MEASURED_AT_ONCE == 0:
            on_step(done, len(pairs))
        known[pair] = encoder.token_count(*pair)
    return known


def over_limit(
    items: Sequence[Quadruplet], tokens: Mapping[Pair, int], limit: int
) -> tuple[list[Quadruplet], list[str], list[str]]:
    """Divide items by whether both their pairs fit ``limit`` tokens.

    Returns the items that fit, the names of the pairs that do not (each once, with its tokens),
    and the names of the items that do not.
    """
    fitting: list[Quadruplet] = []
    pairs: dict[Pair, str] = {}
    left_out: list[str] = []
    for number, item in enumerate(items, start=1):
        sides = zip("BC", item.pairs, strict=True)
        long = [(side, pair) for side, pair in sides if tokens[pair] > limit]
        for side, pair in long:
            words = f"reference {item.reference_id}, candidate {side} of item {number}"
            pairs.setdefault(pair, f"{words} ({tokens[pair]} tokens)")
        if long:
            left_out.append(f"reference {item.reference_id}, item {number}")
        else:
            fitting.append(item)
    return fitting, list(pairs.values()), left_out


def left_out_warning(named: Sequence[str], limit: int) -> str:
    """Return the sentence about items left out, with the first ten by name."""
    count = "1 item was" if len(named) == 1 else f"{len(named)} items were"
    return (
        f"{count} left out because a pair is longer than {limit} tokens (nothing is cut): "
        f"{_first_ten(named)}."
    )


def _first_ten(named: Sequence[str]) -> str:
    more = f" and {len(named) - 10} more" if len(named) > 10 else ""
    return ", ".join(named[:10]) + more
