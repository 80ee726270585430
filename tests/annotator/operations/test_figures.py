import math
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from annotator.models import Backup, ReliabilityReport, User
from annotator.operations.presences import report_presence
from core.jobs.leases import claim, close
from core.jobs.rows import JobStatus
from scoring.models import Dataset, DatasetVersion, TrainingRun
from tests.conftest import signed_in

pytestmark = pytest.mark.django_db
TOKEN = "k3Jw92hQzT-scraper-token-of-a-test"


def figures(client: Client, **headers: str) -> dict[str, dict[tuple[str, ...], float]]:
    answer = client.get("/metrics", headers=headers)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    found: dict[str, dict[tuple[str, ...], float]] = {}
    for family in text_string_to_metric_families(answer.content.decode()):
        for sample in family.samples:
            labels = tuple(value for _, value in sorted(sample.labels.items()))
            found.setdefault(sample.name, {})[labels] = sample.value
    return found


@pytest.fixture
def boss() -> Client:
    return signed_in(User.objects.create(username="boss", is_superuser=True))


def test_jobs_programs_queues_and_leases_are_counted(cast, boss: Client) -> None:
    version = DatasetVersion.objects.create(
        dataset=Dataset.objects.create(name="tiny"), number=1, sha256="0" * 64, items=0, card={}
    )
    for status in ("queued", "queued", "failed"):
        TrainingRun.objects.create(
            dataset_version=version, criterion="x", settings={}, status=status
        )
    report_presence(name="a", works=["gpu"])
    found = figures(boss)
    jobs = found["workbench_jobs"]
    assert (jobs["trainingrun", "queued"], jobs["trainingrun", "failed"]) == (2, 1)
    assert jobs["claimimport", "queued"] == 0
    assert found["workbench_oldest_waiting_seconds"]["trainingrun",] >= 0
    assert found["workbench_programs_alive"] == {("web",): 0, ("gpu",): 1, ("sweeper",): 0}
    assert set(found["workbench_messages"]) == {("web",), ("gpu",)}
    assert found["workbench_leases"][()] == 0


def test_a_job_that_its_worker_lost_is_counted_until_it_has_ended(cast, boss: Client) -> None:
    report = ReliabilityReport.objects.create(campaign=cast.campaign)

    def lapsed() -> float:
        return figures(boss)["workbench_lapsed_jobs"]["reliabilityreport",]

    first = claim(ReliabilityReport, report.pk)
    assert first is not None
    assert lapsed() == 0
    gone = timezone.now() - timedelta(seconds=1)
    ReliabilityReport.objects.filter(pk=report.pk).update(lease_until=gone)
    assert lapsed() == 1
    second = claim(ReliabilityReport, report.pk)
    assert second is not None
    assert lapsed() == 1
    close(second, JobStatus.SUCCEEDED)
    assert lapsed() == 0


def test_the_disk_and_the_age_of_the_latest_backup_are_there(boss: Client) -> None:
    found = figures(boss)
    assert 0 < found["workbench_disk_free_bytes"][()] <= found["workbench_disk_bytes"][()]
    assert found["workbench_backup_age_seconds"][()] == math.inf
    for hours in (30, 2):
        made_at = timezone.now() - timedelta(hours=hours)
        values = {"file_sha256": "0" * 64, "file_bytes": 1, "delete_by": made_at.date()}
        Backup.objects.create(made_at=made_at, **values)
    assert 7190 < figures(boss)["workbench_backup_age_seconds"][()] < 7800


def test_each_answer_is_counted_once_by_route_method_and_code(boss: Client) -> None:
    # A method that nobody else asks by: a server of another test may still add to the same figures.
    key = ("OPTIONS", "annotator:login", "405")
    before = figures(boss)["workbench_requests_total"].get(key, 0)
    Client().options("/login/?next=/typed-by-somebody/")
    boss.get("/nowhere-typed-by-somebody/")
    after = figures(boss)
    assert after["workbench_requests_total"][key] == before + 1
    assert after["workbench_request_seconds_count"]["annotator:login",] >= 1
    assert not any(
        "typed" in label for labels in after["workbench_requests_total"] for label in labels
    )


def test_a_scraper_needs_the_token_of_the_settings(settings: Any) -> None:
    given = {"authorization": f"Bearer {TOKEN}"}
    # Without one in the settings no word opens, the empty one neither.
    for headers in (given, {"authorization": "Bearer "}, {}):
        assert Client().get("/metrics", headers=headers).status_code == 302
    settings.METRICS_TOKEN = TOKEN
    assert "workbench_jobs" in figures(Client(), **given)
    for wrong in ("Bearer", f"Bearer {TOKEN}x", f"Token {TOKEN}", TOKEN):
        answer = Client().get("/metrics", headers={"authorization": wrong})
        assert answer.status_code == 302
    # It opens this one address only.
    assert Client().get("/", headers=given).status_code == 302
    assert Client().get("/api/v1/campaigns/", headers=given).status_code == 401


def test_a_broker_that_is_away_hides_no_other_figure(boss: Client, monkeypatch: Any) -> None:
    from kombu.exceptions import OperationalError

    from config.celery import app

    def away(*_: object, **__: object) -> None:
        raise OperationalError

    monkeypatch.setattr(app, "connection_for_write", away)
    found = figures(boss)
    assert "workbench_messages" not in found
    assert "workbench_jobs" in found
