"""Tests of the feature cache."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from scoring.patclaimeval.features import FeatureCache

VECTOR = np.array([1.5, -2.0], dtype=np.float32)


def test_vector_is_found_again(tmp_path: Path) -> None:
    cache = FeatureCache(tmp_path / "cache")
    key = cache.key("version", "text")
    assert cache.get(key, 2) is None
    cache.put(key, VECTOR)
    found = cache.get(key, 2)
    assert found is not None
    assert found.tolist() == VECTOR.tolist()


def test_keys_tell_apart_where_one_text_ends() -> None:
    assert FeatureCache.key("ab", "c") != FeatureCache.key("a", "bc")


@pytest.mark.parametrize("content", [b"", b"torn", b"PK\x03\x04 torn"])
def test_torn_entry_counts_as_absent(tmp_path: Path, content: bytes) -> None:
    cache = FeatureCache(tmp_path)
    key = cache.key("text")
    cache.put(key, VECTOR)
    next(tmp_path.rglob("*.npz")).write_bytes(content)
    assert cache.get(key, 2) is None


def test_pickled_entry_is_never_opened(tmp_path: Path) -> None:
    cache = FeatureCache(tmp_path)
    key = cache.key("text")
    cache.put(key, VECTOR)
    np.savez(next(tmp_path.rglob("*.npz")), vector=np.array([{"a": 1}], dtype=object))
    assert cache.get(key, 1) is None


@pytest.mark.parametrize("bad", [np.ones(3, np.float32), np.array([1, np.nan], np.float32)])
def test_entry_of_wrong_size_or_not_finite_counts_as_absent(
    tmp_path: Path, bad: np.ndarray
) -> None:
    cache = FeatureCache(tmp_path)
    key = cache.key("text")
    cache.put(key, bad)
    assert cache.get(key, 2) is None


def test_without_a_directory_nothing_is_kept() -> None:
    cache = FeatureCache(None)
    cache.put(cache.key("text"), VECTOR)
    assert cache.get(cache.key("text"), 2) is None
