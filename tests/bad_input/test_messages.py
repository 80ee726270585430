"""What is sent to workers: a key and nothing else; claim text is in no message, file or log."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Final

import pytest
from django.conf import settings

from annotator.imports.services import request_import
from annotator.models import ClaimImport, Delivery, ReliabilityReport, Way
from config.celery import app
from core.jobs.registry import _enqueuers, kinds_of_jobs
from core.jobs.rows import JobRow
from scoring.models import (
    AgreementReport,
    DatasetVersion,
    Freeze,
    ScoreRequest,
    TrainingRun,
)
from tests.annotator.imports.import_files import file, lines, reference
from tests.flows.conftest import ROOT, environment, kill_group

CANARY: Final = "quokkacanary"
CLAIM: Final = f"1. A {CANARY} comprising a handle."
RAISES: Final = b"scoring/scores/services.py"
LONGEST_WAIT_SECONDS: Final = 120


def rows_of_jobs(cast: Any, version: DatasetVersion) -> list[JobRow]:
    """Return a job of every kind, with claim text wherever one can be."""
    return [
        TrainingRun.objects.create(dataset_version=version, criterion="x", settings={"a": CANARY}),
        AgreementReport.objects.create(
            dataset_version=version, criterion="x", scorers=[CANARY], split="all", tie_threshold=0
        ),
        ScoreRequest.objects.create(
            asked_by=cast.rita,
            reference_text=CLAIM,
            candidate_texts=[CLAIM],
            models_by_criterion={},
        ),
        Freeze.objects.create(campaign=cast.campaign, asked_by=cast.rita, settings={"a": CANARY}),
        ClaimImport.objects.create(campaign=cast.campaign, file_name=CANARY, file_bytes=1),
        ReliabilityReport.objects.create(campaign=cast.campaign),
        Delivery.objects.create(way=Way.MAIL, about="x", content={"a": CANARY}, sealed=CANARY),
    ]


@pytest.mark.django_db
def test_a_message_holds_the_key_of_a_row_and_nothing_else(
    cast: Any, version: DatasetVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CE15: arguments, their written form in the headers, and everything else that is sent."""
    found: list[dict[str, Any]] = []

    def send(name: str, args: Any, kwargs: Any, **options: Any) -> None:
        message = app.amqp.create_task_message("id", name, args, kwargs)
        found.append({"args": args, "kwargs": kwargs, "message": repr(message), "task": name})

    monkeypatch.setattr(type(app), "send_task", lambda self, *a, **k: pytest.fail("by name"))
    for task in app.tasks.values():
        if task.name.startswith(("annotator.", "scoring.")):
            monkeypatch.setattr(
                type(task),
                "apply_async",
                lambda self, args=None, kwargs=None, **more: send(self.name, args, kwargs, **more),
            )
    rows = rows_of_jobs(cast, version)
    assert {type(row) for row in rows} == set(kinds_of_jobs())
    for row in rows:
        _enqueuers[type(row)](row.pk)
    assert [(one["args"], one["kwargs"] or {}) for one in found] == [
        ((str(row.pk),), {}) for row in rows
    ]
    assert not [one["task"] for one in found if CANARY in one["message"]]


def test_results_are_off_and_only_json_is_read() -> None:
    """CE01, CE02, CE15: results are input, too."""
    assert app.conf.accept_content == ["json"]
    assert app.conf.task_serializer == "json"
    assert app.conf.task_ignore_result
    assert not app.conf.result_backend
    assert {task.ignore_result for name, task in app.tasks.items() if "celery" not in name} == {
        True
    }


def held_by_the_broker() -> bytes:
    """Return every byte that the broker holds: its files, or the keys and values of Redis."""
    if settings.CELERY_BROKER_URL.startswith("redis"):
        import redis

        with redis.Redis.from_url(settings.CELERY_BROKER_URL) as client:
            return b"\n".join(key + (client.dump(key) or b"") for key in client.scan_iter("*"))
    folder = Path(app.conf.broker_transport_options["data_folder_in"]).parent
    return b"\n".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def logged_jobs(log: Path, status: str) -> list[tuple[str, str]]:
    """Return kind and key of the jobs that a worker's log gives this status."""
    return re.findall(rf"job (?:{status}) kind=(\w+) key=(\S+) attempt=1", log.read_text())


@pytest.mark.broker
@pytest.mark.embedded
@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_no_broker_and_no_log_of_a_worker_holds_claim_text(cast: Any, tmp_path: Path) -> None:
    """CE15: while messages wait, while they are carried out, and after; the log at its finest."""
    good = lines([reference(1, reference_claims=CLAIM)])
    bad = lines([reference(2, reference_claims=CLAIM), reference(3, reference_claims="", a=CLAIM)])
    rows: list[Any] = [
        request_import(
            campaign=cast.campaign,
            file=file(content),
            file_name="claims.jsonl",
            asked_by=cast.ada,
            is_confirmed=True,
        )
        for content in (good, bad)
    ]
    rows.append(
        ScoreRequest.objects.create(
            asked_by=cast.rita,
            reference_text=CLAIM,
            candidate_texts=[CLAIM],
            models_by_criterion={"overall_quality": CANARY},
        )
    )
    for row in rows:
        _enqueuers[type(row)](row.pk)
    waiting = held_by_the_broker()
    assert str(rows[0].pk).encode() in waiting or b"body" in waiting
    log = tmp_path / "worker.log"
    command = [sys.executable, "-m", "celery", "-A", "config.celery", "worker", "-Q", "web,gpu"]
    command += ["-c", "1", "-l", "debug", "-n", f"canary-{os.getpid()}@test"]
    with log.open("wb") as stream:
        worker = subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment(),
            stdout=stream,
            stderr=stream,
            start_new_session=True,
        )
    try:
        deadline = time.monotonic() + LONGEST_WAIT_SECONDS
        # The third breaks off by an error whose message quotes the row, logged after its end.
        while len(logged_jobs(log, "succeeded|failed")) < 4 or RAISES not in log.read_bytes():
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.1)
    finally:
        kill_group(worker)
    for row in rows:
        row.refresh_from_db()
    assert rows[0].result["stored"]["references"] == 1
    # An import starts twice: it is checked, then stored.
    for status, ended in {
        "started": [rows[0], *rows],
        "succeeded": [rows[0], rows[0]],
        "failed": rows[1:],
    }.items():
        expected = sorted((row.kind(), str(row.pk)) for row in ended)
        assert sorted(logged_jobs(log, status)) == expected
    logged = log.read_bytes()
    for place in (waiting, held_by_the_broker(), logged, json.dumps(rows[1].message).encode()):
        assert CANARY.encode() not in place
