"""Retraining that dies at any statement, and is started again, does each of its steps once."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from django.db import connection

from annotator.models import AuditEvent
from core.clock import database_now
from core.jobs.rows import JobStatus
from scoring.models import (
    AgreementReport,
    DatasetVersion,
    ModelVersion,
    Promotion,
    PromotionAct,
    TrainingRun,
)
from tests.amounts import tries
from tests.scoring.retraining.conftest import LATER, Trained


class Killed(BaseException):
    """The program is gone: nothing in it catches this."""


@contextmanager
def killed_at(number: int) -> Iterator[None]:
    """Have the program die at the statement of that number; the database undoes what was open."""
    left = number

    def count(execute: Callable[..., Any], sql: str, *asked: Any) -> Any:
        nonlocal left
        left -= not sql.startswith("ROLLBACK")
        if left < 0 and not sql.startswith("ROLLBACK"):
            raise Killed
        return execute(sql, *asked)

    try:
        with connection.execute_wrapper(count):
            yield
    except Killed:
        # What was alone in its transaction opened no savepoint here, and marks the test's instead.
        connection.needs_rollback = False
        past = database_now() - timedelta(hours=1)
        for kind in (TrainingRun, AgreementReport):
            rows = kind._default_manager.filter(status=JobStatus.RUNNING)
            rows.update(lease_until=past)


def counts() -> dict[str, int]:
    """Return how many rows of each kind there are, and how often each was asked for."""
    models = (DatasetVersion, TrainingRun, ModelVersion, AgreementReport)
    acts = ("dataset.freeze", "training.requested", "model.registered", "report.requested")
    return {
        **{model.__name__: model._default_manager.count() for model in models},
        **{action: AuditEvent.objects.filter(action=action).count() for action in acts},
        "asked": Promotion.objects.filter(act=PromotionAct.ASKED).count(),
    }


@pytest.mark.slow
@pytest.mark.django_db
def test_each_step_is_done_once_wherever_the_command_dies(trained: Trained) -> None:
    trained.rated.rate_all(LATER)
    before, draws = counts(), Random(1)
    for _ in range(tries(10)):
        undo = connection.savepoint()
        # It gets a little further each time, and ends when it is let alone.
        for number in sorted(draws.sample(range(220), 6)):
            with killed_at(number):
                trained.retrain()
        assert all(step.is_done for step in trained.retrain())
        now = counts()
        assert {name: now[name] - before[name] for name in now} == dict.fromkeys(now, 1)
        connection.savepoint_rollback(undo)
