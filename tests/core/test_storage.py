"""Files that hosts share in a bucket: checked on every read, cached, deleted for good."""

import hashlib
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core import bucket as bucket_module
from core import storage
from core.configuration import storage_bucket
from core.errors import Unreachable
from core.jobs import registry
from tests.s3_servers import SECRET_KEY, OwnS3, bucket, on_another_host, s3, unreachable

__all__ = ["bucket", "s3", "unreachable"]
TEXT = b"1. A cup.\n"
DIGEST = hashlib.sha256(TEXT).hexdigest()
NAME = f"datasets/{DIGEST}.jsonl"


def written(name: str, content: bytes = TEXT) -> Path:
    path = storage.local_path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def test_without_a_bucket_the_data_directory_has_all_files(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    path = written(NAME)
    storage.put(NAME)
    assert storage.has(NAME)
    with storage.open_checked(NAME, DIGEST) as file:
        assert file.read() == TEXT
    path.write_bytes(b"1. A mug.\n")
    with pytest.raises(storage.Damaged):
        storage.open_checked(NAME, DIGEST)
    storage.delete(NAME)
    with pytest.raises(FileNotFoundError):
        storage.open_checked(NAME, DIGEST)
    assert (storage.names_in("datasets"), storage.evict()) == ([], 0)


@pytest.mark.broker
def test_a_file_is_downloaded_where_it_is_missing_or_damaged(
    bucket: str, s3: OwnS3, settings: Any, tmp_path: Path
) -> None:
    written(NAME)
    storage.put(NAME)
    storage.put(NAME)
    assert s3.keys(bucket) == storage.names_in("datasets") == [NAME]

    with on_another_host(settings, tmp_path) as there:
        for _ in range(2):
            with storage.open_checked(NAME, DIGEST) as file:
                assert file.read() == TEXT
            assert (there / NAME).stat().st_mode & 0o077 == 0
            assert list((there / "fetching").iterdir()) == []
            (there / NAME).write_bytes(b"1. A mug.\n")


@pytest.mark.broker
def test_an_object_with_other_bytes_is_refused_and_not_kept(
    bucket: str, s3: OwnS3, settings: Any, tmp_path: Path
) -> None:
    s3.client().put_object(Bucket=bucket, Key=NAME, Body=b"1. A mug.\n")
    with on_another_host(settings, tmp_path) as there:
        with pytest.raises(storage.Damaged):
            storage.open_checked(NAME, DIGEST)
        assert [path for path in there.rglob("*") if path.is_file()] == []
    with pytest.raises(FileNotFoundError):
        storage.open_checked("datasets/none.jsonl", DIGEST)


@pytest.mark.broker
def test_all_versions_and_unfinished_uploads_are_deleted(bucket: str, s3: OwnS3) -> None:
    client = s3.client()
    if s3.kind == "moto":
        client.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    path = written(NAME)
    for _ in range(2):
        storage.put(NAME)
    client.delete_object(Bucket=bucket, Key=NAME)
    storage.put(NAME)
    client.create_multipart_upload(Bucket=bucket, Key=NAME)
    for name in ("models/a/one", "models/ab/one"):
        written(name)
        storage.put(name)

    storage.delete(NAME)
    storage.delete("models/a/")

    assert s3.keys(bucket) == ["models/ab/one"]
    assert not path.exists() and not storage.local_path("models/a").exists()
    assert "Uploads" not in client.list_multipart_uploads(Bucket=bucket)
    if s3.kind == "moto":
        left = client.list_object_versions(Bucket=bucket)
        assert [one["Key"] for one in left["Versions"]] == ["models/ab/one"]
        assert "DeleteMarkers" not in left


@pytest.mark.broker
def test_a_large_file_is_uploaded_in_parts(
    bucket: str, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bucket_module, "PART_BYTES", 5 * 1024**2)
    content = os.urandom(12 * 1024**2)
    written("models/a/weights", content)
    storage.put("models/a/weights")
    with on_another_host(settings, tmp_path):
        digest = hashlib.sha256(content).hexdigest()
        storage.open_checked("models/a/weights", digest).close()


@pytest.mark.broker
def test_an_unreachable_server_is_named_in_a_sentence(
    bucket: str, unreachable: Callable[[], None], caplog: pytest.LogCaptureFixture
) -> None:
    path = written(NAME)
    storage.probe()
    unreachable()
    with storage.open_checked(NAME, DIGEST):
        pass  # what is here needs no bucket
    for act in (storage.put, storage.delete, storage.has, storage.names_in):
        with pytest.raises(Unreachable, match=f"{bucket} cannot be used now") as refused:
            act(NAME)
        assert SECRET_KEY not in str(refused.value) + caplog.text
    with pytest.raises(Unreachable):
        storage.probe()
    assert path.exists()


@pytest.mark.broker
@pytest.mark.parametrize("s3", ["moto"], indirect=True)
def test_refused_credentials_a_missing_bucket_and_silence_are_named(
    bucket: str, s3: OwnS3, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bucket_module, "READ_SECONDS", 0.2)
    s3.freeze()
    with pytest.raises(Unreachable, match="ReadTimeoutError"):
        storage.probe()
    s3.thaw()
    s3.client().delete_bucket(Bucket=bucket)
    with pytest.raises(Unreachable, match="NoSuchBucket"):
        storage.probe()


@pytest.mark.broker
@pytest.mark.parametrize("s3", ["moto"], indirect=True)
def test_the_cache_deletes_what_was_used_longest_ago_and_is_in_the_bucket(
    bucket: str, settings: Any
) -> None:
    names = [f"sources/{number}" for number in range(4)]
    for age, name in enumerate(names):
        path = written(name)
        if age != 3:
            storage.put(name)
        at = time.time() - (age + 1) * storage.IN_USE_SECONDS - 60
        os.utime(path, (at, at))
    left = storage.local_path("fetching") / ".aside-x"
    left.parent.mkdir()
    left.write_bytes(TEXT)
    os.utime(left, (0, 0))
    settings.STORAGE_CACHE_BYTES = 4 * len(TEXT)
    assert storage.evict() == 0
    assert not left.exists()
    settings.STORAGE_CACHE_BYTES = 2 * len(TEXT)
    storage.open_checked(names[2], DIGEST).close()

    assert storage.evict() == 2

    assert [storage.local_path(name).exists() for name in names] == [False, False, True, True]
    settings.STORAGE_CACHE_BYTES = 0
    assert storage.evict() == 0


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"STORAGE_BUCKET": "s3://claims"}, "STORAGE_BUCKET must be"),
        ({"STORAGE_ENDPOINT": "http://s3.example.org"}, "https://"),
        ({"STORAGE_ENDPOINT": "s3.example.org"}, "https://"),
    ],
)
def test_settings_that_cannot_be_are_refused(given: dict[str, str], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        storage_bucket(given, ["s3"])


@pytest.mark.parametrize("endpoint", ["", "https://s3.example.org", "http://s3:9000"])
def test_settings_of_a_bucket_are_read(endpoint: str) -> None:
    given = {"STORAGE_BUCKET": "claims", "STORAGE_ENDPOINT": endpoint}
    assert storage_bucket(given, ["s3"]) == ("claims", endpoint)


def test_tidying_goes_on_after_what_cannot_be_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> int:
        raise Unreachable("The bucket is away.")

    monkeypatch.setattr(registry, "_tidying", [lambda: 2, away, lambda: 3])
    monkeypatch.setattr(registry, "_tidying_of_hosts", [lambda: 4])
    assert (registry.tidy(), registry.tidy(only_host=True)) == (5, 4)
