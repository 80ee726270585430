"""Files by digest: whole, private, checked when read."""

import os
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from scoring import storage


@pytest.fixture(autouse=True)
def data_directory(settings: Any, tmp_path: Path) -> Path:
    settings.DATA_DIR = tmp_path
    return tmp_path


def test_a_dataset_lies_under_its_digest_and_is_read_back() -> None:
    digest = storage.store_dataset(b"content\n")
    assert digest == sha256(b"content\n").hexdigest()
    assert storage.dataset_path(digest).name == f"{digest}.jsonl"
    assert storage.read_dataset(digest) == b"content\n"


def test_storing_the_same_content_again_touches_nothing() -> None:
    digest = storage.store_dataset(b"content\n")
    before = storage.dataset_path(digest).stat()
    assert storage.store_dataset(b"content\n") == digest
    assert storage.dataset_path(digest).stat().st_ino == before.st_ino
    assert len(list(storage.datasets_directory().iterdir())) == 1


def test_nothing_is_left_when_the_disk_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        storage.store_dataset(b"content\n")
    assert list(storage.datasets_directory().iterdir()) == []


def test_a_changed_or_missing_file_is_told_and_not_used() -> None:
    digest = storage.store_dataset(b"content\n")
    storage.dataset_path(digest).write_bytes(b"other\n")
    with pytest.raises(storage.StoredFileDamaged, match="was changed"):
        storage.read_dataset(digest)
    storage.dataset_path(digest).unlink()
    with pytest.raises(storage.StoredFileDamaged, match="is missing"):
        storage.read_dataset(digest)


def test_directories_and_files_are_private() -> None:
    digest = storage.store_dataset(b"content\n")
    assert storage.datasets_directory().stat().st_mode & 0o077 == 0
    assert storage.dataset_path(digest).stat().st_mode & 0o077 == 0
    assert storage.models_directory() != storage.cache_directory()
