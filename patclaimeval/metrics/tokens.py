"""The tokens that BLEU, METEOR and SARI share: by sacrebleu, each text tokenised once."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import import_module
from importlib.metadata import distribution
from typing import TYPE_CHECKING, Final

from patclaimeval.claims.languages import is_spaceless

if TYPE_CHECKING:
    from collections.abc import Callable

# By language; all that write blanks between words have that of the mteval-v13a script.
_SPACELESS: Final = {"zh": "zh", "ja": "char"}
_CLASSES: Final = {"13a": "Tokenizer13a", "zh": "TokenizerZh", "char": "TokenizerChar"}


def tokenizer_name(language: str) -> str | None:
    """Return sacrebleu's name of the tokenizer for a language, None where it has none.

    Chinese is cut into characters and Latin words ('zh'), Japanese into characters ('char'): its
    words would need a dictionary beside the library.
    """
    return _SPACELESS.get(language) if is_spaceless(language) else "13a"


@cache
def tokenizer_version(name: str) -> str:
    """Name a tokenizer for texts without blanks with a digest of its code, loading nothing."""
    found = hashlib.sha256()
    for module in (f"tokenizer_{name}", "tokenizer_re"):
        path = distribution("sacrebleu").locate_file(f"sacrebleu/tokenizers/{module}.py")
        found.update(path.read_bytes())  # type: ignore[attr-defined]
    return f"sacrebleu {name} tokens {found.hexdigest()[:12]}"


@cache
def tokenizer(name: str) -> Callable[[str], str]:
    """Return a tokenizer of sacrebleu: a text in, its tokens joined by single spaces out.

    It has its own cache of texts, so that a reference that stands in many pairs is tokenised once.
    Source: the mteval-v13a script, as implemented by sacrebleu, and sacrebleu's own.
    """
    module = import_module(f"sacrebleu.tokenizers.tokenizer_{name}")
    made: Callable[[str], str] = getattr(module, _CLASSES[name])()
    return made


def tokens_of(text: str, language: str) -> list[str]:
    """Split a text into tokens; case is kept. Input: any text, in a language with a tokenizer."""
    name = tokenizer_name(language)
    assert name is not None, language
    return tokenizer(name)(text.rstrip()).split()
