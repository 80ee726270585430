"""Every task of ours names its queue, and somebody works on that queue."""

from types import SimpleNamespace
from typing import Any

import pytest

from config.celery import app
from core.jobs.queues import Queues
from scoring import tasks as scoring_tasks
from scripts.programs import programs
from tests.core.jobs.conftest import make_job

app.loader.import_default_modules()
# Celery names them in an order of its own each time; the processes of a test run must agree.
OURS = {name: app.tasks[name] for name in sorted(app.tasks) if not name.startswith("celery.")}


@pytest.mark.parametrize("task", OURS.values(), ids=OURS)
def test_task_names_one_of_the_two_queues(task) -> None:
    # Read from the class: an instance would fall back to the default of the configuration.
    assert vars(type(task)).get("queue") in {queue.value for queue in Queues}


@pytest.mark.parametrize("queue", [queue.value for queue in Queues])
def test_supervisor_starts_one_worker_for_each_queue(monkeypatch, queue) -> None:
    started: list[dict[str, Any]] = []

    def worker(**options: Any) -> SimpleNamespace:
        started.append(options)
        return SimpleNamespace(start=lambda: None, exitcode=0)

    monkeypatch.setattr(app, "Worker", worker)
    for name, program in programs(8000).items():
        if name.startswith("worker"):
            with pytest.raises(SystemExit):
                program()
    serving = [options for options in started if options["queues"] == queue]
    assert len(serving) == 1
    assert serving[0]["concurrency"] == 1


@pytest.mark.django_db
@pytest.mark.parametrize("is_neural", [False, True])
def test_a_report_is_enqueued_where_its_scorers_belong(monkeypatch, is_neural) -> None:
    report = make_job(is_neural=is_neural)
    enqueued: list[str] = []
    for task in (scoring_tasks.report, scoring_tasks.neural_report):
        monkeypatch.setattr(task, "delay", lambda pk, task=task: enqueued.append(task.queue))
    scoring_tasks.enqueue_report(report.pk)
    assert enqueued == [Queues.GPU.value if is_neural else Queues.WEB.value]


def test_tasks_are_declared_in_the_two_task_modules_only() -> None:
    modules = {task.__module__ for task in OURS.values()}
    assert {"scoring.tasks"} <= modules <= {"annotator.tasks", "scoring.tasks"}
