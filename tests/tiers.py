"""Decides which tests a command runs, where fixtures, name or promise of a test show it.

`make test` runs what is not `exhaustive`: on real services what bears `postgres`, `browser` or
`broker`, on SQLite all the others. `make test-all` runs everything, on both but what is `pure`.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest
from _pytest.mark.expression import Expression

WAITING = ("slow", "browser", "broker")
TIERS = (*WAITING, "embedded", "postgres", "promise")
# What a test may bear though its file does not name it.
UNNAMED = ("exhaustive", "planted", "pure")
# The fixtures of whatever asks the database.
DATABASE = frozenset({"db", "transactional_db"})
# What a file holds in which a test bears a mark.
MARKED = re.compile(rf"mark\.({'|'.join(TIERS)})|transaction")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out files without a mark where only marked tests are asked for: most of a second."""
    if not collection_path.name.startswith("test_") or may_be_marked(collection_path):
        return None
    asked = config.getoption("markexpr")
    if not asked:
        return None
    chosen = Expression.compile(asked)
    unmarked = any(chosen.evaluate(lambda name, of=of, **_: name == of) for of in ("", *UNNAMED))
    return None if unmarked else True


@cache
def may_be_marked(path: Path) -> bool:
    """Return whether the file gives its tests a mark of a tier."""
    return bool(MARKED.search(path.read_text(encoding="utf-8")))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests before pytest chooses among them by their marks."""
    for item in items:
        for mark in marks_of(item):
            item.add_marker(mark)
        if any(map(item.get_closest_marker, TIERS)) and not may_be_marked(item.path):
            raise pytest.UsageError(f"{item.path} has to name the marks of its tests itself")
    if config.args_source is pytest.Config.ArgsSource.TESTPATHS and (left := left_out(items)):
        raise pytest.UsageError(f"`make test` would run no test of {', '.join(sorted(left))}")


def marks_of(item: pytest.Item) -> Iterator[str]:
    """Yield the marks that a test bears without naming them."""
    database = item.get_closest_marker("django_db")
    fixtures = frozenset(getattr(item, "fixturenames", ()))
    commits = database and database.kwargs.get("transaction")
    if commits or "transactional_db" in fixtures:
        yield "postgres"
    is_waiting = any(map(item.get_closest_marker, WAITING))
    if not (database or is_waiting or DATABASE & fixtures):
        yield "pure"
    if is_planted_fault(item):
        yield "planted"
        # One that is found in no time is looked for each time.
        if is_waiting:
            yield "exhaustive"


def is_planted_fault(item: pytest.Item) -> bool:
    """Return whether the test plants a fault that its neighbours must find."""
    is_marked = any(mark.kwargs.get("planted") for mark in item.iter_markers("promise"))
    return is_marked or item.name.partition("[")[0].endswith(("_is_found_out", "_are_found_out"))


def left_out(items: Iterable[pytest.Item]) -> set[str]:
    """Return the promises whose tests are all left to `make test-all`."""
    included, all_of_them = set(), set()
    for item in items:
        names = {mark.args[0] for mark in item.iter_markers("promise")}
        all_of_them |= names
        if not item.get_closest_marker("exhaustive"):
            included |= names
    return all_of_them - included
