"""A worker checks and stores an import whole or not at all, and tidies up after it."""

import gzip
import os
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from annotator.imports import services as imports_services
from annotator.imports.claims.services import import_claims
from annotator.imports.files import (
    ORPHAN_SECONDS,
    arrivals_directory,
    open_upload,
    uploads_directory,
)
from annotator.imports.services import (
    FORGOTTEN,
    SMALL_BYTES,
    carry_out_if_small,
    carry_out_import,
    confirm_import,
    sweep_imports,
)
from annotator.models import AuditEvent, Candidate, ClaimImport, ImportStage, Reference
from core.jobs import leases
from core.jobs.rows import JobStatus
from tests.annotator.imports.import_files import (
    asked,
    bad,
    carried_out,
    drop_at_once,
    good,
    kept_files,
    stored,
)

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@pytest.fixture(autouse=True)
def data_dir(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DATA_DIR = tmp_path
    drop_at_once(monkeypatch)


def test_a_check_stores_nothing_and_reports_what_it_found(cast) -> None:
    row = carried_out(asked(cast, good(3)))
    assert (row.stage, row.status) == (ImportStage.CHECK, JobStatus.SUCCEEDED), row.message
    assert row.format == "claims-jsonl"
    assert row.result["counts"]["references"] == 3
    assert row.result["counts"]["candidates"] == 6
    assert len(row.result["preview"]) == 3
    assert not Reference.objects.exists()
    assert kept_files() == [str(row.pk)]


def test_a_confirmed_import_is_stored_whole_and_its_file_is_deleted(cast) -> None:
    row = carried_out(asked(cast, good(3), may_train=True))
    confirm_import(row=row, confirmed_by=cast.ada)
    assert (row.stage, row.status) == (ImportStage.APPLY, JobStatus.QUEUED)
    carried_out(row)
    assert row.status == JobStatus.SUCCEEDED, row.message
    assert row.result["stored"] == {
        "references": 3,
        "candidates": 6,
        "known_references": 0,
        "known_candidates": 0,
    }
    assert Reference.objects.filter(may_train=True, imported_from=row).count() == 3
    assert Candidate.objects.filter(imported_from=row).count() == 6
    assert kept_files() == []


def test_an_import_confirmed_beforehand_is_checked_and_stored_in_one_go(cast) -> None:
    row = stored(cast, good(2))
    assert (row.stage, row.status) == (ImportStage.APPLY, JobStatus.SUCCEEDED), row.message
    assert Reference.objects.count() == 2


@pytest.mark.parametrize("is_confirmed", [False, True])
def test_a_bad_file_is_refused_with_its_records_and_deleted(cast, is_confirmed: bool) -> None:
    row = carried_out(asked(cast, bad(), is_confirmed=is_confirmed))
    assert row.status == JobStatus.FAILED
    found = row.result["bad_records"]
    assert [(one["line"], one["field"]) for one in found] == [(2, "reference_claims"), (3, "scroe")]
    assert not Reference.objects.exists()
    assert kept_files() == []


def test_an_import_cancelled_while_it_is_stored_leaves_nothing(cast, monkeypatch) -> None:
    row = carried_out(asked(cast, good(3)))
    confirm_import(row=row)

    def cancelling(*given: Any) -> Any:
        # Outside the transaction, as another person would.
        leases.request_cancel(row)
        return open_upload(*given)

    monkeypatch.setattr(imports_services, "open_upload", cancelling)
    assert carried_out(row).status == JobStatus.CANCELLED
    assert not Reference.objects.exists()
    assert kept_files() == []


def test_a_worker_that_lost_its_import_writes_nothing(cast, monkeypatch) -> None:
    row = carried_out(asked(cast, good(3)))
    confirm_import(row=row)

    def overtaken(**given: Any) -> Any:
        counts = import_claims(**given)
        ClaimImport.objects.filter(pk=row.pk).update(owner="somebody else")
        return counts

    monkeypatch.setattr(imports_services, "import_claims", overtaken)
    carry_out_import(row.pk)
    row.refresh_from_db()
    assert row.status == JobStatus.RUNNING
    assert not Reference.objects.exists()
    assert kept_files() == [str(row.pk)]


def test_an_error_ends_the_import_without_its_text(cast, monkeypatch) -> None:
    def broken(**_: Any) -> Any:
        raise ValueError("1. A cup number 7")

    row = carried_out(asked(cast, good(1)))
    confirm_import(row=row)
    monkeypatch.setattr(imports_services, "import_claims", broken)
    with pytest.raises(ValueError):
        carry_out_import(row.pk)
    row.refresh_from_db()
    assert row.status == JobStatus.FAILED
    assert "ValueError" in row.message and "cup" not in row.message


def test_a_file_changed_on_the_server_is_not_stored(cast) -> None:
    row = carried_out(asked(cast, good(1)))
    confirm_import(row=row)
    (uploads_directory() / str(row.pk)).write_bytes(good(2))
    assert carried_out(row).status == JobStatus.FAILED
    assert "changed" in row.message
    assert not Reference.objects.exists()


def test_what_is_short_is_carried_out_at_once_and_what_is_long_waits(cast, monkeypatch) -> None:
    assert carry_out_if_small(asked(cast, good(1))).is_final
    monkeypatch.setattr(imports_services, "SMALL_PACKED_BYTES", 10)
    assert carry_out_if_small(asked(cast, good(1))).is_final
    packed = carry_out_if_small(asked(cast, gzip.compress(good(1))))
    assert packed.status == JobStatus.QUEUED
    monkeypatch.setattr(imports_services, "SMALL_BYTES", 10)
    assert carry_out_if_small(asked(cast, good(1))).status == JobStatus.QUEUED
    assert SMALL_BYTES == 2 * 1024 * 1024


def test_the_sweep_deletes_what_nobody_needs_and_nothing_else(cast) -> None:
    waiting, late, queued = (carried_out(asked(cast, good(n + 1))) for n in range(3))
    confirm_import(row=queued)
    ClaimImport.objects.filter(pk=late.pk).update(
        finished_at=timezone.now() - timedelta(days=1, minutes=1)
    )
    orphan = uploads_directory() / "00000000-0000-0000-0000-000000000001"
    young = uploads_directory() / "00000000-0000-0000-0000-000000000002"
    half = arrivals_directory() / "half"
    long_ago = time.time() - ORPHAN_SECONDS - 1
    for path in (orphan, young, half):
        path.write_bytes(b"x")
    for path in (orphan, half, uploads_directory() / str(waiting.pk)):
        os.utime(path, (long_ago, long_ago))
    assert sweep_imports() == 3
    assert kept_files() == sorted([str(waiting.pk), str(queued.pk), young.name])
    late.refresh_from_db()
    assert (late.status, late.message) == (JobStatus.CANCELLED, FORGOTTEN)
    assert AuditEvent.objects.filter(action="import.expired").count() == 1
    assert not half.exists()
    assert sweep_imports() == 0


def test_an_import_that_is_confirmed_while_the_sweep_comes_is_not_dropped(cast) -> None:
    late = carried_out(asked(cast, good(1)))
    ClaimImport.objects.filter(pk=late.pk).update(finished_at=timezone.now() - timedelta(days=2))
    confirmed: list[str] = []

    def confirm_before(execute, sql, params, many, context):
        if sql.startswith("UPDATE") and ClaimImport._meta.db_table in sql and not confirmed:
            confirmed.append(sql)
            confirm_import(row=ClaimImport.objects.get(pk=late.pk))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(confirm_before):
        assert sweep_imports() == 0
    assert confirmed
    late.refresh_from_db()
    assert late.status == JobStatus.QUEUED
    assert kept_files() == [str(late.pk)]
    assert not AuditEvent.objects.filter(action="import.expired").exists()
