"""Keys of rows that are written together."""

from uuid import RFC_4122

import pytest

from annotator.imports.claims.services import NeighbouringIds

pytestmark = pytest.mark.postgres


def test_keys_are_well_formed_and_all_different() -> None:
    ids = NeighbouringIds()

    keys = [ids.new() for _ in range(1_000)]

    assert len(set(keys)) == 1_000
    assert {(key.version, key.variant) for key in keys} == {(7, RFC_4122)}


def test_a_later_batch_stands_after_an_earlier_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.time_ns", iter([1_000_000, 2_000_000]).__next__)
    ids = NeighbouringIds()

    earlier = [ids.new() for _ in range(100)]
    ids.begin_batch()
    later = [ids.new() for _ in range(100)]

    assert max(earlier).hex < min(later).hex


def test_within_a_batch_no_key_shows_which_was_made_first() -> None:
    ids = NeighbouringIds()

    pairs = [(ids.new(), ids.new()) for _ in range(2_000)]

    in_order = sum(first < second for first, second in pairs)
    assert 800 < in_order < 1_200
