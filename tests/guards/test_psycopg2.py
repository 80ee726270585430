"""PostgreSQL is reached through psycopg2, the driver that requirements.txt pins."""

from importlib.util import find_spec

from django.db.backends.postgresql.psycopg_any import is_psycopg3


def test_django_speaks_to_postgresql_through_psycopg2() -> None:
    # Django silently prefers psycopg 3 wherever some package has brought it along.
    assert is_psycopg3 is False
    assert find_spec("psycopg") is None
