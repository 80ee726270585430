"""Lets the tests, and nothing else, empty the audit trail between transactional tests.

Django empties a database by TRUNCATE or DELETE, which the trail refuses. On PostgreSQL the flush
runs as a replica, where triggers sleep: that takes a superuser, as the tests' own role is. On
SQLite the triggers are put aside and made again from what the database itself keeps of them.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction

TRIGGERS = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND sql IS NOT NULL"


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


def flush_past_the_guards() -> None:
    """Have Django's flush run with the trail unguarded, in this process.

    On the class: a browser's test asks from another context, which has a connection of its own.
    """
    operations: Any = type(connection.ops)
    flush = operations.execute_sql_flush

    def flush_unguarded(self: Any, statements: Any) -> Any:
        with trail_unguarded(self.connection):
            return flush(self, statements)

    operations.execute_sql_flush = flush_unguarded
