"""Deals the files with slow tests out among the others: who waits and who works share the cores.

A plugin rather than a fixture, as the order is of the whole run. pytest-django puts the tests that
empty the database last: those start programs and mostly wait, and at the end of a run nobody is
left to use the time. For the same reason no slow file is among the last tests.
"""

from collections.abc import Iterable
from pathlib import Path

import pytest

LAST_SLOW = 0.7


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = places_of(items)
    items.sort(key=lambda item: places[item.path])


def places_of(items: Iterable[pytest.Item]) -> dict[Path, float]:
    """Return the place of each file in the run, from 0 to 1; a file's tests stay together."""
    files: dict[Path, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    slow = [path for path, tests in files.items() if any(map(is_slow, tests))]
    quick = sorted(files.keys() - set(slow))
    count = sum(len(files[path]) for path in quick)
    places, before = {}, 0
    for path in quick:
        places[path] = before / count
        before += len(files[path])
    return places | {
        path: (number + 0.5) / len(slow) * LAST_SLOW for number, path in enumerate(slow)
    }


def is_slow(item: pytest.Item) -> bool:
    return item.get_closest_marker("slow") is not None
