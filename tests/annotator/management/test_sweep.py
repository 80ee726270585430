import io
import time

import pytest
from django.core.management import call_command

from annotator.management.commands import sweep
from core.jobs import registry
from scoring.models import AgreementReport
from tests.core.jobs.conftest import make_job

pytestmark = pytest.mark.django_db


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
