"""Queries that are asked with every act: Django works their SQL out once, and only values change.

To write a query costs Django ten times what the database needs to answer it.
"""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Final, Generic, TypeVar
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.models import QuerySet
from django.db.models.sql.compiler import SQLCompiler

from core.database import as_id

Row = TypeVar("Row")
Key = UUID | str


class PreparedQuery(Generic[Row]):
    """Rows by some keys, as the query set gives them that `write` makes of such keys.

    The query set may depend on how many keys there are, and on nothing else that changes.
    """

    def __init__(self, write: Callable[..., "QuerySet[Any, Row]"]) -> None:
        self._write = write
        self._known: dict[tuple[str, int], _Written] = {}

    def __call__(self, *keys: Key) -> list[Row]:
        """Ask the database, in the transaction that the caller has begun, if any."""
        shape = connection.vendor, len(keys)
        if shape not in self._known:
            self._known[shape] = _written(self._write, keys)
        return self._known[shape].ask(keys)

    def one(self, *keys: Key) -> Row | None:
        """Return the first row; None without any."""
        rows = self(*keys)
        return rows[0] if rows else None


@dataclass(frozen=True, slots=True)
class _Written:
    """The SQL of a query for one kind of database, and where in it which key stands."""

    rows: QuerySet[Any, Any]
    compiler: SQLCompiler
    converters: dict[int, Any]
    sql: str
    values: tuple[Any, ...]
    places: tuple[tuple[int, int], ...]

    def ask(self, keys: Sequence[Key]) -> list[Any]:
        values = list(self.values)
        for place, number in self.places:
            values[place] = _as_value(keys[number])
        # What a query set does past its SQL is done by Django. Another thread may do so meanwhile.
        compiler: Any = copy(self.compiler)
        compiler.connection = connections[DEFAULT_DB_ALIAS]
        compiler.as_sql = lambda: (self.sql, tuple(values))
        compiler.get_converters = lambda _: self.converters
        query: Any = copy(self.rows.query)
        query.get_compiler = lambda *_, **__: compiler
        asked: Any = SimpleNamespace(
            db=DEFAULT_DB_ALIAS, query=query, model=self.rows.model, _known_related_objects={}
        )
        iterable: Any = self.rows._iterable_class
        return list(iterable(asked))


_LARGEST_UUID: Final = 2**128 - 1


def _written(write: Callable[..., QuerySet[Any, Any]], keys: Sequence[Key]) -> _Written:
    # Nothing is drawn at random here: what a first query draws would move the ids made after it.
    marks = [
        UUID(int=_LARGEST_UUID - number)
        if isinstance(key, UUID)
        else f"key {number} of a prepared query"
        for number, key in enumerate(keys)
    ]
    rows = write(*marks)
    compiler = rows.query.get_compiler(DEFAULT_DB_ALIAS)
    sql, values = compiler.as_sql()
    numbers = {_as_value(mark): number for number, mark in enumerate(marks)}
    places = [(at, numbers[value]) for at, value in enumerate(values) if value in numbers]
    if len({number for _, number in places}) != len(keys):
        raise TypeError("A key of a prepared query does not stand in it.")
    selected = [column for column, *_ in compiler.select[: compiler.col_count]]
    converters = compiler.get_converters(selected)
    return _Written(rows, compiler, converters, sql, tuple(values), tuple(places))


def _as_value(key: Key) -> Any:
    return as_id(key) if isinstance(key, UUID) else key
