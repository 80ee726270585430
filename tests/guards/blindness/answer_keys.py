"""The keys of a JSON answer, by method and route."""

import json
from collections.abc import Iterator
from typing import Any

from tests.guards.blindness.allowed_keys import ALLOWED_KEYS, FIGURES
from tests.guards.blindness.crawl import Answer


def keys_of(value: Any, before: str = "") -> Iterator[str]:
    """Yield the paths of all keys but those of figures; the entries of a list are one."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield f"{before}{key}"
            if key not in FIGURES:
                yield from keys_of(inner, f"{before}{key}.")
    elif isinstance(value, list):
        for inner in value:
            yield from keys_of(inner, before)


def answered_keys(answer: Answer) -> tuple[str, set[str]]:
    """Return what a serializer answered, as "METHOD route" and its keys; none where it did not."""
    where = f"{answer.sent.method} {answer.sent.address.route}"
    # A route that is not listed at all is reported by `test_routes.py`, once.
    if where in ALLOWED_KEYS and 200 <= answer.status < 300 and answer.body:
        return where, set(keys_of(json.loads(answer.body)))
    return where, set()
