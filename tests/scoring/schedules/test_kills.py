"""A chain whose sweepers and workers die at any statement does each of its steps once."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from annotator.models import AuditEvent
from core.clock import database_now
from core.jobs.rows import JobStatus
from scoring.models import (
    AgreementReport,
    Chain,
    ChainStep,
    DatasetVersion,
    Freeze,
    ModelVersion,
    Promotion,
    PromotionAct,
    Schedule,
    TrainingRun,
)
from tests.amounts import tries
from tests.scoring.schedules.conftest import CARRIED_OUT, CRITERION, made, make_loop, sweep_at_once

MOST_STATEMENTS = 120
CRITERIA = (CRITERION, "logical_linkage")


class Killed(BaseException):
    """The program is gone: nothing in it catches this."""


@contextmanager
def killed_at(number: int) -> Iterator[None]:
    """Have the program die instead of asking the database so often.

    What it has not committed the database takes back by itself.
    """
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


def workers_die_and_others_come() -> None:
    """Let the leases of dead workers run out."""
    past = database_now() - timedelta(hours=1)
    for model in CARRIED_OUT:
        model.objects.filter(status=JobStatus.RUNNING).update(lease_until=past)


def work(number: int) -> None:
    """Carry out what waits, and die at the statement of that number."""
    workers_die_and_others_come()
    for model, carry_out in CARRIED_OUT.items():
        waiting = model.objects.filter(status__in=(JobStatus.QUEUED, JobStatus.RUNNING))
        for pk in list(waiting.values_list("pk", flat=True)):
            with killed_at(number):
                carry_out(pk)


def sweep(number: int) -> None:
    Schedule.objects.update(looked_at=None)
    with killed_at(number):
        sweep_at_once()


def counts() -> dict[str, int]:
    """Return how many rows of each kind there are, and how often each was asked for."""
    models = (Freeze, DatasetVersion, TrainingRun, ModelVersion, AgreementReport, Chain, ChainStep)
    found = {model.__name__: model.objects.count() for model in models}
    found["asked"] = Promotion.objects.filter(act=PromotionAct.ASKED).count()
    acts = ("freeze.requested", "training.requested", "report.requested", "chain.compared")
    for action in (*acts, "chain.begun", "chain.finished"):
        found[action] = AuditEvent.objects.filter(action=action).count()
    return found


def go_on(deaths: Iterator[int]) -> None:
    """Sweep and work until the chain has ended; programs die as often as `deaths` goes on."""
    for _ in range(60):
        sweep(next(deaths, 10**6))
        work(next(deaths, 10**6))
        if Chain.objects.exclude(finished_at=None).exists():
            return
    raise AssertionError([(chain.status, chain.message) for chain in Chain.objects.all()])


@pytest.mark.slow
@pytest.mark.django_db
def test_each_step_is_done_once_wherever_programs_die(data_directory, db) -> None:
    loop = make_loop()
    loop.promote("logical_linkage")
    loop.switch_on()
    loop.rated.rate_all(range(12, 20))
    before = counts()
    expected = {
        "Freeze": 1,
        "DatasetVersion": 1,
        "Chain": 1,
        "chain.begun": 1,
        "chain.finished": 1,
        "freeze.requested": 1,
        **dict.fromkeys(("TrainingRun", "ModelVersion", "AgreementReport", "ChainStep"), 2),
        **dict.fromkeys(("training.requested", "report.requested", "chain.compared", "asked"), 2),
    }

    @settings(
        max_examples=tries(20),
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.lists(st.integers(0, MOST_STATEMENTS), min_size=15, max_size=30))
    def holds(deaths: list[int]) -> None:
        undo = connection.savepoint()
        try:
            go_on(iter(deaths))
            now = counts()
            assert {name: now[name] - before[name] for name in now} == expected
            (chain,) = Chain.objects.all()
            assert chain.status == "done"
            for step in chain.steps.all():
                assert step.outcome == "requested", step.sentence
                assert step.promotion is not None and step.promotion.model == made(step)
        finally:
            connection.savepoint_rollback(undo)

    holds()
