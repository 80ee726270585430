"""Reads by many keys, reads as of one moment, and writes of many rows at once.

For rows that nothing else looks at on their way: `bulk_create` takes 100 microseconds of
processor time a row, this 10, and on SQLite everybody else's writes wait meanwhile.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from typing import Any, Final, TypeVar
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction
from django.db.models import Model, QuerySet
from django.db.models.expressions import DatabaseDefault

BATCH: Final = 500


def rows_of_each(
    there: QuerySet[Any, Any], name: str, keys: Iterable[Any], fields: Sequence[str]
) -> list[tuple[Any, ...]]:
    """Return the fields of the rows of `there` that hold one of the keys in the column `name`.

    While a large import runs, PostgreSQL knows nothing yet of the rows it wrote, believes that 500
    keys match most of them, and reads the whole table for each batch: the time grew with the square
    of the rows. A subquery of its own for each key, which OFFSET 0 keeps it from joining, is
    answered from the index.
    """
    wanted = list(dict.fromkeys(keys))
    if not wanted:
        return []
    rows = there.order_by().values_list(*fields)
    if connection.vendor != "postgresql":
        return list(rows.filter(**{f"{name}__in": wanted}))
    quote = connection.ops.quote_name
    column = f"{quote(rows.model._meta.db_table)}.{quote(name)}"
    of_one = rows.extra(where=[f"{column} = wanted.key"])  # noqa: S610 - names of ours only
    query, values = of_one.query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT found.* FROM unnest(%s) AS wanted(key) "  # noqa: S608 - no value stands in it
            f"CROSS JOIN LATERAL ({query} OFFSET 0) AS found",
            [wanted, *values],
        )
        return cursor.fetchall()


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


def insert(row: Model) -> None:
    """Insert a new row: `save` takes twice as long.

    Keys and times that the database gives are not read back.
    """
    # Not by way of the proxy, which looks the thread's own up at each step.
    there = connections[DEFAULT_DB_ALIAS]
    stated = [(field, field.pre_save(row, add=True)) for field in row._meta.concrete_fields]
    given = [
        (str(field.column), field.get_db_prep_save(value, there))
        for field, value in stated
        if not isinstance(value, DatabaseDefault) and not (field.primary_key and value is None)
    ]
    quote = there.ops.quote_name
    columns = ", ".join(quote(column) for column, _ in given)
    places = ", ".join(["%s"] * len(given))
    table = quote(row._meta.db_table)
    statement = f"INSERT INTO {table} ({columns}) VALUES ({places})"  # noqa: S608 - names of ours
    with there.cursor() as cursor:
        cursor.execute(statement, [value for _, value in given])
    row._state.adding = False
    row._state.db = DEFAULT_DB_ALIAS


class RowWriter:
    """Inserts rows of which some fields are stated; the others get their defaults."""

    def __init__(self, model: type[Model], names: Sequence[str]) -> None:
        by_name = {field.name: field for field in model._meta.concrete_fields}
        stated = [by_name.pop(name) for name in names]
        rest = list(by_name.values())
        quote = connection.ops.quote_name
        columns = ", ".join(quote(str(field.column)) for field in (*stated, *rest))
        table = quote(model._meta.db_table)
        self._into = f"INSERT INTO {table} ({columns}) VALUES "  # noqa: S608 - names of ours only
        self._places = f"({', '.join(['%s'] * (len(stated) + len(rest)))})"
        self._rest = tuple(
            field.get_db_prep_save(field.get_default(), connection) for field in rest
        )

    def write(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Insert the rows, each the values of the stated fields in their order; ids by `as_id`."""
        whole = [(*row, *self._rest) for row in rows]
        if not whole:
            return
        with connection.cursor() as cursor:
            if connection.vendor == "sqlite":
                cursor.executemany(self._into + self._places, whole)
                return
            # A statement for each row would be sent alone, and waited for.
            for page in batches(whole):
                places = ", ".join([self._places] * len(page))
                cursor.execute(self._into + places, list(chain.from_iterable(page)))


def update_rows(model: type[Model], names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
    """Update fields of rows, each given as its id by `as_id` and the values in their order.

    `bulk_update` takes a millisecond of processor time a row, this ten microseconds.
    """
    if not rows:
        return
    quote = connection.ops.quote_name
    by_name = {field.name: field for field in model._meta.concrete_fields}
    fields = [by_name[name] for name in names]
    columns = [quote(str(field.column)) for field in fields]
    table, key = (quote(name) for name in (model._meta.db_table, str(model._meta.pk.column)))
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            stated = ", ".join(f"{column} = %s" for column in columns)
            one = f"UPDATE {table} SET {stated} WHERE {key} = %s"  # noqa: S608 - names of ours only
            cursor.executemany(one, [(*values, pk) for pk, *values in rows])
            return
        # A column of NULLs alone has no type of its own.
        types = [field.db_type(connection) for field in fields]
        stated = ", ".join(
            f"{column} = CAST(new.{column} AS {kind})"
            for column, kind in zip(columns, types, strict=True)
        )
        places = f"({', '.join(['%s'] * (len(columns) + 1))})"
        for page in batches(rows):
            values = ", ".join([places] * len(page))
            cursor.execute(
                f"UPDATE {table} SET {stated} FROM (VALUES {values}) "  # noqa: S608 - as above
                f"AS new ({key}, {', '.join(columns)}) WHERE {table}.{key} = new.{key}",
                list(chain.from_iterable(page)),
            )


def as_id(key: UUID | None) -> UUID | str | None:
    """Return a key as the database takes it."""
    return key if key is None or connection.features.has_native_uuid_field else key.hex


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
