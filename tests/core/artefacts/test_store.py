import hashlib
import os
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from core.artefacts import bucket
from core.artefacts.bucket import DamagedObject
from core.artefacts.settings import StoreSettings
from core.artefacts.store import (
    delete,
    discard,
    fetch,
    has,
    listed,
    open_whole,
    put,
    retain,
)
from core.errors import Unreachable
from core.files import DiskFull
from tests.s3_servers import SECRET_KEY, Between, OwnS3

pytestmark = pytest.mark.broker

TEXT = b"1. A cup.\n"
DIGEST = hashlib.sha256(TEXT).hexdigest()


@pytest.fixture
def here(tmp_path: Path) -> Path:
    path = tmp_path / "here" / "file"
    path.parent.mkdir()
    path.write_bytes(TEXT)
    return path


def test_file_that_was_put_is_fetched_where_it_is_missing(
    shared: StoreSettings, here: Path, tmp_path: Path
) -> None:
    put("datasets", "a", DIGEST, here)

    there = tmp_path / "there" / "file"
    with open_whole("datasets", "a", DIGEST, there) as file:
        assert file.read() == TEXT

    assert there.read_bytes() == TEXT
    assert there.stat().st_mode & 0o077 == 0
    assert [path.name for path in there.parent.iterdir()] == ["file"]


def test_copy_that_is_whole_needs_no_store(
    shared_between: StoreSettings, between: Between, here: Path
) -> None:
    between.is_dead = True

    with open_whole("datasets", "a", DIGEST, here) as file:
        assert file.read() == TEXT

    assert between.asked == []


def test_changed_copy_is_fetched_again(shared: StoreSettings, here: Path) -> None:
    put("datasets", "a", DIGEST, here)
    here.write_bytes(b"1. A mug.\n")

    with open_whole("datasets", "a", DIGEST, here) as file:
        assert file.read() == TEXT


def test_object_of_a_wrong_digest_is_refused_and_named(
    shared: StoreSettings, s3: OwnS3, here: Path, tmp_path: Path
) -> None:
    put("datasets", "a", DIGEST, here)
    key = f"of-this-site/datasets/a/{DIGEST}"
    s3.client().put_object(Bucket=shared.bucket, Key=key, Body=b"1. A mug.\n")
    there = tmp_path / "there" / "file"

    with pytest.raises(DamagedObject, match=key):
        open_whole("datasets", "a", DIGEST, there)

    assert list(there.parent.iterdir()) == []


def test_second_put_is_the_same_object(shared: StoreSettings, s3: OwnS3, here: Path) -> None:
    put("datasets", "a", DIGEST, here)
    put("datasets", "a", DIGEST, here)

    assert s3.keys(shared.bucket) == [f"of-this-site/datasets/a/{DIGEST}"]


def test_object_that_broke_off_long_ago_is_written_anew(
    shared: StoreSettings, s3: OwnS3, here: Path
) -> None:
    key = f"of-this-site/datasets/a/{DIGEST}"
    s3.client().put_object(Bucket=shared.bucket, Key=key, Body=TEXT[:3])

    put("datasets", "a", DIGEST, here)

    assert s3.client().get_object(Bucket=shared.bucket, Key=key)["Body"].read() == TEXT


def test_what_one_owner_loses_another_keeps(shared: StoreSettings, here: Path) -> None:
    put("imports", "a", DIGEST, here)
    put("imports", "ab", DIGEST, here)

    assert delete("imports", "a") == 1

    assert not has("imports", "a", DIGEST)
    assert has("imports", "ab", DIGEST)
    assert [(one.owner, one.sha256, one.size) for one in listed("imports")] == [
        ("ab", DIGEST, len(TEXT))
    ]


def test_former_versions_and_parts_go_with_the_object(
    shared: StoreSettings, s3: OwnS3, here: Path
) -> None:
    client = s3.client()
    if s3.kind == "moto":
        client.put_bucket_versioning(
            Bucket=shared.bucket, VersioningConfiguration={"Status": "Enabled"}
        )
    key = f"of-this-site/imports/a/{DIGEST}"
    client.put_object(Bucket=shared.bucket, Key=key, Body=b"1. A former cup.")
    put("imports", "a", DIGEST, here)
    begun = client.create_multipart_upload(Bucket=shared.bucket, Key=key)
    client.upload_part(
        Bucket=shared.bucket,
        Key=key,
        UploadId=begun["UploadId"],
        PartNumber=1,
        Body=bytes(5 * 1024**2),
    )

    delete("imports", "a")

    assert s3.keys(shared.bucket) == []
    assert "Uploads" not in client.list_multipart_uploads(Bucket=shared.bucket)
    if s3.kind == "moto":
        left = client.list_object_versions(Bucket=shared.bucket)
        assert "Versions" not in left
        assert "DeleteMarkers" not in left


