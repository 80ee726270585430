"""Rows of any table as lines of JSON, and lines as rows again, on both databases alike."""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from django.apps.registry import Apps
from django.core.management.color import no_style
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.models import Field, Model, QuerySet, TextField
from django.db.models.functions import Cast
from django.utils.duration import duration_string

from core.errors import Refused

# Good for one machine and one hour: sessions (all sign in again), live programs, used rate limits;
# and what was on its way out: a copy must not send it once more.
LEFT_OUT: Final = (
    *("django_session", "annotator_browsersession"),
    *("annotator_presence", "annotator_usedpace", "annotator_delivery"),
    "annotator_passwordreset",
)
# Made by Django itself on every new database.
MADE_BY_ITSELF: Final = ("auth_permission", "django_content_type")
# Written by the database's own triggers from the rows of another table (docs/adr/0017).
MADE_BY_TRIGGERS: Final = ("annotator_auditseal",)
# In the order in which the triggers are to seal them again.
ORDERS: Final = {"annotator_auditevent": ("seal__sequence", "pk")}
# Of these the text itself is sealed, and SQLite has several for one value.
EXACT: Final = {"annotator_auditevent": ("at", "details")}
# Few, because one row may hold a long report, and fewer where rows are long.
ROWS_AT_ONCE: Final = 200
BYTES_AT_ONCE: Final = 16 << 20
WRITTEN: Final[tuple[tuple[tuple[type, ...], Callable[[Any], str]], ...]] = (
    ((UUID, Decimal), str),
    ((datetime, date, time), lambda value: value.isoformat()),
    ((timedelta,), duration_string),
    ((bytes, memoryview), lambda value: b64encode(value).decode()),
)
Node = tuple[str, str]


def applied_migrations() -> list[Node]:
    """Return the migrations that the database has, by app and name, but for the replaced."""
    loader = MigrationLoader(connection)
    replaced = {name for one in (loader.disk_migrations or {}).values() for name in one.replaces}
    return sorted(set(loader.applied_migrations) - replaced)


def known_migrations() -> set[Node]:
    """Return the migrations that this version of the application has."""
    return set(MigrationLoader(connection).disk_migrations or ())


def last_of(migrations: set[Node], loader: MigrationLoader) -> list[Node]:
    """Return those of the migrations that none of the others builds upon."""
    nodes = loader.graph.node_map
    return sorted(n for n in migrations if not any(c in migrations for c in nodes[n].children))


def models_after(migrations: Iterable[Node]) -> list[type[Model]]:
    """Return a model of each table as it is after these migrations, whatever the code has now."""
    loader = MigrationLoader(connection)
    apps: Apps = loader.project_state(last_of(set(migrations), loader)).apps
    found = [
        model
        for model in apps.get_models(include_auto_created=True)
        if model._meta.managed and model._meta.db_table not in LEFT_OUT
    ]
    return sorted(found, key=lambda model: model._meta.db_table)


def columns_of(model: type[Model]) -> list[str]:
    return [field.attname for field in model._meta.concrete_fields]


def lines_of(model: type[Model], *, rows_at_once: int = ROWS_AT_ONCE) -> Iterator[bytes]:
    """Yield the rows, each as a line: a list of values in the order of the columns.

    On SQLite the texts of EXACT columns follow. Raises Refused, with table and key, for a row that
    cannot be written: JSON columns of SQLite can hold half of a surrogate pair.
    """
    key = columns_of(model).index(model._meta.pk.attname)
    for row in _rows_of(model, _exact_columns(model)).iterator(chunk_size=rows_at_once):
        try:
            line = _json(row).encode()
        except UnicodeEncodeError:
            raise Refused(
                f"The row {row[key]} of {model._meta.db_table} contains text that is not valid "
                "Unicode, so no backup was written. Correct or delete that row, then try again."
            ) from None
        yield line + b"\n"


def plain_digest_of(model: type[Model], *, rows_at_once: int = ROWS_AT_ONCE) -> str:
    """Return the sha256 of the rows as both databases give them alike."""
    digest = PlainDigest(len(columns_of(model)))
    for line in lines_of(model, rows_at_once=rows_at_once):
        digest.update(line)
    return digest.hexdigest()


def _rows_of(model: type[Model], exact: Sequence[str]) -> QuerySet[Any, tuple[Any, ...]]:
    order = ORDERS.get(model._meta.db_table, ())
    names = {field.name for field in model._meta.get_fields()}
    known = all(step == "pk" or step.partition("__")[0] in names for step in order)
    rows = model._base_manager.order_by(*(order if order and known else ("pk",)))
    texts = {f"text_of_{name}": Cast(name, TextField()) for name in exact}
    return rows.annotate(**texts).values_list(*columns_of(model), *texts)


