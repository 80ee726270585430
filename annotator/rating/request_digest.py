"""The digest by which a resent rating is known to be the same request."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID


def rating_digest(
    assignment_id: UUID,
    scores: Mapping[str, int],
    comment: str = "",
    error_tags: Sequence[Any] = (),
    note: str = "",
) -> str:
    """Return the sha256 of what a rating says; the order of keys and the door do not matter."""
    said = [str(assignment_id), dict(scores), comment, list(error_tags), note]
    text = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()
