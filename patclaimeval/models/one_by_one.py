"""The forward pass of encoders that are not packed: Hugging Face's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import torch
from torch import Tensor, nn

from patclaimeval.models.packed.sequences import Tokens


class OneByOne:
    """Runs any encoder over one sequence after the other, in 32-bit floats, without padding."""

    name: Final = "one by one"

    def __init__(self, model: nn.Module, global_tokens: str = "none") -> None:
        """Run ``model``; ``global_tokens`` 'cls' lets Longformer's first token see all keys."""
        self.model = model
        self.config: Any = model.config
        self.first = self.config.model_type == "longformer" and global_tokens == "cls"

    def states(self, sequences: Sequence[Tokens]) -> Tensor:
        """Return the states of all tokens after the last layer, [T, width].

        Sequences follow one another; what lies beside one never changes its result.
        """
        return torch.cat([self._run(*sequence) for sequence in sequences])

    def first_states(self, sequences: Sequence[Tokens]) -> Tensor:
        """Return the states of each sequence's first token after the last layer, [n, width]."""
        return torch.stack([self._run(*sequence)[0] for sequence in sequences])

    def _run(self, ids: Sequence[int], kinds: Sequence[int]) -> Tensor:
        tokens = torch.tensor([ids], device=next(self.model.parameters()).device)
        inputs = {"input_ids": tokens, "attention_mask": torch.ones_like(tokens)}
        if getattr(self.config, "type_vocab_size", 0) > 1:
            inputs["token_type_ids"] = torch.tensor([kinds], device=tokens.device)
        if self.first:
            inputs["global_attention_mask"] = torch.zeros_like(tokens)
            inputs["global_attention_mask"][:, 0] = 1
        states: Tensor = self.model(**inputs).last_hidden_state
        return states[0]