def _exact_columns(model: type[Model]) -> Sequence[str]:
    return EXACT.get(model._meta.db_table, ()) if connection.vendor == "sqlite" else ()


class PlainDigest:
    """The sha256 of lines without what only one database can give: JSON by key, and one zero."""

    def __init__(self, columns: int) -> None:
        self._columns = columns
        self._digest = hashlib.sha256()

    def update(self, line: bytes) -> None:
        """Add a line; most are the same on both databases as they are."""
        # A line with texts of EXACT columns holds an object, too.
        if b"{" in line or b"-0.0" in line:
            row = json.loads(line)[: self._columns]
            line = _json(_without_negative_zero(row), is_sorted=True).encode() + b"\n"
        self._digest.update(line)

    def hexdigest(self) -> str:
        return self._digest.hexdigest()


def _json(value: Any, *, is_sorted: bool = False) -> str:
    return json.dumps(
        value, default=_plain, ensure_ascii=False, sort_keys=is_sorted, separators=(",", ":")
    )


def _without_negative_zero(value: Any) -> Any:
    """Return the value as PostgreSQL gives it back: its JSON knows one zero."""
    if isinstance(value, float):
        return value + 0.0
    if isinstance(value, list):
        return [_without_negative_zero(inner) for inner in value]
    if isinstance(value, dict):
        return {key: _without_negative_zero(inner) for key, inner in value.items()}
    return value


def _plain(value: Any) -> str:
    for types, write in WRITTEN:
        if isinstance(value, types):
            return write(value)
    raise TypeError(f"a column holds a {type(value).__name__}, which no backup can write")


def values_in(
    lines: Iterable[bytes], columns: Sequence[str], *names: str
) -> Iterator[tuple[Any, ...]]:
    """Yield of each row as it was written the values of these columns."""
    places = [columns.index(name) for name in names]
    for line in lines:
        row = json.loads(line)
        yield tuple(row[place] for place in places)


def load_lines(model: type[Model], columns: Sequence[str], lines: Iterable[bytes]) -> int:
    """Insert rows as they were written; return the length of the longest line.

    The caller holds the transaction.
    """
    by_name: dict[str, Field[Any, Any]] = {f.attname: f for f in model._meta.concrete_fields}
    fields = [by_name[name] for name in columns]
    for field in fields:
        # The times of the row stay, whatever the column does with new rows.
        for name in ("auto_now", "auto_now_add"):
            if hasattr(field, name):
                setattr(field, name, False)
    exact = _exact_columns(model)
    longest = 0
    for some in _batches(lines):
        longest = max(longest, *map(len, some))
        batch = [json.loads(line) for line in some]
        if exact and len(batch[0]) == len(fields) + len(exact):
            _insert_exactly(model, fields, batch)
        else:
            model._base_manager.bulk_create(
                model(**dict(zip(columns, _values(fields, row), strict=True))) for row in batch
            )
    return longest


def _batches(lines: Iterable[bytes]) -> Iterator[list[bytes]]:
    batch, size = list[bytes](), 0
    for line in lines:
        if len(batch) == ROWS_AT_ONCE or (batch and size + len(line) > BYTES_AT_ONCE):
            yield batch
            batch, size = [], 0
        batch.append(line)
        size += len(line)
    if batch:
        yield batch


def _values(fields: Sequence[Field[Any, Any]], row: Sequence[Any]) -> list[Any]:
    pairs = zip(fields, row, strict=False)
    return [None if value is None else field.to_python(value) for field, value in pairs]


def _insert_exactly(
    model: type[Model], fields: Sequence[Field[Any, Any]], rows: Iterable[Sequence[Any]]
) -> None:
    """Insert rows whose last values are the very texts of the EXACT columns."""
    name = connection.ops.quote_name
    exact = EXACT[model._meta.db_table]
    columns = [str(field.column) for field in fields]
    made = []
    for row in rows:
        values = zip(fields, _values(fields, row), strict=True)
        prepared = {f.column: f.get_db_prep_save(v, connection) for f, v in values}
        made.append([*(prepared | dict(zip(exact, row[len(fields) :], strict=True))).values()])
    statement = (
        f"INSERT INTO {name(model._meta.db_table)} ({', '.join(map(name, columns))}) "  # noqa: S608
        f"VALUES ({', '.join(['%s'] * len(columns))})"
    )
    with connection.cursor() as cursor:
        cursor.executemany(statement, made)


def go_on_counting(models: Sequence[type[Model]]) -> None:
    """Have the next row of each table get a number that none has."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), models):
            cursor.execute(statement)
