"""P14 on PostgreSQL: its own disk is full, rows with it; nothing acknowledged is lost, it heals."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from django.db import DatabaseError, connection

from annotator.imports.services import carry_out_import, request_import
from annotator.models import Campaign, ClaimImport, Rating
from core.jobs.rows import JobStatus
from tests.annotator.imports.import_files import file, good
from tests.promises.conftest import MakePostgres, StartServer, served
from tests.promises.harness import SCALE, Caller, make_callers, wait_until
from tests.promises.small_disks import fill, small_disk
from tests.promises.test_full_disk import FULL, send
from tests.served.postgres import OwnPostgres, programs
from tests.soak.tally import Tally

pytestmark = [
    pytest.mark.promise("P14"),
    pytest.mark.slow,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(programs() is None, reason="no programs of PostgreSQL"),
]
CYCLES: Final = 1 if SCALE == 1 else 10
IMPORTED: Final = 1_500
# A new cluster takes 40 MB; what a cycle writes is small beside the rest.
SIZE_MB: Final = 128
SMALL: Final = {"shared_buffers": "16MB", "min_wal_size": "2MB", "max_wal_size": "8MB"}


@pytest.fixture
def disk() -> Iterator[Path]:
    with small_disk(SIZE_MB) as place:
        yield place


@pytest.mark.exhaustive
def test_postgresql_on_a_full_disk_loses_nothing_acknowledged_and_heals_without_a_restart(
    cast: Any,
    disk: Path,
    own_postgres: MakePostgres,
    start_server: StartServer,
    settings: Any,
    tmp_path: Path,
    tally: Tally,
) -> None:
    settings.DATA_DIR, settings.JOB_LEASE_SECONDS = tmp_path, 2
    reference = cast.reference("r1", 60 * CYCLES)
    (caller,) = make_callers(cast.campaign, 1, 0)
    todo = [row.pk for row in cast.assign(caller.user, reference)]
    database = made_on(disk, own_postgres)
    caller.port = served(start_server, database).port
    row = imported_in_vain(cast.campaign, disk, database)
    acknowledged = [pk for _ in range(CYCLES) for pk in one_cycle(caller, todo, disk, database)]
    # The test's own connection has not outlived each ending of the server.
    connection.close()
    rated = list(Rating.objects.values_list("assignment", flat=True))
    tally.tried(submits=len(acknowledged), fillings_of_a_disk=CYCLES + 1)
    tally.found(lost=len(set(acknowledged) - set(rated)), doubled=len(rated) - len(set(rated)))
    assert sorted(rated) == sorted(acknowledged)
    row.refresh_from_db()
    if row.status == JobStatus.FAILED:
        assert "disk is full" in row.message
        row = asked(cast.campaign)
    # One that could not even be ended is taken up once its lease has run out.
    wait_until(lambda: carried_out(row) == JobStatus.SUCCEEDED, "the import is stored")
    assert cast.campaign.references.count() == IMPORTED + 1


def imported_in_vain(campaign: Campaign, disk: Path, database: OwnPostgres) -> ClaimImport:
    """Carry an import out while there is no space for its rows: none of them may be there."""
    row = asked(campaign)
    filler = fill(disk)
    try:
        carried_out(row)
    finally:
        filler.unlink()
    database.come_back()
    wait_until(lambda: campaign.references.count() == 1, "the database is back")
    return row


def asked(campaign: Campaign) -> ClaimImport:
    return request_import(
        campaign=campaign, file=file(good(IMPORTED)), file_name="a.jsonl", is_confirmed=True
    )


def carried_out(row: ClaimImport) -> str:
    """Carry it out as a worker does, which outlives whatever that raises."""
    try:
        carry_out_import(row.pk)
        row.refresh_from_db()
    except (DatabaseError, OSError):
        connection.close()
    return row.status


@pytest.mark.skipif(SCALE == 1, reason="planted at full counts only")
def test_a_server_that_swallows_a_full_disk_is_found_out(
    cast: Any,
    disk: Path,
    own_postgres: MakePostgres,
    start_server: StartServer,
) -> None:
    (caller,) = make_callers(cast.campaign, 1, 0)
    todo = [row.pk for row in cast.assign(caller.user, cast.reference("r1", 50))]
    database = made_on(disk, own_postgres)
    caller.port = served(start_server, database, SERVED_FAULT="swallow_the_full_disk").port
    filler = fill(disk)
    acknowledged = {pk for pk in todo if send(caller, pk).status == 201}
    filler.unlink()
    database.come_back()
    wait_until(lambda: send(caller, todo[0]).status == 201, "the database is back")
    assert acknowledged - set(Rating.objects.values_list("assignment", flat=True))


def made_on(disk: Path, make: MakePostgres) -> OwnPostgres:
    """Move to a copy of the database whose files, its log among them, lie on the disk."""
    disk.chmod(0o777)
    return make(disk, **SMALL)


def one_cycle(caller: Caller, todo: list[Any], disk: Path, database: OwnPostgres) -> list[Any]:
    """Rate, fill the disk, rate until it is refused, make space, rate; return what was stored."""
    done = [todo.pop() for _ in range(3)]
    for pk in done:
        assert send(caller, pk).status == 201
    filler = fill(disk)
    try:
        full = [todo.pop() for _ in range(50)]
        answers = {pk: send(caller, pk) for pk in full}
    finally:
        filler.unlink()
    database.come_back()
    refused = {pk: answer for pk, answer in answers.items() if answer.status != 201}
    assert refused, "nothing was refused: the disk was not full"
    assert {answer.status for answer in refused.values()} <= set(FULL)
    assert all("detail" in answer.body for answer in refused.values())
    for pk in refused:
        # The server mends itself where its log did not fit either, which takes a moment.
        wait_until(lambda pk=pk: send(caller, pk).status == 201, "it is stored")  # type: ignore[misc]
    return [*done, *full]
