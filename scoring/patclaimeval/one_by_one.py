"""Hugging Face's own forward pass, one sequence at a time, for models that are not packed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import torch
from torch import Tensor, nn

from scoring.patclaimeval.packed.sequences import Tokens


class OneByOne:
    """Runs any encoder over one sequence after the other, in 32-bit floats, without padding."""

    name: Final = "one by one"

    def __init__(self, model: nn.Module, global_tokens: str = "none") -> None:
        """Run ``model``; ``global_tokens`` 'cls' lets Longformer's first token see all keys."""
        self.model = model
        self.config: Any = model.config
        self.first = self.config.model_type == "longformer" and global_tokens == "cls"

    def states(self, sequences: Sequence[Tokens], layers: Sequence[int]) -> list[Tensor]:
        """Return for each of ``layers`` (0: embeddings) the states of all tokens, [T, width].

        Sequences follow one another; what lies beside one never changes its result.
        """
        found = [self._run(ids, kinds) for ids, kinds in sequences]
        return [torch.cat([hidden[layer][0] for hidden in found]) for layer in layers]

    def _run(self, ids: Sequence[int], kinds: Sequence[int]) -> tuple[Tensor, ...]:
        tokens = torch.tensor([ids], device=next(self.model.parameters()).device)
        inputs = {"input_ids": tokens, "attention_mask": torch.ones_like(tokens)}
        if getattr(self.config, "type_vocab_size", 0) > 1:
            inputs["token_type_ids"] = torch.tensor([kinds], device=tokens.device)
        if self.first:
            inputs["global_attention_mask"] = torch.zeros_like(tokens)
            inputs["global_attention_mask"][:, 0] = 1
        output = self.model(**inputs, output_hidden_states=True)
        return (*output.hidden_states[:-1], output.last_hidden_state)
