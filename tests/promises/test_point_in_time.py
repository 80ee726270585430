"""PostgreSQL comes back as it was at a chosen moment, by pgBackRest as deploy/ configures it."""

import shutil
import time
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import pytest
from django.core.management import call_command
from django.db import connection

from annotator.models import Rating
from tests.crowd import meanwhile
from tests.promises.conftest import served
from tests.promises.harness import make_callers, wait_until
from tests.promises.rated_work import give_work, send_all, sent_of
from tests.served.postgres import OwnPostgres, programs
from tests.served.server import ROOT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.exhaustive,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(programs() is None, reason="no programs of PostgreSQL"),
    pytest.mark.skipif(
        not shutil.which("pgbackrest"), reason="no pgbackrest (apt-get install pgbackrest)"
    ),
]
CONFIGURED: Final = ROOT / "deploy" / "pgbackrest.conf"


class Archive:
    """A repository beside a server, under the file of deploy/ with the places of this test."""

    def __init__(self, database: OwnPostgres) -> None:
        self._database = database
        self._file = database.folder / "pgbackrest.conf"
        places = {
            "repo1-path=/var/lib/pgbackrest": f"repo1-path={database.folder}/repository",
            "repo1-cipher-pass=\n": "repo1-cipher-pass=of a test\n",
            "pg1-path=/var/lib/postgresql/15/main": f"pg1-path={database.folder}/data\n"
            f"pg1-port={database.port}\npg1-socket-path={database.folder}\n"
            f"pg1-user={connection.settings_dict['USER']}\npg1-database=postgres",
            "[global]\n": f"[global]\nlock-path={database.folder}/locks\n",
        }
        text = CONFIGURED.read_text()
        for default, here in places.items():
            assert default in text
            text = text.replace(default, here)
        self._file.write_text(text)
        # For the server's user, who alone can enter the folder.
        self._file.chmod(0o644)

    def run(self, *arguments: str) -> str:
        given = [f"--config={self._file}", "--stanza=workbench", *arguments]
        return self._database.run("pgbackrest", *given)


@pytest.fixture
def database(own_postgres: Any) -> OwnPostgres:
    """A server whose log is archived, and that remembers when each change was committed."""
    folder = "$(dirname $PWD)"
    pushed = f"pgbackrest --config={folder}/pgbackrest.conf --stanza=workbench archive-push %p"
    settings = {"archive_mode": "on", "archive_command": pushed, "track_commit_timestamp": "on"}
    return own_postgres(**settings, unix_socket_directories="..")


def wait_until_archived() -> None:
    """Wait until all that has been written lies in the archive."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_walfile_name(pg_switch_wal())")
        (last,) = cursor.fetchone()

        def is_there() -> bool:
            cursor.execute("SELECT last_archived_wal >= %s FROM pg_stat_archiver", [last])
            return bool(cursor.fetchone()[0])

        wait_until(is_there, "the log is archived")


def stored() -> dict[str, Any]:
    return {str(row.assignment_id): (row.scores, row.comment) for row in Rating.objects.all()}


def committed_until(moment: datetime) -> dict[str, Any]:
    """Return the ratings that the database had at a moment, by what it remembers itself."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT assignment_id::text FROM annotator_rating "
            "WHERE pg_xact_commit_timestamp(xmin) <= %s",
            [moment],
        )
        keys = {key for (key,) in cursor.fetchall()}
    return {key: value for key, value in stored().items() if key in keys}


def test_what_was_stored_at_a_chosen_moment_comes_back_and_nothing_later(
    cast, database, start_server, tally
) -> None:
    archive = Archive(database)
    archive.run("stanza-create")
    archive.run("check")
    server = served(start_server, database)
    callers = make_callers(cast.campaign, 8, server.port)
    work = give_work(cast, callers, 4)
    early = {caller: ratings[:10] for caller, ratings in work.items()}
    late = {caller: ratings[10:] for caller, ratings in work.items()}
    moments: list[datetime] = []

    def choose() -> None:
        due = len(sent_of(early)) + len(sent_of(late)) // 3
        wait_until(lambda: sum(one.statuses[201] for one in callers) >= due, "a third of the rest")
        with connection.cursor() as cursor:
            cursor.execute("SELECT clock_timestamp()")
            moments.append(cursor.fetchone()[0])
        connection.close()

    # Both while people rate.
    with meanwhile(lambda: archive.run("backup", "--type=full")):
        connection.close()
        send_all(early, {})
    # Of a backup's end pgBackRest knows the second, and the moment must be a later one.
    time.sleep(2)
    with meanwhile(choose):
        connection.close()
        send_all(late, {})
    (moment,) = moments
    wanted, all_of_them = committed_until(moment), stored()
    assert len(sent_of(early)) < len(wanted) < len(all_of_them) == len(sent_of(work))
    # The mistake: it is committed, and archived as everything else.
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE annotator_rating CASCADE")
    wait_until_archived()
    connection.close()
    server.kill()
    database.kill()
    shutil.rmtree(database.folder / "data")
    target = f"--target={moment.isoformat(sep=' ')}"
    archive.run("restore", "--type=time", target, "--target-action=promote")
    database.start()
    wait_until(is_writable, "the database has recovered")
    assert stored() == wanted
    tally.tried(ratings=len(all_of_them), kept=len(wanted))
    call_command("verify_audit")
    # People go on from there: what was lost is rated again.
    again = served(start_server, database)
    for caller in callers:
        caller.port = again.port
    send_all(work, {})
    assert stored() == all_of_them


def is_writable() -> bool:
    connection.close()
    with connection.cursor() as cursor:
        cursor.execute("SELECT NOT pg_is_in_recovery()")
        return bool(cursor.fetchone()[0])


def test_the_guide_names_the_settings_that_the_file_needs() -> None:
    needed = [line[4:] for line in CONFIGURED.read_text().splitlines() if line.startswith("#   ")]
    assert [line.partition(" ")[0] for line in needed] == [
        "archive_mode",
        "archive_command",
        "archive_timeout",
    ]
    guide = Path(ROOT, "docs", "install.md").read_text()
    assert all(line in guide for line in needed)
