"""A report as JSON in one canonical form: the same report gives the same bytes."""

import json
from collections.abc import Mapping
from typing import Any


def canonical_json(document: Mapping[str, Any]) -> bytes:
    """Write a report as UTF-8 JSON with sorted keys, two blanks of indent, one line end.

    Input: a finished report. Raises ValueError for a number that is not finite.
    """
    text = json.dumps(document, ensure_ascii=False, sort_keys=True, indent=2, allow_nan=False)
    return f"{text}\n".encode()
