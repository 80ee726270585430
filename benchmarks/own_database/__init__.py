"""The application in this process, on a database that is thrown away afterwards."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def own_database() -> Iterator[None]:
    """Set Django up with its static files and an empty database, SQLite or DATABASE_URL's server.

    The database that DATABASE_URL names is not touched: this one lies beside it.
    """
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("DATA_DIR", folder)
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        import django

        django.setup()
        from django.core.management import call_command
        from django.test.utils import setup_databases, teardown_databases

        old = setup_databases(verbosity=0, interactive=False)
        try:
            call_command("collectstatic", "--noinput", verbosity=0)
            yield
        finally:
            teardown_databases(old, verbosity=0)
