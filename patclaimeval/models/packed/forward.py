"""The forward pass of BERT, RoBERTa and its kin, and Longformer, over packed sequences."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, islice
from typing import Any, Final

import torch
from torch import Tensor, nn
from torch.nn.functional import layer_norm, linear

from patclaimeval.models.packed.attention import Attention, attention_for
from patclaimeval.models.packed.sequences import Packed, Reach, Spans, Tokens, drop, pack

Parameters = tuple[Tensor, ...]


class Weights:
    """Gives groups of parameters, each joined along its rows, in another float type.

    While gradients are wanted this is one step of the graph, so that they reach the parameters, in
    their own type. Otherwise the copies are kept until a parameter changes.
    """

    def __init__(self) -> None:
        """Begin with nothing kept."""
        self._kept: dict[tuple[int, ...], tuple[tuple[object, ...], Tensor]] = {}

    def joined(self, groups: Sequence[Parameters], dtype: torch.dtype) -> list[Tensor]:
        """Return each group's parameters below one another in ``dtype``."""
        learns = torch.is_grad_enabled()
        if learns and any(part.requires_grad and part.dtype != dtype for part in chain(*groups)):
            return list(_Cast.apply([len(group) for group in groups], dtype, *chain(*groups)))
        return [self._copy(group, dtype, learns) for group in groups]

    def _copy(self, parts: Parameters, dtype: torch.dtype, learns: bool) -> Tensor:
        if len(parts) == 1 and parts[0].dtype == dtype:
            return parts[0]
        if learns and any(part.requires_grad for part in parts):
            return torch.cat(parts)
        key = tuple(map(id, parts))
        state = (dtype, *((part.data_ptr(), part._version) for part in parts))
        kept = self._kept.get(key)
        if kept is None or kept[0] != state:
            # Made outside inference mode, it may also serve where gradients flow past it.
            with torch.inference_mode(False), torch.no_grad():
                kept = self._kept[key] = state, torch.cat([part.to(dtype) for part in parts])
        return kept[1]


class _Cast(torch.autograd.Function):
    """Groups of parameters joined in another type, and their gradients in the parameters' own.

    All are copied at once: hundreds of small steps would keep a GPU waiting for the processor.
    """

    @staticmethod
    def forward(
        ctx: Any, sizes: list[int], dtype: torch.dtype, *parts: Tensor
    ) -> tuple[Tensor, ...]:
        """Return one tensor a group; ``sizes``: how many of ``parts`` each holds."""
        found, rows = [], []
        left = iter(parts)
        for size in sizes:
            group = list(islice(left, size))
            total = sum(map(len, group))
            found.append(group[0].new_empty((total, *group[0].shape[1:]), dtype=dtype))
            rows += found[-1].split([len(part) for part in group])
        torch._foreach_copy_(rows, list(parts))
        ctx.set_materialize_grads(False)
        ctx.sizes, ctx.lengths, ctx.dtype = sizes, [len(part) for part in parts], parts[0].dtype
        return tuple(found)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor | None) -> tuple[Tensor | None, ...]:
        """Return the gradient of each part; None where none flows."""
        lengths = iter(ctx.lengths)
        rows: list[Tensor | None] = []
        for size, gradient in zip(ctx.sizes, gradients, strict=True):
            own = list(islice(lengths, size))
            rows += [None] * size if gradient is None else gradient.split(own)
        flowing = [row for row in rows if row is not None]
        found = [torch.empty_like(row, dtype=ctx.dtype) for row in flowing]
        torch._foreach_copy_(found, flowing)
        each = iter(found)
        return None, None, *(None if row is None else next(each) for row in rows)


