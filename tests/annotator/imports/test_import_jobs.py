import gzip
import io
import os
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from annotator.campaigns.services import close_campaign, create_campaign
from annotator.imports import services as imports_services
from annotator.imports.claims.services import import_claims
from annotator.imports.erasing import erase_texts
from annotator.imports.files import (
    ORPHAN_SECONDS,
    open_upload,
    uploads_directory,
)
from annotator.imports.services import (
    LONGEST_NAME,
    SMALL_BYTES,
    cancel_import,
    carry_out_if_small,
    carry_out_import,
    confirm_import,
    import_file,
    request_import,
    shown_name,
    under_way,
)
from annotator.imports.sweeping import FORGOTTEN, sweep_imports
from annotator.models import (
    AuditEvent,
    Campaign,
    Candidate,
    ClaimImport,
    ImportStage,
    Preference,
    Reference,
)
from core.errors import OutOfDate, Refused
from core.jobs import leases
from core.jobs.rows import JobStatus
from patclaimeval.text_io.streams import FormatError
from tests.annotator.formats.exports import as_bytes, item
from tests.annotator.imports.import_files import (
    asked,
    bad,
    carried_out,
    file,
    good,
    stored,
    stored_files,
)
from tests.faults import raising

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def test_a_check_stores_nothing_and_tells_what_it_found(cast) -> None:
    row = carried_out(asked(cast, good(3)))
    assert (row.stage, row.status) == (ImportStage.CHECK, JobStatus.SUCCEEDED), row.message
    assert row.format == "claims-jsonl"
    assert row.result["counts"]["references"] == 3
    assert row.result["counts"]["candidates"] == 6
    assert len(row.result["preview"]) == 3
    assert not Reference.objects.exists()
    assert stored_files() == [str(row.pk)]


def test_a_confirmed_import_is_stored_whole_and_its_file_is_deleted(cast) -> None:
    row = carried_out(asked(cast, good(3), may_train=True))
    confirm_import(row=row, confirmed_by=cast.ada)
    assert (row.stage, row.status) == (ImportStage.APPLY, JobStatus.QUEUED)
    carried_out(row)
    assert row.status == JobStatus.SUCCEEDED, row.message
    counts = {"references": 3, "candidates": 6, "known_references": 0, "known_candidates": 0}
    assert row.result["stored"] == counts
    assert Reference.objects.filter(may_train=True, imported_from=row).count() == 3
    assert Candidate.objects.filter(imported_from=row).count() == 6
    assert stored_files() == []


@pytest.mark.parametrize("is_confirmed", [False, True])
def test_a_bad_file_is_refused_with_its_records_and_deleted(cast, is_confirmed: bool) -> None:
    row = carried_out(asked(cast, bad(), is_confirmed=is_confirmed))
    assert row.status == JobStatus.FAILED
    found = row.result["bad_records"]
    assert [(one["line"], one["field"]) for one in found] == [(2, "reference_claims"), (3, "scroe")]
    assert not Reference.objects.exists()
    assert stored_files() == []


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
    assert stored_files() == []


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
    assert stored_files() == [str(row.pk)]


def test_an_error_ends_the_import_without_its_words(cast, monkeypatch) -> None:
    row = carried_out(asked(cast, good(1)))
    confirm_import(row=row)
    monkeypatch.setattr(imports_services, "import_claims", raising(ValueError("1. A cup number 7")))
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
    long_ago = time.time() - ORPHAN_SECONDS - 1
    for path in (orphan, young):
        path.write_bytes(b"x")
    for path in (orphan, uploads_directory() / str(waiting.pk)):
        os.utime(path, (long_ago, long_ago))
    assert sweep_imports() == 2
    assert stored_files() == sorted([str(waiting.pk), str(queued.pk), young.name])
    late.refresh_from_db()
    assert (late.status, late.message) == (JobStatus.CANCELLED, FORGOTTEN)
    assert AuditEvent.objects.filter(action="import.expired").count() == 1
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
    assert stored_files() == [str(late.pk)]
    assert not AuditEvent.objects.filter(action="import.expired").exists()


def test_no_claim_text_stays_in_an_import_that_is_over(cast) -> None:
    remaining = [
        stored(cast, good(2)),
        carried_out(asked(cast, bad())),
        carried_out(asked(cast, good(4))),
    ]
    cancel_import(row=remaining[2], cancelled_by=cast.ada)
    for row in remaining:
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
    assert stored_files() == []
    assert carried_out(row).status == JobStatus.CANCELLED
    for act in (confirm_import, cancel_import):
        with pytest.raises(OutOfDate):
            act(row=row)
    assert not Reference.objects.exists()


