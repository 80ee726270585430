"""Slow tests are dealt out among the others, and every file stays together."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.dealt_out import places_of, pytest_collection_modifyitems


def item(file: str, is_slow: bool = False) -> Any:
    return SimpleNamespace(path=Path(file), get_closest_marker=lambda _: is_slow or None)


def test_slow_files_stand_at_even_distances_among_the_others() -> None:
    quick = [item(f"quick{n}") for n in range(8) for _ in range(3)]
    slow = [item(f"slow{n}", is_slow=True) for n in range(2)]
    items = [*quick, *slow]
    pytest_collection_modifyitems(items)
    assert [n for n, one in enumerate(items) if one.path.name.startswith("slow")] == [6, 16]


def test_a_file_stays_together_in_its_own_order() -> None:
    items = [item("a"), item("b", is_slow=True), item("a"), item("b"), item("c")]
    first_a, first_b, second_a, second_b, only_c = items
    pytest_collection_modifyitems(items)
    assert items == [first_a, second_a, first_b, second_b, only_c]


def test_a_run_of_slow_files_only_has_an_order() -> None:
    places = places_of([item("a", is_slow=True), item("b", is_slow=True)])
    assert [path.name for path in sorted(places, key=lambda path: places[path])] == ["a", "b"]
