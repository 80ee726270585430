"""Names made from texts: the same claims have the same id in every file and every install."""

from hashlib import sha256
from typing import Final

DIGITS: Final = 16


def text_sha256(text: str) -> str:
    """Return the SHA-256 of a text's UTF-8 bytes as 64 hexadecimal digits."""
    return sha256(text.encode()).hexdigest()


def reference_id_of(text: str) -> str:
    """Return the id of a reference that came without one: "ref-" and 16 digits of its SHA-256.

    Sixteen digits are 64 bits: among a million different texts two share an id with a chance of
    about 3 in 100 million.
    """
    return f"ref-{text_sha256(text)[:DIGITS]}"


def candidate_id_of(text: str) -> str:
    """Return the id of a candidate that came without one: "cand-" and 16 digits of its SHA-256."""
    return f"cand-{text_sha256(text)[:DIGITS]}"
