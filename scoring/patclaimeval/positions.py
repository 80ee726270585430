"""Position embeddings: how many tokens fit a model, and repeating the table until more do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import nn


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
