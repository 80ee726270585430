"""Random two-layer models of every packed kind, and sequences of random tokens."""

from typing import Any

import torch
from torch import Tensor
from transformers import (
    BertConfig,
    BertModel,
    LongformerConfig,
    LongformerModel,
    RobertaConfig,
    RobertaModel,
)

from patclaimeval.models.packed.sequences import Tokens

LENGTHS = (37, 63, 65, 149, 257)
"""Below the wider window, about it, and several windows long."""
REAL_LENGTHS = (300, 511, 513, 1186, 2057)
REAL_SIZES: dict[str, Any] = {"max_position_embeddings": 2100, "attention_window": [512, 256]}
SHAPE: dict[str, Any] = {
    "vocab_size": 99,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 64,
    "max_position_embeddings": 300,
    # Small initial weights leave attention nearly even: a wrong mask would hardly show.
    "initializer_range": 0.3,
}
ROBERTA = {"pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2, "type_vocab_size": 1}


def bert(**changes: Any) -> BertModel:
    """A BERT in evaluation mode."""
    torch.manual_seed(3)
    return BertModel(BertConfig(**SHAPE | changes)).eval()


def roberta(**changes: Any) -> RobertaModel:
    """A RoBERTa in evaluation mode."""
    torch.manual_seed(4)
    return RobertaModel(RobertaConfig(**SHAPE | ROBERTA | changes)).eval()


def longformer(**changes: Any) -> LongformerModel:
    """A Longformer in evaluation mode whose layers have windows of two sizes."""
    torch.manual_seed(5)
    settings = SHAPE | ROBERTA | {"attention_window": [64, 32]} | changes
    return LongformerModel(LongformerConfig(**settings)).eval()


def tokens(length: int, seed: int = 0) -> Tokens:
    """Return random tokens of two texts, among them the padding token."""
    draw = torch.Generator().manual_seed(seed + length)
    ids = torch.randint(0, 99, (length,), generator=draw)
    ids[length // 3] = 1
    return ids.tolist(), [int(i > length // 2) for i in range(length)]


def by_hugging_face(model: Any, sequence: Tokens, global_tokens: str = "none") -> Tensor:
    """Return the last states, shape [L, width], from Hugging Face's own forward pass."""
    ids = torch.tensor([sequence[0]])
    inputs = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
    if model.config.type_vocab_size > 1:
        inputs["token_type_ids"] = torch.tensor([sequence[1]])
    if global_tokens == "cls":
        inputs["global_attention_mask"] = torch.zeros_like(ids)
        inputs["global_attention_mask"][:, 0] = 1
    states: Tensor = model(**inputs).last_hidden_state[0]
    return states


def distance(found: Tensor, wanted: Tensor) -> float:
    """Return the length of the difference, relative to what is wanted."""
    return float((found - wanted).detach().norm() / wanted.detach().norm())
