"""Imports by upload: asked for, confirmed or given up."""

from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from annotator.campaigns.services import close_campaign
from annotator.imports.files import TooBig
from annotator.imports.services import (
    LONGEST_NAME,
    cancel_import,
    confirm_import,
    request_import,
    shown_name,
)
from annotator.models import AuditEvent, ClaimImport, Reference
from core.errors import OutOfDate
from core.jobs.rows import JobStatus
from tests.annotator.imports.import_files import (
    asked,
    bad,
    carried_out,
    drop_at_once,
    file,
    good,
    kept_files,
    stored,
)

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@pytest.fixture(autouse=True)
def data_dir(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DATA_DIR = tmp_path
    drop_at_once(monkeypatch)


def test_no_claim_text_stays_in_an_import_that_is_over(cast) -> None:
    kept = [
        stored(cast, good(2)),
        carried_out(asked(cast, bad())),
        carried_out(asked(cast, good(4))),
    ]
    cancel_import(row=kept[2], cancelled_by=cast.ada)
    for row in kept:
        row.refresh_from_db()
        assert "cup number" not in str(row.result) + row.message
    assert "cup number" not in str(list(AuditEvent.objects.values_list("details", flat=True)))


def test_nothing_is_imported_into_a_closed_campaign(cast) -> None:
    checked = carried_out(asked(cast, good(1)))
    queued = carried_out(asked(cast, good(1)))
    confirm_import(row=queued)
    close_campaign(campaign=cast.campaign, reason="done", closed_by=cast.ada)
    cast.campaign.refresh_from_db()
    with pytest.raises(OutOfDate, match="closed"):
        asked(cast, good(1))
    with pytest.raises(OutOfDate, match="closed"):
        confirm_import(row=checked)
    assert "closed" in carried_out(queued).message
    assert queued.status == JobStatus.FAILED
    assert not Reference.objects.exists()


def test_only_a_checked_import_is_confirmed_and_only_once(cast) -> None:
    row = asked(cast, good(1))
    with pytest.raises(OutOfDate):
        confirm_import(row=row)
    confirm_import(row=carried_out(row))
    with pytest.raises(OutOfDate):
        confirm_import(row=row)
    assert AuditEvent.objects.filter(action="import.confirmed").count() == 1


@pytest.mark.parametrize("is_checked", [False, True])
def test_a_cancelled_import_is_never_stored_and_its_file_is_deleted(cast, is_checked: bool) -> None:
    row = asked(cast, good(1))
    if is_checked:
        carried_out(row)
    cancel_import(row=row, cancelled_by=cast.ada)
    assert row.status == JobStatus.CANCELLED
    assert kept_files() == []
    assert carried_out(row).status == JobStatus.CANCELLED
    for act in (confirm_import, cancel_import):
        with pytest.raises(OutOfDate):
            act(row=row)
    assert not Reference.objects.exists()


def test_a_file_that_is_too_large_leaves_neither_row_nor_file(cast, settings) -> None:
    settings.MAX_UPLOAD_BYTES = 100
    with pytest.raises(TooBig):
        asked(cast, good(3))
    assert not ClaimImport.objects.exists()
    assert kept_files() == []


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\ada\\claims.jsonl", "claims.jsonl"),
        ("a\u202elnosj.exe", "a\N{REPLACEMENT CHARACTER}lnosj.exe"),
        ("a\r\nb: c", "a\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}b: c"),
        ("nul\x00.csv", "nul\N{REPLACEMENT CHARACTER}.csv"),
        ("x" * 300, "x" * LONGEST_NAME),
        ("con", "con"),
        ("", "unnamed"),
        ("folder/", "unnamed"),
        ("أسد.csv", "أسد.csv"),
    ],
)
def test_the_name_of_a_file_is_stored_for_people_alone(cast, sent: str, kept: str) -> None:
    row = request_import(campaign=cast.campaign, file=file(good(1)), file_name=sent)
    row.refresh_from_db()
    assert row.file_name == kept == shown_name(sent)
    assert kept_files() == [str(row.pk)]


def test_every_step_leaves_an_audit_row_without_the_name_of_the_file(cast) -> None:
    row = carried_out(asked(cast, good(1)))
    confirm_import(row=row, confirmed_by=cast.ada)
    carried_out(row)
    events = AuditEvent.objects.filter(object_id=str(row.pk)).order_by("pk")
    assert [event.action for event in events] == [
        "import.requested",
        "import.confirmed",
        "import.stored",
    ]
    for event in events:
        assert event.details["sha256"] == row.file_sha256
        assert "claims.jsonl" not in str(event.details)


def test_a_file_outlives_a_transaction_that_is_rolled_back(cast, monkeypatch) -> None:
    monkeypatch.undo()
    row = carried_out(asked(cast, good(1)))
    with transaction.atomic():
        cancel_import(row=row, cancelled_by=cast.ada)
        transaction.set_rollback(True)
    assert kept_files() == [str(row.pk)]
