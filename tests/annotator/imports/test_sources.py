"""Documents stay as the source of the claims that came from them, and go with an erased one."""

import io
import os
import time
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import call_command

from annotator.imports.documents import Choices
from annotator.imports.erasing import erase_texts
from annotator.imports.files import (
    ORPHAN_SECONDS,
    open_upload,
    stored_uploads,
    upload_path,
)
from annotator.imports.services import carry_out_import, request_import
from annotator.imports.sweeping import sweep_imports
from annotator.models import ClaimImport, ReadClaimSet, Reference
from annotator.operations.backups.archives import is_of_a_kind, stored_files
from annotator.operations.sources import look_at_sources, source_files
from tests.annotator.imports.import_files import file, good, stored
from tests.conftest import signed_in
from tests.patclaimeval.documents.word_files import zipped

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

TEXT = b"Claims\n1. A lamp with a foot."
ARCHIVE = zipped(
    {
        f"P{number}/{name}.txt": f"1. A {name} number {number}."
        for number in (1, 2)
        for name in ("reference", "candidates/a")
    }
)


def sent(cast: Any, content: bytes, *, is_confirmed: bool = True, **more: Any) -> ClaimImport:
    row = request_import(
        campaign=cast.campaign,
        file=file(content),
        file_name="claims",
        asked_by=cast.ada,
        is_confirmed=is_confirmed,
        **more,
    )
    carry_out_import(row.pk)
    row.refresh_from_db()
    return row


def text(cast: Any, name: str = "R", **more: Any) -> ClaimImport:
    return sent(cast, TEXT, format="text", choices=Choices(reference_id=name), **more)


@pytest.fixture
def source(cast: Any, django_capture_on_commit_callbacks: Any) -> ClaimImport:
    with django_capture_on_commit_callbacks(execute=True):
        return text(cast)


def test_a_document_stays_once_its_claims_are_stored(cast: Any, source: ClaimImport) -> None:
    assert [pk for pk, _ in stored_uploads()] == [source.pk]
    with open_upload(source.pk, source.file_sha256) as found:
        assert found.read() == TEXT
    sweep_imports()
    assert upload_path(source.pk).stat().st_mode & 0o077 == 0
    assert [one.name for one in source_files()] == [f"sources/{source.pk}"]
    (backed_up,) = [one for one in stored_files() if one.name.startswith("sources/")]
    assert (backed_up.sha256, backed_up.size) == (source.file_sha256, len(TEXT))
    assert is_of_a_kind(backed_up)


def test_a_file_of_claim_sets_does_not_stay(cast: Any) -> None:
    assert not stored(cast, good(1)).has_source
    assert list(stored_uploads()) == []


def test_a_source_of_no_import_is_swept_once_it_is_old(cast: Any, source: ClaimImport) -> None:
    for age in (0, ORPHAN_SECONDS + 60):
        path = upload_path(source.pk).with_name(str(uuid4()))
        path.write_bytes(b"x")
        os.utime(path, (time.time() - age,) * 2)
    assert sweep_imports() == 1
    assert len(list(stored_uploads())) == 2


def test_a_damaged_source_is_named_by_doctor_and_ends_a_backup(source: ClaimImport) -> None:
    upload_path(source.pk).write_bytes(b"another")
    found = [one.found for one in look_at_sources()]
    assert found == [
        f"The file of import {source.pk} was changed on the server; upload it again.",
        "0 documents are as they were sent.",
    ]
    upload_path(source.pk).unlink()
    assert "is missing" in next(look_at_sources()).found


def test_an_erased_reference_takes_its_documents_along(
    cast: Any, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        row = sent(cast, ARCHIVE)
        other = text(cast)
    waiting = text(cast, "W", is_confirmed=False)
    first, second = Reference.objects.filter(imported_from=row)
    counts = erase_texts(first)
    assert counts["sources"] == 1
    row.refresh_from_db()
    # The archive goes whole; of the other reference in it the claims stay.
    assert (row.has_source, upload_path(row.pk).exists()) == (False, False)
    assert [pk for pk, _ in stored_uploads()] == [other.pk]
    mine = ReadClaimSet.objects.filter(belongs_to=first)
    values = [one for each in mine.values_list("reference_id", "file_name") for one in each]
    assert mine.count() == 2 and set(values) == {""}
    assert set(mine.values_list("file_sha256", "read_sha256", "stored_sha256")) == {("", "", "")}
    second.refresh_from_db()
    assert (
        second.claims and ReadClaimSet.objects.filter(belongs_to=second, file_name="").count() == 0
    )
    assert not ReadClaimSet.objects.filter(claim_import=waiting).exists()
    assert erase_texts(second)["sources"] == 0
    assert mine.count() == 2


def test_the_command_leaves_its_document_too(cast: Any, tmp_path: Path) -> None:
    path = tmp_path / "claims.zip"
    path.write_bytes(ARCHIVE)
    call_command("import_claims", str(path), campaign="cups", stdout=io.StringIO())
    row = ClaimImport.objects.get()
    assert row.has_source and [pk for pk, _ in stored_uploads()] == [row.pk]
    assert ReadClaimSet.objects.exclude(belongs_to=None).count() == 4
    assert {one.stored_sha256 for one in ReadClaimSet.objects.all()} == {
        one.read_sha256 for one in ReadClaimSet.objects.all()
    }


def test_both_archives_of_the_page_are_taken_as_they_are(cast: Any) -> None:
    client = signed_in(cast.ada)
    for name, count in (("template", 1), ("example", 2)):
        answer = client.get(f"/campaigns/cups/import/{name}.zip")
        assert answer["Content-Type"] == "application/zip"
        row = sent(cast, answer.content)
        assert row.result["stored"]["references"] == count, row.message
