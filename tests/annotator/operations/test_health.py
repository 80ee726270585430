import pytest
from django.db import DatabaseError, connection
from django.test import Client

from annotator.operations.presences import report_presence
from tests.faults import raising


@pytest.mark.django_db
def test_a_healthy_server_is_ready(client: Client) -> None:
    report_presence(name="a", works=["web", "gpu"])
    for path in ("/healthz", "/readyz"):
        answer = client.get(path)
        assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


@pytest.mark.django_db
def test_a_server_without_workers_stays_in_service_and_says_so(client: Client) -> None:
    missing = []
    for works in ([], ["sweeper"], ["web"]):
        report_presence(name="a", works=works)
        answer = client.get("/readyz")
        assert (answer.status_code, answer.json()["status"]) == (200, "degraded")
        missing.append(answer.json()["workers"].partition(": ")[2])
    assert missing == ["web, gpu", "web, gpu", "gpu"]


def test_healthz_needs_no_database(client: Client) -> None:
    assert client.get("/healthz").status_code == 200


@pytest.mark.django_db
def test_a_database_that_fails_is_not_ready(client: Client, monkeypatch) -> None:
    broken = raising(DatabaseError())
    monkeypatch.setattr("annotator.operations.health.database.MigrationRecorder", broken)
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["database"]) == (503, "not reached")


@pytest.mark.django_db
def test_asking_again_reads_no_migration_and_looks_at_the_database_anew(client, monkeypatch):
    assert client.get("/readyz").status_code == 200
    fail = raising(AssertionError("read from disk again"))
    monkeypatch.setattr("django.db.migrations.loader.MigrationLoader.load_disk", fail)
    assert client.get("/readyz").status_code == 200
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'scoring'")
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["database"]) == (503, "not migrated")
