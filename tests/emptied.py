"""Lets the tests, and nothing else, empty the audit trail between transactional tests.

Django empties a database by TRUNCATE or DELETE, which the trail refuses. On PostgreSQL the flush
runs as a replica, where triggers and foreign keys sleep: that takes a superuser, as the tests' own
role is. On SQLite the triggers are put aside and made again from what the database itself stores of
them.

On PostgreSQL it is DELETE here too: TRUNCATE makes new files for each table and its indexes, which
takes a hundred times as long, and locks each of them against readers.

The flush waits until no transaction is under way beside it: what that adds would stay.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction

TRIGGERS = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND sql IS NOT NULL"
UNDER_WAY = """
    SELECT pid, now() - xact_start, state, query FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
    AND backend_type = 'client backend' AND xact_start IS NOT NULL
"""
LONGEST_WAIT_SECONDS = 30.0


@contextmanager
def trail_unguarded(of: Any = connection) -> Iterator[None]:
    """Let the block change the trail, as one who has broken into the database could."""
    with transaction.atomic(), of.cursor() as cursor:
        if of.vendor == "postgresql":
            cursor.execute("SET LOCAL session_replication_role = replica")
            yield
            cursor.execute("SET LOCAL session_replication_role = origin")
            return
        cursor.execute(TRIGGERS)
        triggers = cursor.fetchall()
        for name, _ in triggers:
            cursor.execute(f"DROP TRIGGER {name}")
        yield
        for _, made_by in triggers:
            cursor.execute(made_by)


def wait_for_the_others(of: Any) -> None:
    """Wait until no other connection to the database has a transaction, even a dead program's."""
    if of.vendor != "postgresql":
        return
    deadline = time.monotonic() + LONGEST_WAIT_SECONDS
    while others := _under_way(of):
        assert time.monotonic() < deadline, f"transactions that outlast the test: {others}"
        time.sleep(0.02)


def _under_way(of: Any) -> Any:
    with of.cursor() as cursor:
        cursor.execute(UNDER_WAY)
        return cursor.fetchall()


def flush_past_the_guards() -> None:
    """Have Django's flush run with the trail unguarded and nobody beside it, in this process.

    On the class: a browser's test asks from another context, which has a connection of its own.
    """
    operations: Any = type(connection.ops)
    flush = operations.execute_sql_flush

    def flush_unguarded(self: Any, statements: Any) -> Any:
        wait_for_the_others(self.connection)
        with trail_unguarded(self.connection):
            return flush(self, statements)

    operations.execute_sql_flush = flush_unguarded
    if connection.vendor == "postgresql":
        operations.sql_flush = deletions


def deletions(of: Any, style: Any, tables: Sequence[str], **_: Any) -> list[str]:
    """Return what empties the tables, for Django's `sql_flush`."""
    return [f"DELETE FROM {of.quote_name(table)}" for table in tables]
