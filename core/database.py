"""Rows in batches, reads as of one moment, and blocks that run alone."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any, Final, TypeVar

from django.db import connection, transaction
from django.db.models import QuerySet

BATCH: Final = 500
T = TypeVar("T")


def batches(rows: Iterable[T]) -> Iterator[list[T]]:
    """Yield rows by BATCH, so that no more of what is made of them is held at once."""
    left = iter(rows)
    while batch := list(islice(left, BATCH)):
        yield batch


def neighbours(rows: QuerySet[Any], position: int) -> tuple[Any, Any]:
    """Return the keys of the rows before and after a position, None where there is none."""
    before = rows.filter(position__lt=position).order_by("-position")
    after = rows.filter(position__gt=position).order_by("position")
    return before.values_list("pk", flat=True).first(), after.values_list("pk", flat=True).first()


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


@contextmanager
def alone(lock: int) -> Iterator[None]:
    """Run a block in a transaction of which no other with this number runs at the same time.

    SQLite has one writer at a time in any case.
    """
    with transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_xact_lock(%s)", [lock])
        yield
