"""Reading as of one moment: however long it takes, what others write meanwhile is not in it."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def one_moment() -> Iterator[None]:
    """Have all reads of the block see the database as it was at the first of them.

    Nothing may be written in the block, and writers do not wait for it: PostgreSQL reads in a
    repeatable transaction, SQLite in one that asks for no write lock. Inside a transaction of the
    caller the block is part of that one.
    """
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "postgresql":
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
    else:
        with _reading():
            yield


@contextmanager
def _reading() -> Iterator[None]:
    """Read in a transaction that Django does not open: its own take the write lock at once."""
    connection.ensure_connection()
    ask = connection.connection.execute
    ask("BEGIN DEFERRED")
    try:
        yield
    finally:
        if connection.connection is not None:
            ask("ROLLBACK")
