"""Lets the tests, and nothing else, empty the audit trail between transactional tests.

Django empties a database by TRUNCATE or DELETE, which the trail refuses. On PostgreSQL the flush
runs as a replica, where triggers sleep: that takes a superuser, as the tests' own role is. On
SQLite the triggers are put aside and made again from what the database itself keeps of them.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction

TRIGGERS = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND sql IS NOT NULL"


@contextmanager
def trail_unguarded() -> Iterator[None]:
    """Let the block change the trail, as one who has broken into the database could."""
    with transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
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


def flushing(flush: Callable[..., Any]) -> Callable[..., Any]:
    """Return Django's flush, with the trail unguarded while it runs."""

    def flush_unguarded(*args: Any, **more: Any) -> Any:
        with trail_unguarded():
            return flush(*args, **more)

    return flush_unguarded
