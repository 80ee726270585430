"""The keys of a JSON answer, by route and principal."""

import json
from collections.abc import Iterator
from typing import Any

from tests.house.blindness.addresses import Address, addresses
from tests.house.blindness.crawl import Crawl
from tests.house.blindness.people import Visitor
from tests.house.blindness.states import House
from tests.house.blindness.told import FIGURES, NO_SERIALIZER


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


def api_addresses(house: House) -> list[Address]:
    """Return the addresses of the API that answer by a serializer."""
    found = addresses(house)
    return [one for one in found if one.path.startswith("/api/") and one.route not in NO_SERIALIZER]


def answered_keys(visitor: Visitor, house: House) -> dict[str, set[str]]:
    """Return the keys of everything that a principal is told, by "METHOD route"."""
    found: dict[str, set[str]] = {}
    for answer in Crawl(visitor, house).visit_all(api_addresses(house)):
        if 200 <= answer.status < 300 and answer.body:
            where = f"{answer.sent.method} {answer.sent.address.route}"
            found.setdefault(where, set()).update(keys_of(json.loads(answer.body)))
    return found
