"""P31: restarts are safe: of the web server under load, of workers at work, of many migrations."""

import random
import signal
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Final

import pytest
from django.db import connection

from annotator.imports.services import request_import
from annotator.models import AuditEvent, Campaign, Candidate, ClaimImport, Reference
from core.jobs.registry import enqueue_on_commit, sweep
from core.jobs.rows import JobStatus
from tests.annotator.imports.import_files import file, good
from tests.crowd import at_once, meanwhile
from tests.promises.harness import SCALE, make_callers, wait_until
from tests.promises.rated_work import assert_faithful, give_work, send_all, sent_of
from tests.served.programs import run_program
from tests.served.server import Server, served_environment
from tests.soak.tally import Tally

pytestmark = [pytest.mark.promise("P31"), pytest.mark.slow, pytest.mark.django_db(transaction=True)]
IS_FULL: Final = SCALE > 1
ANNOTATORS: Final = 50 if IS_FULL else 20
# As much as two quiet cores take in while the server is restarted.
REFERENCES_EACH: Final = 24 if IS_FULL else 4
SECONDS_BETWEEN_RESTARTS: Final = 2
SECONDS_OF_RESTARTS: Final = 60 if IS_FULL else 6
WORKER_CYCLES: Final = 50 if IS_FULL else 2
REFERENCES: Final = 1000
MIGRATIONS: Final = 5 if IS_FULL else 2


def restarted_again_and_again(server: Server, tally: Tally) -> AbstractContextManager[None]:
    """Have the server stopped in order and started, every two seconds."""

    def restart() -> None:
        deadline = time.monotonic() + SECONDS_OF_RESTARTS
        while time.monotonic() < deadline:
            time.sleep(SECONDS_BETWEEN_RESTARTS)
            server.stop()
            server.start()
            tally.tried(restarts_of_the_server=1)

    return meanwhile(restart)


@pytest.mark.embedded
def test_a_server_restarted_every_two_seconds_loses_no_acknowledged_rating(
    cast, server, tally
) -> None:
    callers = make_callers(cast.campaign, ANNOTATORS, server.port)
    work = give_work(cast, callers, REFERENCES_EACH)
    tally.tried(submits=len(sent_of(work)))
    with restarted_again_and_again(server, tally):
        acknowledged = send_all(work, {})
    assert_faithful(work, acknowledged, tally)


def is_taken(row: ClaimImport) -> bool:
    """Sweep as the sweeper does; return whether a worker has begun this import."""
    sweep()
    row.refresh_from_db()
    return row.is_final or row.status == JobStatus.RUNNING


def ask_import(number: int) -> ClaimImport:
    campaign = Campaign.objects.create(slug=f"cycle-{number}", name="Cycle")
    content = file(good(REFERENCES))
    row = request_import(campaign=campaign, file=content, file_name="a", is_confirmed=True)
    enqueue_on_commit(row)
    return row


def all_are_over() -> bool:
    sweep()
    return not ClaimImport.objects.exclude(status__in=(JobStatus.SUCCEEDED, JobStatus.FAILED))


@pytest.mark.exhaustive
@pytest.mark.broker
@pytest.mark.embedded
def test_workers_that_start_and_stop_at_work_double_nothing(
    transactional_db, settings, start_worker, tally
) -> None:
    settings.JOB_LEASE_SECONDS = 2
    chance = random.Random(1)
    for number in range(WORKER_CYCLES):
        row = ask_import(number)
        worker = start_worker("web")
        # Behind those that earlier workers left, none of which is begun more than twice so.
        wait_until(partial(is_taken, row), "a worker takes the import")
        time.sleep(chance.uniform(0, 0.3))
        # As the supervisor stops it: asked first, killed when it takes its time.
        worker.send_signal(signal.SIGTERM)
        time.sleep(chance.uniform(0, 1))
        worker.kill()
        worker.wait()
    start_worker("web")
    wait_until(all_are_over, "every import ends")
    stored = Reference.objects.count()
    events = AuditEvent.objects.filter(action="claims.imported").count()
    wanted = WORKER_CYCLES * REFERENCES
    tally.tried(starts_and_stops_of_a_worker=WORKER_CYCLES)
    tally.found(lost=max(0, wanted - stored), doubled=max(0, events - WORKER_CYCLES))
    assert set(ClaimImport.objects.values_list("status", flat=True)) == {JobStatus.SUCCEEDED}
    assert (stored, Candidate.objects.count()) == (wanted, 2 * wanted)
    assert events == WORKER_CYCLES


@pytest.fixture
def empty_database(transactional_db: None, tmp_path: Path) -> Iterator[str]:
    """Give the name of a database without tables."""
    if connection.vendor == "sqlite":
        yield str(tmp_path / "empty.sqlite3")
        return
    name = f"{connection.settings_dict['NAME']}_empty"
    with connection.cursor() as cursor:
        cursor.execute(f'CREATE DATABASE "{name}"')
    yield name
    with connection.cursor() as cursor:
        cursor.execute(f'DROP DATABASE "{name}"')


@pytest.mark.exhaustive
@pytest.mark.embedded
def test_of_migrations_at_once_one_runs_and_the_others_find_nothing_to_do(
    empty_database, tally
) -> None:
    tally.tried(migrations_at_once=MIGRATIONS)
    env = served_environment(SERVED_DATABASE=empty_database)
    migrate = partial(run_program, "manage", "migrate", "--no-color", env=env)
    ended = at_once([migrate] * MIGRATIONS)
    assert [one.returncode for one in ended] == [0] * MIGRATIONS, [one.stderr for one in ended]
    applied = ["Applying annotator.0001" in one.stdout for one in ended]
    idle = ["No migrations to apply" in one.stdout for one in ended]
    assert (sum(applied), sum(idle)) == (1, MIGRATIONS - 1), [one.stdout for one in ended]


@pytest.mark.embedded
@pytest.mark.skipif(not IS_FULL, reason="planted at full counts only")
def test_migrations_that_wait_for_nobody_are_found_out(empty_database) -> None:
    env = served_environment(SERVED_DATABASE=empty_database)
    ended = at_once([partial(run_program, "tests.served.unlocked_migrate", env=env)] * MIGRATIONS)
    assert any(one.returncode for one in ended), [one.stdout for one in ended]
