"""The forward pass of BERT, RoBERTa and its kin, and Longformer, over packed sequences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import torch
from torch import Tensor, nn
from torch.nn.functional import layer_norm, linear

from scoring.patclaimeval.packed.attention import Attention, attention_for
from scoring.patclaimeval.packed.sequences import Packed, Reach, Spans, Tokens, drop, pack

Parameters = tuple[Tensor, ...]


class Weights:
    """Gives parameters joined along their rows in another float type.

    While gradients are wanted this is a step of the graph, so that they reach the parameters, in
    their own type. Otherwise the copy is kept until a parameter changes.
    """

    def __init__(self) -> None:
        """Begin with nothing kept."""
        self._kept: dict[tuple[int, ...], tuple[tuple[object, ...], Tensor]] = {}

    def linear(self, parts: Sequence[nn.Linear], dtype: torch.dtype) -> tuple[Tensor, Tensor]:
        """Return weight [sum of outputs, inputs] and bias of linear layers side by side."""
        return (
            self.joined(tuple(part.weight for part in parts), dtype),
            self.joined(tuple(part.bias for part in parts), dtype),
        )

    def joined(self, parts: Parameters, dtype: torch.dtype) -> Tensor:
        """Return ``parts`` below one another in ``dtype``."""
        if len(parts) == 1 and parts[0].dtype == dtype:
            return parts[0]
        if torch.is_grad_enabled() and any(part.requires_grad for part in parts):
            return _join(parts, dtype)
        key = tuple(map(id, parts))
        state = (dtype, *((part.data_ptr(), part._version) for part in parts))
        kept = self._kept.get(key)
        if kept is None or kept[0] != state:
            # Made outside inference mode, it may also serve where gradients flow past it.
            with torch.inference_mode(False), torch.no_grad():
                kept = self._kept[key] = state, _join(parts, dtype)
        return kept[1]


def _join(parts: Parameters, dtype: torch.dtype) -> Tensor:
    cast = [part.to(dtype) for part in parts]
    return cast[0] if len(cast) == 1 else torch.cat(cast)


def first_token_attention(
    states: Tensor, spans: Spans, attention: nn.Module, heads: int, rate: float
) -> Tensor:
    """Return what each sequence's first token attends to, shape [n, width], of states [T, width].

    With one query a sequence, q·(K x + b) is (Kᵀq)·x + q·b and the sum of weights times (V x + b)
    is V times the weighted sum of x: the two projections of every token are never made. In 32-bit
    floats whatever the states are in. ``rate`` is the share of weights that drop out.
    """
    rows, real = spans.padded_rows()
    x = states[rows].float()
    query, key, value = (getattr(attention, f"{name}_global") for name in ("query", "key", "value"))
    width = x.shape[-1]
    size = width // heads
    q = (query(x[:, 0]) / size**0.5).view(-1, heads, size)
    towards = torch.einsum("nhd,hdw->nhw", q, key.weight.view(heads, size, width))
    shift = torch.einsum("nhd,hd->nh", q, key.bias.view(heads, size))
    scores = towards @ x.transpose(1, 2) + shift[..., None]
    weights = scores.masked_fill(~real[:, None], float("-inf")).softmax(-1)
    weights = drop(weights, rate, rate > 0)
    gathered = torch.einsum("nhw,hdw->nhd", weights @ x, value.weight.view(heads, size, width))
    gathered = gathered + weights.sum(-1)[..., None] * value.bias.view(heads, size)
    return gathered.reshape(-1, width).to(states.dtype)


PACKED_KINDS: Final = ("bert", "roberta", "xlm-roberta", "camembert", "longformer")


def can_pack(model: nn.Module) -> bool:
    """Whether ``model`` is one whose forward pass is written here."""
    config: Any = model.config
    return config.model_type in PACKED_KINDS and not getattr(config, "is_decoder", False)


class PackedForward:
    """Runs a Hugging Face model's own parameters; the model stays the owner of every weight.

    ``dtype`` is the type it computes in: 32-bit floats give what Hugging Face gives, to 1e-5;
    in bfloat16 states and products are bfloat16, sums within them, softmax and the parameters
    stay 32-bit. While the model trains, dropout falls on the same places as in Hugging Face.
    """

    name: Final = "packed"

    def __init__(
        self, model: nn.Module, global_tokens: str = "none", dtype: torch.dtype = torch.float32
    ) -> None:
        """Read ``model``; ``global_tokens`` 'cls' gives Longformer's first token all keys."""
        self.model = model
        self.config: Any = model.config
        self.dtype = dtype
        self.first = self.config.model_type == "longformer" and global_tokens == "cls"
        self.attention: Attention | None = None
        """Taken instead of the device's own operation, if set."""
        self._weights = Weights()

    def states(self, sequences: Sequence[Tokens], layers: Sequence[int]) -> list[Tensor]:
        """Return for each of ``layers`` (0: embeddings) the states of all tokens, [T, width].

        Sequences follow one another. On a CPU a sequence run alone always gives the same bits;
        beside others the last of them may differ, as matrix products of other sizes round
        differently.
        """
        packed = pack(sequences, next(self.model.parameters()).device, self._padding())
        found = self._embed(packed)
        kept = {0: found}
        for number, layer in enumerate(self._layers()[: max(layers)], start=1):
            found = self._layer(layer, found, packed.spans, self._reach(number - 1))
            kept |= {number: found} if number in layers else {}
        return [kept[layer] for layer in layers]

    def _padding(self) -> int | None:
        return None if self.config.model_type == "bert" else int(self.config.pad_token_id)

    def _layers(self) -> Sequence[Any]:
        encoder: Any = self.model.encoder
        layers: Sequence[Any] = encoder.layer
        return layers

    def _reach(self, number: int) -> Reach:
        if self.config.model_type != "longformer":
            return Reach()
        window = self.config.attention_window
        width = window if isinstance(window, int) else window[number]
        return Reach(width // 2, self.first)

    def _embed(self, packed: Packed) -> Tensor:
        part: Any = self.model.embeddings
        one_kind = self.config.type_vocab_size == 1
        kinds = torch.zeros_like(packed.kinds) if one_kind else packed.kinds
        found = part.word_embeddings(packed.ids) + part.token_type_embeddings(kinds)
        found = found + part.position_embeddings(packed.positions)
        found = part.LayerNorm(found)
        return drop(found, part.dropout.p, self.model.training).to(self.dtype)

    def _layer(self, layer: Any, states: Tensor, spans: Spans, reach: Reach) -> Tensor:
        attended = self._attend(layer.attention.self, states, spans, reach)
        states = self._add(layer.attention.output, attended, states)
        inner = layer.intermediate
        grown = linear(states, *self._weights.linear([inner.dense], self.dtype))
        return self._add(layer.output, inner.intermediate_act_fn(grown), states)

    def _add(self, part: Any, update: Tensor, states: Tensor) -> Tensor:
        update = linear(update, *self._weights.linear([part.dense], self.dtype))
        total = drop(update, part.dropout.p, self.model.training) + states
        norm = part.LayerNorm
        scale, shift = (
            self._weights.joined((own,), self.dtype) for own in (norm.weight, norm.bias)
        )
        return layer_norm(total, norm.normalized_shape, scale, shift, norm.eps)

    def _attend(self, part: Any, states: Tensor, spans: Spans, reach: Reach) -> Tensor:
        heads = int(self.config.num_attention_heads)
        training = self.model.training
        weights = self._weights.linear([part.query, part.key, part.value], self.dtype)
        qkv = linear(states, *weights).view(len(states), 3, heads, -1)
        attention = self.attention or attention_for(
            states.device.type, self.dtype, torch.is_grad_enabled()
        )
        rate = float(self.config.attention_probs_dropout_prob) if training else 0.0
        found = attention(qkv, spans, reach, rate).reshape(states.shape)
        if not self.first:
            return found
        own = first_token_attention(states, spans, part, heads, rate)
        return found.index_copy(0, spans.starts.long(), own)
