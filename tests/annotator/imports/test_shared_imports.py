"""Uploads and sources of imports on hosts that share a bucket."""

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from annotator.imports.erasing import erase_texts
from annotator.imports.files import (
    UploadGone,
    open_upload,
    stored_uploads,
    upload_path,
)
from annotator.imports.services import carry_out_import
from annotator.imports.sweeping import sweep_files
from annotator.models import ClaimImport, Reference
from annotator.operations.sources import look_at_sources, source_files
from core.errors import Unreachable
from core.jobs.rows import JobStatus
from tests.annotator.imports.import_files import asked, carried_out, good
from tests.annotator.imports.test_imports_page import PAGE
from tests.annotator.imports.test_sources import TEXT, text
from tests.s3_servers import OwnS3, bucket, on_another_host, s3, unreachable

__all__ = ["bucket", "s3", "unreachable"]
pytestmark = [pytest.mark.broker, pytest.mark.django_db]


def key(row: ClaimImport) -> str:
    return f"sources/{row.pk}"


def test_a_worker_on_another_host_imports_what_the_web_host_took(
    bucket: str,
    s3: OwnS3,
    cast: Any,
    settings: Any,
    tmp_path: Path,
    django_capture_on_commit_callbacks: Any,
) -> None:
    row = asked(cast, good(3), is_confirmed=True)
    assert s3.keys(bucket) == [key(row)]

    with on_another_host(settings, tmp_path), django_capture_on_commit_callbacks(execute=True):
        assert list(stored_uploads()) == []
        row = carried_out(row)

    assert row.result["stored"]["references"] == 3
    assert s3.keys(bucket) == []


def test_a_source_is_read_on_every_host_until_it_is_erased(
    bucket: str,
    s3: OwnS3,
    cast: Any,
    settings: Any,
    tmp_path: Path,
    django_capture_on_commit_callbacks: Any,
) -> None:
    with on_another_host(settings, tmp_path), django_capture_on_commit_callbacks(execute=True):
        row, other = text(cast), text(cast, "W")
    assert s3.keys(bucket) == sorted([key(row), key(other)])
    with open_upload(row.pk, row.file_sha256) as found:
        assert found.read() == TEXT
    names = {one.name for one in source_files()}
    assert names == {f"sources/{one.pk}" for one in (row, other)}

    assert erase_texts(Reference.objects.get(reference_id="R"))["sources"] == 1

    assert s3.keys(bucket) == [key(other)]
    with on_another_host(settings, tmp_path):
        assert sweep_files() == 1
        assert [pk for pk, _ in stored_uploads()] == [other.pk]
    s3.client().delete_object(Bucket=bucket, Key=key(other))
    upload_path(other.pk).unlink()
    assert f"is missing from the bucket {bucket}" in next(look_at_sources()).found


def test_an_unreachable_bucket_refuses_an_upload_delays_an_import_and_fails_an_erasure(
    bucket: str,
    unreachable: Callable[[], None],
    cast: Any,
    ada: Any,
    settings: Any,
    tmp_path: Path,
    django_capture_on_commit_callbacks: Any,
) -> None:
    settings.JOB_LEASE_SECONDS = 3600
    with django_capture_on_commit_callbacks(execute=True):
        source = text(cast)
    row = asked(cast, good(1))
    unreachable()
    sent = BytesIO(good(1))
    sent.name = "claims.jsonl"

    answer = ada.post(PAGE, {"file": sent, "format": "auto"})

    said = f"The storage bucket {bucket} cannot be used now"
    assert (answer.status_code, said in answer.content.decode()) == (503, True)
    assert {pk for pk, _ in stored_uploads()} == {source.pk, row.pk}
    with on_another_host(settings, tmp_path):
        carry_out_import(row.pk)
    row.refresh_from_db()
    assert (row.status, row.attempt, said in row.message) == (JobStatus.QUEUED, 1, True)
    for page in (PAGE, f"/campaigns/cups/imports/{row.pk}/"):
        assert "is tried again in 2 minutes" in ada.get(page).content.decode()
    with pytest.raises(Unreachable):
        erase_texts(Reference.objects.get(reference_id="R"))


def test_files_that_were_changed_in_the_bucket_are_refused(
    bucket: str,
    s3: OwnS3,
    cast: Any,
    settings: Any,
    tmp_path: Path,
    django_capture_on_commit_callbacks: Any,
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        row = text(cast)
    waiting = asked(cast, good(1))
    for each in (row, waiting):
        s3.client().put_object(Bucket=bucket, Key=key(each), Body=b"of somebody else")

    with on_another_host(settings, tmp_path):
        with pytest.raises(UploadGone, match="was changed"):
            open_upload(row.pk, row.file_sha256)
        with pytest.raises(UploadGone, match="upload it again"):
            open_upload(waiting.pk, waiting.file_sha256)
