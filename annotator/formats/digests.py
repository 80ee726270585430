"""Names made from texts: the same claims have the same id in every file and every install."""

from functools import lru_cache
from hashlib import sha256
from typing import Final

DIGITS: Final = 16


# Rows repeat the texts of the row before them, and each of its names begins with their digests.
@lru_cache(maxsize=16)
def text_sha256(text: str) -> str:
    """Return the SHA-256 of a text's UTF-8 bytes as 64 hexadecimal digits."""
    return sha256(text.encode()).hexdigest()


def reference_id_of(text: str) -> str:
    """Return the id of a reference that came without one: "ref-" and 16 digits of its SHA-256.

    Sixteen digits are 64 bits: among a million different texts two share an id with a chance of
    about 3 in 100 million.
    """
    return reference_id_for(text_sha256(text))


def candidate_id_of(text: str) -> str:
    """Return the id of a candidate that came without one: "cand-" and 16 digits of its SHA-256."""
    return candidate_id_for(text_sha256(text))


def reference_id_for(digest: str) -> str:
    """Return the id of a reference whose text has this SHA-256."""
    return f"ref-{digest[:DIGITS]}"


def candidate_id_for(digest: str) -> str:
    """Return the id of a candidate whose text has this SHA-256."""
    return f"cand-{digest[:DIGITS]}"
