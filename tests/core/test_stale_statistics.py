"""A submit to a PostgreSQL that takes its tables for empty, as right after a first large import."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotator.models import Assignment, Candidate, Reference

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite keeps no such statistics"),
]


def believe_empty() -> None:
    """Have PostgreSQL plan as after it looked at tables whose rows were not committed yet."""
    with connection.cursor() as cursor:
        for model in (Assignment, Candidate, Reference):
            cursor.execute(
                "UPDATE pg_class SET reltuples = 0, relpages = 10 WHERE relname = %s",
                [model._meta.db_table],
            )


def test_the_lock_of_a_submit_looks_each_key_up_once(cast) -> None:
    first, *_ = [cast.assign(cast.alice, cast.reference(f"r{n}", 40)) for n in range(5)]
    believe_empty()
    with CaptureQueriesContext(connection) as asked:
        cast.submit(first[0])
    (lock,) = [one["sql"] for one in asked if 'UPDATE OF "annotator_reference"' in one["sql"]]
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN ANALYZE " + lock.replace("%", "%%"))
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert set(re.findall(r"loops=(\d+)", plan)) == {"1"}, plan
