"""Each process of a test run works in places of its own, and asks nobody outside."""

import os
from pathlib import Path

from django.conf import settings

from tests.own_directories import give_own_broker, give_own_directory, take_the_metrics_places


def test_two_processes_get_two_directories_and_the_same_static_files(tmp_path) -> None:
    (tmp_path / "static").mkdir()
    (tmp_path / "static" / "base.css").write_text("body {}")
    given = []
    for process in ("gw0", "gw1"):
        environment = {"DATA_DIR": str(tmp_path)}
        give_own_directory(process, environment)
        given.append(Path(environment["DATA_DIR"]))
        assert (given[-1] / "static" / "base.css").read_text() == "body {}"
    assert given[0] != given[1]
    give_own_directory("gw0", {"DATA_DIR": str(tmp_path)})  # a second run in the same place


def test_two_processes_get_two_databases_of_one_redis() -> None:
    given = []
    for process in ("gw0", "gw1"):
        environment = {"CELERY_BROKER_URL": "redis://127.0.0.1:6379/0"}
        give_own_broker(process, environment)
        given.append(environment["CELERY_BROKER_URL"])
    assert given == ["redis://127.0.0.1:6379/1", "redis://127.0.0.1:6379/2"]


def test_a_broker_of_files_lies_in_the_data_directory_and_needs_nothing() -> None:
    environment = {"CELERY_BROKER_URL": "filesystem://localhost"}
    give_own_broker("gw0", environment)
    assert environment == {"CELERY_BROKER_URL": "filesystem://localhost"}


def test_no_test_asks_the_endpoint_of_whoever_runs_it() -> None:
    environment = {"METRIC_ENDPOINT_URL": "https://api.example.org", "METRICS": "mine", "HOME": "h"}
    take_the_metrics_places(environment)
    assert environment == {"METRICS": "mine", "HOME": "h"}
    assert not settings.METRIC_ENDPOINT_URL


def test_this_process_works_in_its_own() -> None:
    process = os.environ.get("PYTEST_XDIST_WORKER")
    if process:
        assert Path(settings.DATA_DIR).name == process
        address = settings.CELERY_BROKER_URL
        assert not address.startswith("redis:") or not address.endswith("/0")