def test_large_file_goes_up_in_parts(
    shared: StoreSettings, here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bucket, "PART_BYTES", 5 * 1024**2)
    content = os.urandom(12 * 1024**2)
    here.write_bytes(content)
    digest = hashlib.sha256(content).hexdigest()

    put("models", "a", digest, here)
    put("models", "a", digest, here)
    fetch("models", "a", digest, tmp_path / "there")

    assert (tmp_path / "there").read_bytes() == content


def test_large_upload_that_breaks_off_leaves_nothing(
    shared_between: StoreSettings,
    between: Between,
    s3: OwnS3,
    here: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bucket, "PART_BYTES", 5 * 1024**2)
    # Its last part is shorter: that alone gets through.
    content = os.urandom(11 * 1024**2)
    here.write_bytes(content)
    between.cut_after = 2 * 1024**2

    with pytest.raises(Unreachable):
        put("models", "a", hashlib.sha256(content).hexdigest(), here)

    assert s3.keys(shared_between.bucket) == []
    assert "Uploads" not in s3.client().list_multipart_uploads(Bucket=shared_between.bucket)


def test_upload_that_breaks_off_leaves_nothing(
    shared_between: StoreSettings, between: Between, s3: OwnS3, here: Path
) -> None:
    between.cut_after = 3

    with pytest.raises(Unreachable, match=f"{shared_between.address} cannot be reached now"):
        put("datasets", "a", DIGEST, here)

    assert s3.keys(shared_between.bucket) == []


def test_full_store_is_said_to_be_full(
    shared_between: StoreSettings, between: Between, here: Path
) -> None:
    between.is_full = True

    with pytest.raises(DiskFull, match="has no room"):
        put("datasets", "a", DIGEST, here)


def test_full_store_is_said_to_be_full_of_a_large_file_too(
    shared_between: StoreSettings,
    between: Between,
    here: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bucket, "PART_BYTES", 5 * 1024**2)
    here.write_bytes(bytes(6 * 1024**2))
    between.is_full = True

    with pytest.raises(DiskFull, match="has no room"):
        put("models", "a", hashlib.sha256(here.read_bytes()).hexdigest(), here)


def test_other_refusals_say_their_code(
    shared_between: StoreSettings,
    between: Between,
    here: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bucket, "_FULL", frozenset())
    between.is_full = True

    with pytest.raises(Unreachable, match="XMinioStorageFull"):
        put("datasets", "a", DIGEST, here)


def test_what_the_store_does_not_keep_is_not_taken_for_stored(
    shared: StoreSettings, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bucket, "_has", lambda *_: False)

    with pytest.raises(Unreachable, match="did not keep"):
        put("datasets", "a", DIGEST, here)