def first_token_attention(
    states: Tensor, spans: Spans, weights: Sequence[Tensor], heads: int, rate: float
) -> Tensor:
    """Return what each sequence's first token attends to, shape [n, width], of states [T, width].

    With one query a sequence, q·(K x + b) is (Kᵀq)·x + q·b and the sum of weights times (V x + b)
    is V times the weighted sum of x: the two projections of every token are never made. The key's
    bias adds the same to all scores of a query, which softmax does not see: it is left out.
    Softmax is in 32-bit floats. ``weights``: of the queries, keys and values, each with its bias;
    ``rate`` is the share of attention weights that drop out.
    """
    x = spans.padded(states)
    query, query_bias, key, _, value, value_bias = weights
    width = x.shape[-1]
    size = width // heads
    q = (linear(x[:, 0], query, query_bias) / size**0.5).view(-1, heads, size)
    towards = torch.einsum("nhd,hdw->nhw", q, key.view(heads, size, width))
    scores = (towards @ x.transpose(1, 2)).float()
    shares = scores.masked_fill(~spans.real[:, None], float("-inf")).softmax(-1)
    shares = drop(shares, rate, rate > 0)
    gathered = torch.einsum("nhw,hdw->nhd", shares.to(x.dtype) @ x, value.view(heads, size, width))
    gathered = gathered + shares.sum(-1).to(x.dtype)[..., None] * value_bias.view(heads, size)
    return gathered.reshape(-1, width)


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

    def states(self, sequences: Sequence[Tokens]) -> Tensor:
        """Return the states of all tokens after the last layer, [T, width].

        Sequences follow one another. On a CPU a sequence run alone always gives the same bits;
        beside others the last of them may differ, as matrix products of other sizes round
        differently.
        """
        states, spans, weights = self._before_last(self.packed(sequences))
        return self._layer(-1, states, spans, weights)

    def first_states(self, sequences: Sequence[Tokens]) -> Tensor:
        """Return the states of each sequence's first token after the last layer, [n, width].

        Where that token attends for itself, the last layer is run for it alone.
        """
        return self.first_states_of(self.packed(sequences))

    def packed(self, sequences: Sequence[Tokens]) -> Packed:
        """Lay ``sequences`` end to end on the model's device."""
        return pack(sequences, next(self.model.parameters()).device, self.padding)

    def first_states_of(self, packed: Packed) -> Tensor:
        """Return what ``first_states`` does, of sequences that are packed."""
        states, spans, weights = self._before_last(packed)
        starts = spans.starts.long()
        if not self.first:
            return self._layer(-1, states, spans, weights)[starts]
        own = self._attend_first(states, spans, weights)
        return self._after_attention(self._layers()[-1], own, states[starts], weights)

    def _before_last(self, packed: Packed) -> tuple[Tensor, Spans, list[Tensor]]:
        """Return the states that the last layer is given, their spans, and that layer's weights."""
        layers = self._layers()
        groups = [self._groups(layer) for layer in layers]
        flat = iter(self._weights.joined(list(chain(*groups)), self.dtype))
        weights = [list(islice(flat, len(own))) for own in groups]
        states = self._embed(packed)
        for number in range(len(layers) - 1):
            states = self._layer(number, states, packed.spans, weights[number])
        return states, packed.spans, weights[-1]

    def _groups(self, layer: Any) -> list[Parameters]:
        """Return a layer's parameters in the order in which its steps take them."""
        own = layer.attention.self
        parts = [[own.query, own.key, own.value]]
        for part in (layer.attention.output, layer.intermediate, layer.output):
            parts += [
                [getattr(part, name)] for name in ("dense", "LayerNorm") if hasattr(part, name)
            ]
        if self.first:
            parts += [[own.query_global], [own.key_global], [own.value_global]]
        kinds = ("weight", "bias")
        return [tuple(getattr(one, kind) for one in part) for part in parts for kind in kinds]

    @property
    def padding(self) -> int | None:
        """The id of the padding token where positions are counted past it."""
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

    def _layer(
        self, number: int, states: Tensor, spans: Spans, weights: Sequence[Tensor]
    ) -> Tensor:
        attended = self._attend(states, spans, self._reach(number), weights)
        return self._after_attention(self._layers()[number], attended, states, weights)

    def _after_attention(
        self, layer: Any, attended: Tensor, states: Tensor, weights: Sequence[Tensor]
    ) -> Tensor:
        states = self._add(layer.attention.output, attended, states, weights[2:6])
        grown = layer.intermediate.intermediate_act_fn(linear(states, *weights[6:8]))
        return self._add(layer.output, grown, states, weights[8:12])

    def _add(self, part: Any, update: Tensor, states: Tensor, weights: Sequence[Tensor]) -> Tensor:
        dense, bias, scale, shift = weights
        update = drop(linear(update, dense, bias), part.dropout.p, self.model.training)
        norm = part.LayerNorm
        return layer_norm(update + states, norm.normalized_shape, scale, shift, norm.eps)

    def _attend(
        self, states: Tensor, spans: Spans, reach: Reach, weights: Sequence[Tensor]
    ) -> Tensor:
        heads = int(self.config.num_attention_heads)
        qkv = linear(states, *weights[:2]).view(len(states), 3, heads, -1)
        attention = self.attention or attention_for(
            states.device.type, self.dtype, torch.is_grad_enabled()
        )
        found = attention(qkv, spans, reach, self._attention_rate).reshape(states.shape)
        if not self.first:
            return found
        own = self._attend_first(states, spans, weights)
        starts = spans.starts.long()
        if torch.is_grad_enabled():
            return found.index_copy(0, starts, own)
        return found.index_copy_(0, starts, own)

    def _attend_first(self, states: Tensor, spans: Spans, weights: Sequence[Tensor]) -> Tensor:
        heads = int(self.config.num_attention_heads)
        return first_token_attention(states, spans, weights[12:], heads, self._attention_rate)

    @property
    def _attention_rate(self) -> float:
        rate = float(self.config.attention_probs_dropout_prob)
        return rate if self.model.training else 0.0
