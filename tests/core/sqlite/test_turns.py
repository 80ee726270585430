"""Write transactions on SQLite wait in line, and none that ends keeps the others waiting."""

import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.db import OperationalError, connections, transaction
from django.db.utils import ConnectionHandler

from core import sqlite

NAME = "numbers"
PATIENCE = 0.3


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, django_db_blocker) -> Iterator[Path]:
    """Give a database with one number in it, which Django knows by NAME: an impatient one."""
    path = tmp_path / "numbers.sqlite3"
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("CREATE TABLE numbers AS SELECT 0 AS number")
    database.close()
    options = sqlite.options(sqlite.FIRST_SOUND) | {"timeout": PATIENCE}
    given = {"ENGINE": "core.sqlite", "NAME": str(path), "OPTIONS": options}
    known = ConnectionHandler({"default": {}, NAME: given}).settings
    monkeypatch.setitem(connections.settings, NAME, known[NAME])
    with django_db_blocker.unblock():
        yield path
        connections[NAME].close()
        del connections[NAME]


def count_up() -> None:
    """Read the number and store the next one."""
    with transaction.atomic(using=NAME), connections[NAME].cursor() as cursor:
        cursor.execute("SELECT number FROM numbers")
        cursor.execute("UPDATE numbers SET number = %s", [cursor.fetchone()[0] + 1])


def elsewhere(*, times: int = 1) -> None:
    """Count up on a thread of its own, which has a connection of its own."""

    def work() -> None:
        try:
            for _ in range(times):
                count_up()
        finally:
            connections[NAME].close()

    with ThreadPoolExecutor(1) as pool:
        pool.submit(work).result()


def number(file: Path) -> int:
    with sqlite3.connect(file) as database:
        (found,) = database.execute("SELECT number FROM numbers").fetchone()
    database.close()
    return found


def test_nothing_is_lost_among_threads(file) -> None:
    # Its disk may be slow for a moment: that is no loss.
    connections.settings[NAME]["OPTIONS"]["timeout"] = 60
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: elsewhere(times=50), range(4)))
    assert number(file) == 200


def test_what_is_undone_lets_the_next_one_in(file) -> None:
    with pytest.raises(ZeroDivisionError), transaction.atomic(using=NAME):
        raise ZeroDivisionError
    elsewhere()
    assert number(file) == 1


def test_a_connection_that_closes_within_its_transaction_lets_the_next_one_in(file) -> None:
    with transaction.atomic(using=NAME):
        connections[NAME].close()
        elsewhere()
    assert number(file) == 1


def test_who_waits_too_long_in_the_line_gets_an_error_and_nobody_else(file) -> None:
    with transaction.atomic(using=NAME), pytest.raises(OperationalError, match="locked"):
        elsewhere()
    elsewhere()
    assert number(file) == 1


def test_who_waits_too_long_for_another_process_gets_an_error_and_nobody_else(file) -> None:
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(OperationalError, match="locked"):
        count_up()
    other.execute("COMMIT")
    other.close()
    elsewhere()
    assert number(file) == 1


def test_a_write_begins_when_another_process_is_done(file) -> None:
    other = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    done = threading.Timer(PATIENCE / 6, lambda: other.execute("COMMIT"))
    done.start()
    count_up()
    done.join()
    other.close()
    assert number(file) == 1


def test_any_other_fault_of_the_begin_is_raised_at_once_and_as_it_is(file, monkeypatch) -> None:
    connections[NAME].ensure_connection()
    monkeypatch.setattr(connections[NAME], "transaction_mode", "NONSENSE")
    monkeypatch.setattr("core.sqlite.base.time.sleep", pytest.fail)
    with pytest.raises(OperationalError, match="NONSENSE"):
        count_up()
    elsewhere()
    assert number(file) == 1


def test_a_statement_outside_a_transaction_waits_as_it_always_did(file) -> None:
    count_up()
    with connections[NAME].cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout")
        assert cursor.fetchone() == (PATIENCE * 1000,)


def test_a_new_database_that_another_program_is_making_is_waited_for(file) -> None:
    new = file.with_name("new.sqlite3")
    given = connections.settings[NAME]
    given["NAME"], given["OPTIONS"]["timeout"] = str(new), 20
    other = sqlite3.connect(new, check_same_thread=False, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    other.execute("CREATE TABLE cups (name TEXT)")
    threading.Timer(0.3, lambda: other.execute("COMMIT")).start()
    with connections[NAME].cursor() as cursor:
        cursor.execute("SELECT count(*) FROM cups")
        assert cursor.fetchone() == (0,)
    other.close()