def test_what_cannot_be_deleted_now_is_left_for_the_sweeper(
    shared_between: StoreSettings,
    between: Between,
    here: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    put("datasets", "a", DIGEST, here)
    between.is_dead = True

    discard("datasets", "a")

    assert "left for the sweeper" in caplog.text
    assert SECRET_KEY not in caplog.text


def test_what_others_put_there_is_not_listed(shared: StoreSettings, s3: OwnS3, here: Path) -> None:
    put("datasets", "a", DIGEST, here)
    s3.client().put_object(Bucket=shared.bucket, Key="of-this-site/datasets/a/note", Body=b"x")

    assert [one.sha256 for one in listed("datasets")] == [DIGEST]
    retain("datasets", "a", ())
    assert list(listed("datasets")) == []


def test_server_that_lists_no_uploads_has_none_to_delete(
    shared: StoreSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Client:
        def get_paginator(self, _: str) -> None:
            raise ClientError({"Error": {"Code": "NotImplemented"}}, "ListMultipartUploads")

    monkeypatch.setattr(bucket, "_client", lambda *_: Client())

    assert bucket.remove_parts(shared, "", None) == 0


def test_slow_store_is_waited_for(
    shared_between: StoreSettings, between: Between, here: Path, tmp_path: Path
) -> None:
    between.delay = 2

    put("datasets", "a", DIGEST, here)
    fetch("datasets", "a", DIGEST, tmp_path / "there")

    assert (tmp_path / "there").read_bytes() == TEXT


def test_silent_store_ends_the_call(
    shared_between: StoreSettings,
    between: Between,
    here: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bucket, "SILENCE_SECONDS", 0.2)
    bucket._client.cache_clear()
    between.delay = 5

    with pytest.raises(Unreachable, match="ReadTimeoutError"):
        put("datasets", "a", DIGEST, here)
    bucket._client.cache_clear()

    assert len(between.asked) == bucket.TRIES


def test_dead_store_is_not_asked_again_at_once(
    shared_between: StoreSettings,
    between: Between,
    here: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    between.cut_after = 0
    with pytest.raises(Unreachable):
        put("datasets", "a", DIGEST, here)
    between.cut_after, asked = None, len(between.asked)

    with pytest.raises(Unreachable, match="a moment ago"):
        put("datasets", "a", DIGEST, here)
    assert len(between.asked) == asked

    later = time.monotonic() + bucket.PAUSE_SECONDS
    monkeypatch.setattr("core.artefacts.bucket.time.monotonic", lambda: later)
    put("datasets", "a", DIGEST, here)


def test_missing_bucket_and_wrong_secret_say_what_to_mend(
    shared: StoreSettings, s3: OwnS3, settings: Any, here: Path
) -> None:
    settings.ARTEFACT_STORE = replace(shared, bucket="no-such-bucket")
    with pytest.raises(Unreachable, match="has no such bucket"):
        put("datasets", "a", DIGEST, here)
    if s3.kind == "moto":
        return  # it lets everybody in
    settings.ARTEFACT_STORE = replace(shared, secret="wrong")
    with pytest.raises(Unreachable, match="has to look at its credentials"):
        put("datasets", "a", DIGEST, here)


def test_no_sentence_holds_the_secret(shared_between: StoreSettings, between: Between) -> None:
    between.is_dead = True

    with pytest.raises(Unreachable) as refusal:
        has("datasets", "a", DIGEST)

    assert SECRET_KEY not in f"{refusal.value.sentence} {shared_between!r}"


def test_parts_of_an_old_upload_are_removed(shared: StoreSettings, s3: OwnS3) -> None:
    client = s3.client()
    key = f"of-this-site/imports/a/{DIGEST}"
    begun = client.create_multipart_upload(Bucket=shared.bucket, Key=key)
    client.upload_part(
        Bucket=shared.bucket,
        Key=key,
        UploadId=begun["UploadId"],
        PartNumber=1,
        Body=bytes(5 * 1024**2),
    )
    long_ago = datetime(2000, 1, 1, tzinfo=UTC)

    assert bucket.remove_parts(shared, "of-this-site/", long_ago) == 0
    soon = datetime.now(UTC) + timedelta(minutes=1)
    assert bucket.remove_parts(shared, "of-this-site/", soon) == 1

    assert "Uploads" not in client.list_multipart_uploads(Bucket=shared.bucket)


def test_server_that_honours_it_is_asked_to_write_once(
    shared: StoreSettings, s3: OwnS3, here: Path
) -> None:
    if s3.kind == "rclone":
        pytest.skip("it has no versions, and writes the same bytes again")
    client = s3.client()
    client.put_bucket_versioning(
        Bucket=shared.bucket, VersioningConfiguration={"Status": "Enabled"}
    )
    for _ in range(2):
        put("datasets", "a", DIGEST, here)
    assert len(client.list_object_versions(Bucket=shared.bucket)["Versions"]) == 1

    put("datasets", "a", DIGEST, here, renews=True)

    assert len(client.list_object_versions(Bucket=shared.bucket)["Versions"]) == 2


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("", {}),
        ("AES256", {"ServerSideEncryption": "AES256"}),
        ("aws:kms", {"ServerSideEncryption": "aws:kms"}),
        ("aws:kms:a-key", {"ServerSideEncryption": "aws:kms", "SSEKMSKeyId": "a-key"}),
    ],
)
def test_server_is_asked_to_encrypt(
    given: str, found: dict[str, str], shared: StoreSettings, s3: OwnS3, settings: Any, here: Path
) -> None:
    if s3.kind == "rclone":
        pytest.skip("it does not encrypt")
    settings.ARTEFACT_STORE = replace(shared, encryption=given)

    put("datasets", "a", DIGEST, here)

    key = f"of-this-site/datasets/a/{DIGEST}"
    head = s3.client().head_object(Bucket=shared.bucket, Key=key)
    names = ("ServerSideEncryption", "SSEKMSKeyId")
    assert {name: head[name] for name in names if name in head} == found
