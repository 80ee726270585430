from typing import Any

import pytest
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

from annotator.models import User
from annotator.operations.presences import report_presence
from core.clock import database_now
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
    waits = TrainingRun.objects.filter(status="queued")[0]
    TrainingRun.objects.filter(pk=waits.pk).update(unreached_at=database_now())
    report_presence(name="a", works=["gpu"])
    found = figures(boss)
    jobs = found["workbench_jobs"]
    assert (jobs["trainingrun", "queued"], jobs["trainingrun", "failed"]) == (2, 1)
    assert jobs["claimimport", "queued"] == 0
    unreached = found["workbench_jobs_unreached"]
    assert (unreached["trainingrun",], unreached["claimimport",]) == (1, 0)
    assert found["workbench_oldest_waiting_seconds"]["trainingrun",] >= 0
    assert found["workbench_programs_alive"] == {("web",): 0, ("gpu",): 1, ("sweeper",): 0}
    assert set(found["workbench_messages"]) == {("web",), ("gpu",)}
    assert found["workbench_leases"][()] == 0


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
