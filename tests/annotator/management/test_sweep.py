"""`sweep`: rings what waits and says how much."""

import io
import time

import pytest
from django.core.management import call_command

from annotator.management.commands import sweep
from core.jobs import registry
from scoring.models import AgreementReport, Dataset, DatasetVersion

pytestmark = pytest.mark.django_db


@pytest.fixture
def report() -> AgreementReport:
    version = DatasetVersion.objects.create(
        dataset=Dataset.objects.create(name="tiny"), number=1, sha256="0" * 64, items=0, card={}
    )
    return AgreementReport.objects.create(
        dataset_version=version, criterion="x", scorers=[], split="all", tie_threshold=0
    )


def test_a_waiting_job_is_enqueued_once(
    report: AgreementReport, monkeypatch: pytest.MonkeyPatch
) -> None:
    rung: list[object] = []
    monkeypatch.setattr(registry, "_enqueuers", {AgreementReport: rung.append})
    rest = "0 leases lapsed, 0 repeats given, 0 uploads and 0 rows or folders deleted"
    for expected in (f"1 jobs enqueued, {rest}", f"0 jobs enqueued, {rest}"):
        err = io.StringIO()
        call_command("sweep", stderr=err)
        assert err.getvalue().strip() == expected
    assert rung == [report.pk]


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


def test_rows_whose_time_is_over_are_deleted_and_counted(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "_tidying", [lambda: 2, lambda: 3])
    err = io.StringIO()
    call_command("sweep", stderr=err)
    assert err.getvalue().strip().endswith("0 uploads and 5 rows or folders deleted")


def test_score_requests_are_among_what_is_deleted() -> None:
    tidied = {delete.__name__ for delete in registry._tidying}
    assert {"delete_old_scores", "clear_ended_runs", "forget_presences"} <= tidied
