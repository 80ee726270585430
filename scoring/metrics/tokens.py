"""The 13a tokens that BLEU and METEOR share, each text tokenised once."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


@cache
def tokenizer_13a() -> Callable[[str], str]:
    """Return sacrebleu's 13a tokenizer: a text in, its tokens joined by single spaces out.

    The tokenizer has its own cache of texts, so that a reference that stands in many pairs is
    tokenised once. Source: the mteval-v13a script, as implemented by sacrebleu.
    """
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

    return Tokenizer13a()  # type: ignore[no-untyped-call]


def tokens_13a(text: str) -> list[str]:
    """Split a text into 13a tokens; case is kept. Input: any text. Output: 0 or more tokens."""
    return tokenizer_13a()(text.rstrip()).split()
