"""Ratings and preferences as JSON Lines: one a line, whatever a person typed as it was typed."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from annotator.rating_values import EXPORTED

RATING_KEYS: Final = (
    *("kind", "id", "reference_id", "reference_sha256"),
    *("candidate_id", "candidate_sha256", "system", "purpose", "repeats"),
    *("annotator", "by_admin", "scores", "overall_quality", *EXPORTED),
    *("rubric_version", "version", "submitted_at", "revised_at", "revisions"),
)
PREFERENCE_KEYS: Final = (
    *("kind", "id", "reference_id", "reference_sha256"),
    *("left_id", "left_sha256", "left_system", "right_id", "right_sha256", "right_system"),
    *("annotator", "by_admin", "judgements", "comment", "error_tags", "rubric_version", "version"),
    *("submitted_at", "revised_at", "revisions"),
)


def write(lines: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """Yield one line a rating or preference.

    Input: mappings with RATING_KEYS, or PREFERENCE_KEYS, in that order. Output: UTF-8 without a
    byte order mark, each line ended by 0x0A, which stands nowhere else.
    """
    for line in lines:
        yield json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
