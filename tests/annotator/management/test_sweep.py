import io
import json
import time
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command

from annotator.management.commands import sweep
from core.clock import database_now
from core.jobs import registry
from core.jobs.leases import claim, close
from core.jobs.registry import kinds_of_jobs
from core.jobs.rows import JobRow, JobStatus
from scoring.models import AgreementReport, Dataset, DatasetVersion
from tests.bad_input.test_messages import CANARY, rows_of_jobs
from tests.core.jobs.conftest import make_job

pytestmark = pytest.mark.django_db


@pytest.fixture
def rows(cast: Any) -> list[JobRow]:
    """A queued job of each kind, full of claim text, the last one asked for first."""
    version = DatasetVersion.objects.create(
        dataset=Dataset.objects.create(name=CANARY), number=1, sha256="0" * 64, items=0, card={}
    )
    rows, now = rows_of_jobs(cast, version), database_now()
    for age, row in enumerate(rows):
        asked_at = now - timedelta(minutes=age)
        type(row)._default_manager.filter(pk=row.pk).update(created_at=asked_at, message=CANARY)
    return rows


def printed(*options: str) -> str:
    out = io.StringIO()
    call_command("jobs", *options, stdout=out)
    return out.getvalue()


def listed(*options: str) -> list[str]:
    return [job["key"] for job in json.loads(printed("--json", *options))["jobs"]]


def end(row: JobRow, status: JobStatus) -> None:
    mine = claim(type(row), row.pk)
    assert mine is not None
    close(mine, status)


def test_every_kind_is_listed_newest_first_and_no_word_of_its_content(rows: list[JobRow]) -> None:
    keys = [str(row.pk) for row in rows]
    table = printed()
    assert [line.split()[1] for line in table.splitlines()[1::2]] == keys
    assert max(map(len, table.splitlines())) <= 80
    assert listed() == keys
    assert {job.kind() for job in rows} == {model.kind() for model in kinds_of_jobs()}
    assert CANARY not in table + printed("--json")


def test_what_ended_well_or_was_cancelled_is_listed_when_asked_for(rows: list[JobRow]) -> None:
    for row, status in zip(rows, ("failed", "succeeded", "cancelled"), strict=False):
        end(row, JobStatus(status))
    claim(type(rows[3]), rows[3].pk)
    keys = [str(row.pk) for row in rows]
    assert listed() == [keys[0], *keys[3:]]
    assert listed("--all") == keys
    assert listed("--status", "running") == [keys[3]]
    assert listed("--status", "cancelled") == [keys[2]]
    assert listed("--all", "--kind", "agreementreport") == [keys[1]]
    assert printed("--kind", "agreementreport") == "No jobs match.\n"


def test_a_limit_says_how_many_are_left_out(rows: list[JobRow]) -> None:
    lines = printed("--limit", "4").splitlines()
    assert len(lines) == 1 + 2 * 4 + 1
    assert lines[-1] == f"{len(rows) - 4} more; give a higher --limit."
    with pytest.raises(SystemExit):
        printed("--limit", "0")


def test_a_job_tells_for_how_long_it_runs_or_ran_and_none_while_it_waits(rows) -> None:
    now = database_now()
    times = (
        ("queued", None, None),
        ("running", 3600, None),
        ("failed", 3600, 3540),
        # Carried out before, as an import that was checked and is to be stored.
        ("queued", 3600, None),
    )
    for row, (status, *ages) in zip(rows, times, strict=False):
        began, ended = (age and now - timedelta(seconds=age) for age in ages)
        type(row)._default_manager.filter(pk=row.pk).update(
            status=status, started_at=began, finished_at=ended, attempt=1, progress=0.254
        )
    waits, runs, failed, waits_again = json.loads(printed("--json"))["jobs"][:4]
    for job in (waits, waits_again):
        assert (job["started_at"], job["seconds"]) == (None, None)
    assert 3600 <= runs["seconds"] < 7200
    assert failed["seconds"] == 60
    assert (failed["attempt"], failed["progress"]) == (1, 0.25)
    assert failed["started_at"] == (now - timedelta(hours=1)).isoformat(timespec="seconds")
    lines = printed().splitlines()
    assert "started" not in lines[2] and "started" not in lines[8]
    assert lines[6].endswith(", 60.0 s")


def test_a_job_that_is_tried_again_says_why(rows) -> None:
    waits, again = rows[:2]
    told = {"message": "It is away.", "attempt": 1}
    type(waits)._default_manager.filter(pk=waits.pk).update(**told)
    type(again)._default_manager.filter(pk=again.pk).update(**told, status="running")
    found = [job["waits"] for job in json.loads(printed("--json"))["jobs"]]
    assert found[:3] == ["It is away.", None, None]
    assert "It is away." in printed().splitlines()[2]


def test_a_waiting_job_is_enqueued_once(monkeypatch) -> None:
    report = make_job()
    enqueued: list[object] = []
    monkeypatch.setattr(registry, "_enqueuers", {AgreementReport: enqueued.append})
    rest = (
        "0 leases lapsed, 0 repeats given, 0 settled candidates announced, "
        "0 mails queued, 0 uploads deleted and 0 rows or folders tidied"
    )
    for expected in (f"1 jobs enqueued, {rest}", f"0 jobs enqueued, {rest}"):
        err = io.StringIO()
        call_command("sweep", stderr=err)
        assert err.getvalue().strip() == expected
    assert enqueued == [report.pk]


def test_for_ever_outlives_a_database_that_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    from django.db import OperationalError

    swept: list[int] = []

    def away() -> int:
        swept.append(1)
        raise OperationalError("gone")

    class Enough(Exception):
        pass

    def rest(seconds: float) -> None:
        if len(swept) == 3:
            raise Enough

    monkeypatch.setattr(sweep, "sweep", away)
    monkeypatch.setattr(sweep, "close_old_connections", lambda: None)
    monkeypatch.setattr(time, "sleep", rest)
    with pytest.raises(Enough):
        call_command("sweep", "--forever", stderr=io.StringIO())
    assert len(swept) == 3


def test_rows_whose_time_is_over_are_deleted_and_counted(monkeypatch) -> None:
    tidied = {delete.__name__ for delete in registry._tidying}
    assert {"delete_old_scores", "clear_ended_runs", "forget_presences"} <= tidied
    monkeypatch.setattr(registry, "_tidying", [lambda: 2, lambda: 3])
    err = io.StringIO()
    call_command("sweep", stderr=err)
    assert err.getvalue().strip().endswith("0 uploads deleted and 5 rows or folders tidied")
