import os
import time
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from core.jobs.registry import tidy
from scoring import files as scoring_files
from scoring.datasets.freezing.imports import import_dataset
from scoring.quadruplets import SplitPlan
from tests.scoring.conftest import dataset_rows

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def data_directory(settings: Any, tmp_path: Path) -> Path:
    settings.DATA_DIR = tmp_path
    return tmp_path


@pytest.fixture
def digest() -> str:
    """Of a dataset that is stored."""
    return scoring_files.store_dataset([b"con", b"tent\n"])


def test_a_dataset_lies_under_its_digest_for_its_owner_alone_and_is_read_back(digest) -> None:
    path, directory = scoring_files.dataset_path(digest), scoring_files.datasets_directory()
    assert digest == sha256(b"content\n").hexdigest()
    assert path.name == f"{digest}.jsonl"
    assert scoring_files.open_dataset(digest).read() == b"content\n"
    assert path.stat().st_mode & 0o077 == directory.stat().st_mode & 0o077 == 0
    assert scoring_files.models_directory() != scoring_files.cache_directory()


def test_storing_the_same_content_again_touches_nothing_but_mends_a_shorter_file(digest) -> None:
    path = scoring_files.dataset_path(digest)
    before = path.stat()
    assert scoring_files.store_dataset([b"content\n"]) == digest
    assert path.stat().st_ino == before.st_ino
    path.write_bytes(b"cont")
    assert scoring_files.store_dataset([b"content\n"]) == digest
    scoring_files.check_dataset(digest)
    assert len(list(scoring_files.datasets_directory().iterdir())) == 1


def test_nothing_is_left_when_the_disk_is_full(monkeypatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        scoring_files.store_dataset([b"con", b"tent\n"])
    assert list(scoring_files.datasets_directory().iterdir()) == []


def test_a_changed_or_missing_file_is_reported_and_not_used(digest) -> None:
    scoring_files.dataset_path(digest).write_bytes(b"other\n")
    with pytest.raises(scoring_files.StoredFileDamaged, match="was changed"):
        scoring_files.check_dataset(digest)
    scoring_files.dataset_path(digest).unlink()
    with pytest.raises(scoring_files.StoredFileDamaged, match="is missing"):
        scoring_files.check_dataset(digest)


def test_what_a_killed_writer_left_is_cleared_once_it_is_old() -> None:
    directory = scoring_files.datasets_directory()
    old, young = directory / ".aside-old", directory / ".aside-young"
    for path in (old, young):
        path.write_bytes(b"half")
    before = time.time() - scoring_files.ABANDONED_SECONDS - 1
    os.utime(old, (before, before))
    scoring_files.store_dataset([b"content\n"])
    assert [path.exists() for path in (old, young)] == [False, True]


def test_a_file_changed_after_it_was_opened_for_reading_is_not_read(digest, tmp_path) -> None:
    with scoring_files.open_dataset(digest) as file:
        (tmp_path / "other").write_bytes(b"other\n")
        (tmp_path / "other").replace(scoring_files.dataset_path(digest))
        assert file.read() == b"content\n"


def test_an_erased_dataset_is_gone_and_says_since_when(digest) -> None:
    scoring_files.refuse_erased(digest)
    scoring_files.erase_copy(digest, date(2026, 11, 22))
    assert not scoring_files.dataset_path(digest).exists()
    with pytest.raises(scoring_files.DatasetErased, match="erased in part on 2026-11-22"):
        scoring_files.refuse_erased(digest)


def test_the_file_of_a_killed_freeze_is_swept_once_it_is_old(digest) -> None:
    named = import_dataset(name="tiny", rows=dataset_rows(), plan=SplitPlan("file")).version
    assert scoring_files.remove_unnamed_datasets() == 0
    old = time.time() - scoring_files.ABANDONED_SECONDS - 1
    for each in (digest, named.sha256):
        os.utime(scoring_files.dataset_path(each), (old, old))
    # A freeze of the same content that comes now makes it young.
    scoring_files.store_dataset([b"content\n"])
    assert scoring_files.remove_unnamed_datasets() == 0
    os.utime(scoring_files.dataset_path(digest), (old, old))

    tidy()

    assert not scoring_files.dataset_path(digest).exists()
    scoring_files.check_dataset(named.sha256)
