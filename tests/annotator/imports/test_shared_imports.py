# ruff: noqa: F811 - fixtures are imported
"""Uploads and sources of imports on hosts that share an artefact store."""

import hashlib
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from annotator.imports.erasing import erase_texts
from annotator.imports.files import (
    UploadGone,
    open_source,
    open_upload,
    source_path,
    stored_sources,
    stored_uploads,
)
from annotator.imports.services import request_import
from annotator.imports.sweeping import sweep_files
from annotator.models import ClaimImport, Reference
from annotator.operations.sources import look_at_sources, source_files
from core.artefacts.settings import StoreSettings
from core.errors import Unreachable
from core.files import DiskFull
from tests.annotator.imports.import_files import asked, carried_out, file, good
from tests.annotator.imports.test_imports_page import PAGE
from tests.annotator.imports.test_sources import TEXT, text
from tests.s3_servers import (  # noqa: F401 - fixtures
    Between,
    OwnS3,
    between,
    on_another_host,
    s3,
    shared,
    shared_between,
)

pytestmark = [pytest.mark.broker, pytest.mark.django_db]


def key(row: ClaimImport) -> str:
    return f"of-this-site/sources/{row.pk}/{row.file_sha256}"


def test_worker_elsewhere_imports_what_the_web_host_took(
    shared: StoreSettings,
    s3: OwnS3,
    cast: Any,
    settings: Any,
    tmp_path: Path,
) -> None:
    row = asked(cast, good(3), is_confirmed=True)
    assert s3.keys(shared.bucket) == [key(row)]

    with on_another_host(settings, tmp_path):
        assert list(stored_uploads()) == []
        row = carried_out(row)

    assert row.result["stored"]["references"] == 3
    assert s3.keys(shared.bucket) == []


def test_source_that_a_worker_stored_is_taken_on_the_web_host(
    shared: StoreSettings,
    s3: OwnS3,
    cast: Any,
    settings: Any,
    tmp_path: Path,
    django_capture_on_commit_callbacks: Any,
) -> None:
    with on_another_host(settings, tmp_path), django_capture_on_commit_callbacks(execute=True):
        row = text(cast)
    assert s3.keys(shared.bucket) == [key(row)]

    with open_source(row.pk, row.file_sha256) as found:
        assert found.read() == TEXT
    assert [one.name for one in source_files()] == [f"sources/{row.pk}"]
    assert list(stored_uploads()) == []

    s3.client().delete_object(Bucket=shared.bucket, Key=key(row))
    source_path(row.pk).unlink()
    finding = next(look_at_sources())
    assert f"is missing from the artefact store {shared.address}" in finding.found
    assert "manage.py share_files" in finding.mend


def test_erased_source_is_gone_from_the_store_and_from_other_hosts(
    shared: StoreSettings,
    s3: OwnS3,
    cast: Any,
    settings: Any,
    tmp_path: Path,
    django_capture_on_commit_callbacks: Any,
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        row, other = text(cast), text(cast, "W")
    with on_another_host(settings, tmp_path):
        open_source(row.pk, row.file_sha256).close()
        open_source(other.pk, other.file_sha256).close()

    assert erase_texts(Reference.objects.get(reference_id="R"))["sources"] == 1

    assert s3.keys(shared.bucket) == [key(other)]
    with on_another_host(settings, tmp_path):
        assert sweep_files() == 1
        assert [pk for pk, _ in stored_sources()] == [other.pk]
    assert s3.keys(shared.bucket) == [key(other)]


def test_erasure_that_cannot_reach_the_store_is_not_carried_out(
    shared_between: StoreSettings,
    between: Between,
    cast: Any,
    django_capture_on_commit_callbacks: Any,
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        text(cast)
    between.is_dead = True

    with pytest.raises(Unreachable):
        erase_texts(Reference.objects.get(reference_id="R"))


def test_nothing_stays_of_an_upload_that_the_store_has_no_room_for(
    shared_between: StoreSettings,
    between: Between,
    cast: Any,
) -> None:
    between.is_full = True

    with pytest.raises(DiskFull, match="has no room"):
        asked(cast, good(3))

    assert list(stored_uploads()) == []
    assert not ClaimImport.objects.exists()


def test_upload_is_refused_in_a_sentence_while_the_store_is_away(
    shared_between: StoreSettings,
    between: Between,
    ada: Any,
) -> None:
    between.is_dead = True
    sent = BytesIO(good(1))
    sent.name = "claims.jsonl"

    answer = ada.post(PAGE, {"file": sent, "format": "auto"})

    assert answer.status_code == 503
    assert "cannot be reached now" in answer.content.decode()
    assert not ClaimImport.objects.exists()


def test_file_is_named_by_its_digest(shared: StoreSettings, s3: OwnS3, cast: Any) -> None:
    row = request_import(campaign=cast.campaign, file=file(b"x"), file_name="x")

    assert row.file_sha256 == hashlib.sha256(b"x").hexdigest()
    assert s3.keys(shared.bucket) == [key(row)]


def test_files_that_were_changed_in_the_store_are_refused(
    shared: StoreSettings,
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
        s3.client().put_object(Bucket=shared.bucket, Key=key(each), Body=b"of somebody else")

    with on_another_host(settings, tmp_path):
        with pytest.raises(UploadGone, match=key(row)):
            open_source(row.pk, row.file_sha256)
        with pytest.raises(UploadGone, match="upload it again"):
            open_upload(waiting.pk, waiting.file_sha256)
