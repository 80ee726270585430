"""Reads of the rows that bear one of many keys, found by an index whatever the planner believes."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import connection
from django.db.models import QuerySet


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