@pytest.mark.parametrize(
    ("sent", "shown"),
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
def test_the_name_of_a_file_is_stored_for_people_alone(cast, sent: str, shown: str) -> None:
    row = request_import(campaign=cast.campaign, file=file(good(1)), file_name=sent)
    row.refresh_from_db()
    assert row.file_name == shown == shown_name(sent)
    assert stored_files() == [str(row.pk)]


def test_every_step_leaves_an_audit_row_without_the_name_of_the_file(cast) -> None:
    row = carried_out(asked(cast, good(1)))
    confirm_import(row=row, confirmed_by=cast.ada)
    carried_out(row)
    events = AuditEvent.objects.filter(object_id=str(row.pk)).order_by("pk")
    steps = ("requested", "confirmed", "stored")
    assert [event.action for event in events] == [f"import.{step}" for step in steps]
    for event in events:
        assert event.details["sha256"] == row.file_sha256
        assert "claims.jsonl" not in str(event.details)


def test_a_file_outlives_a_transaction_that_is_rolled_back(cast, monkeypatch) -> None:
    monkeypatch.undo()
    row = carried_out(asked(cast, good(1)))
    with transaction.atomic():
        cancel_import(row=row, cancelled_by=cast.ada)
        transaction.set_rollback(True)
    assert stored_files() == [str(row.pk)]


def test_preferences_come_in_with_their_claims_and_name_their_import(cast) -> None:
    content = as_bytes(item(), item(output1="3. A pot.", comparison=[{"selected": "right"}]))
    checked = carried_out(asked(cast, content))
    assert checked.format == "label-studio", checked.message
    assert checked.result["counts"]["candidates"] == 3
    confirm_import(row=checked)
    row = carried_out(checked)
    assert row.status == JobStatus.SUCCEEDED, row.message
    assert row.result["stored"]["preferences"] == Preference.objects.count() == 2
    assert "New or newer: 2 preferences." in row.message
    assert Candidate.objects.filter(imported_from=row).count() == 3
    again = stored(cast, content)
    assert again.message.startswith("Nothing new")


@pytest.mark.parametrize(("stage", "verb"), [("check", "Checking"), ("apply", "Storing")])
def test_what_is_under_way_is_said_with_what_was_read_so_far(stage: str, verb: str) -> None:
    row, file = ClaimImport(stage=ImportStage(stage), file_bytes=4), io.BytesIO(b"four")
    reached = under_way(row, file, lambda: None)
    assert (row.progress, row.message) == (0.0, f"{verb}: 0 records read.")
    file.seek(1)
    reached(12_345)
    assert (row.progress, row.message) == (0.25, f"{verb}: 12,345 records read.")


TABLE = "reference_id,reference_claims,candidate_id,claims\nr1,1. A cup.,c1,1. A mug.\n"


def save(path: Path, text: str = TABLE) -> Path:
    path.write_text(text)
    return path


def test_a_missing_campaign_is_created_and_a_known_one_is_filled(tmp_path: Path) -> None:
    with save(tmp_path / "a.csv").open("rb") as file:
        file.read(20)
        first, is_made = import_file(slug="mugs", file=file, file_name="a.csv", format="csv")
        again, is_made_again = import_file(slug="mugs", file=file, file_name="a.csv", format="csv")
    assert (is_made, is_made_again) == (True, False)
    assert [row.result["stored"]["references"] for row in (first, again)] == [1, 0]
    assert Reference.objects.get().imported_from == first
    assert AuditEvent.objects.filter(details__import=str(first.pk)).count() == 1


def test_a_campaign_that_somebody_creates_meanwhile_is_taken(tmp_path, monkeypatch) -> None:
    def overtaken(*, slug: str) -> Campaign:
        create_campaign(slug=slug)
        raise OutOfDate("There is one already.")

    monkeypatch.setattr(imports_services, "create_campaign", overtaken)
    with save(tmp_path / "a.csv").open("rb") as file:
        _, is_made = import_file(slug="mugs", file=file, file_name="a.csv", format="csv")
    assert not is_made
    assert Reference.objects.get().campaign == Campaign.objects.get()


@pytest.mark.parametrize("bad", ["r2,,c1,1. A.\n", 'r2,"1. A'])
def test_a_bad_file_leaves_neither_campaign_nor_row(tmp_path: Path, bad: str) -> None:
    with save(tmp_path / "a.csv", TABLE + bad).open("rb") as file, pytest.raises(FormatError):
        import_file(slug="mugs", file=file, file_name="a.csv", format="csv")
    assert not Campaign.objects.exists()
    assert not ClaimImport.objects.exists()


def test_a_file_that_changes_while_it_is_read_is_not_stored(tmp_path: Path) -> None:
    path = save(tmp_path / "a.csv")

    def change(_: int) -> None:
        save(path, TABLE.replace("cup", "pot"))

    with path.open("rb") as file, pytest.raises(Refused, match="was changed"):
        import_file(slug="mugs", file=file, file_name="a.csv", format="csv", progress=change)
    assert not Campaign.objects.exists()


def test_references_of_one_file_can_be_erased_one_after_the_other(cast: Any) -> None:
    import_file(slug="cups", file=file(good(3)), file_name="a.jsonl", format="claims-jsonl")
    rows = list(Reference.objects.all())
    for row in rows:
        erase_texts(row)
    found = Reference.objects.values_list("reference_id", "claims")
    assert len({name for name, _ in found}) == 3
    assert all(name.startswith("erased-") and claims == "" for name, claims in found)
