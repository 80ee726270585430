"""Fill the database of an application with claim sets, annotators and earlier ratings."""

import json
import os
import secrets
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import astuple, dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from shared.processes import HOST, Application, stat_fields

RUN_FILL = """
import importlib, json, sys
import django
django.setup()
module = importlib.import_module(f"flow.{sys.argv[1]}")
print(json.dumps(module.fill(*map(int, sys.argv[2:]))))
"""


@dataclass(frozen=True, slots=True)
class Scale:
    """What an application is filled with, and by how many people it is used."""

    references: int
    candidates: int
    people: int
    ratings: int


def fill(application: Application, module: str, scale: Scale) -> list[dict[str, str]]:
    """Run `fill` of a module of this package inside an application.

    Return the headers that identify each annotator to it.
    """
    done = subprocess.run(
        [str(application.python), "-c", RUN_FILL, module, *map(str, astuple(scale))],
        env=application.environment | dict(application.django),
        # The package of this file is found from here.
        cwd=Path(__file__).resolve().parents[1],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{module}: {done.stderr[-1500:]}")
    return list(json.loads(done.stdout.splitlines()[-1]))


@contextmanager
def fresh_database(url: str) -> Iterator[tuple[dict[str, str], tuple[int, ...]]]:
    """Give settings for a new database beside `url`'s, and the server's process, if it is local.

    The database is dropped afterwards. Without an address nothing is given: SQLite.
    """
    if not url:
        yield {}, ()
        return
    import psycopg2

    name = f"benchmark_{time.time_ns()}"
    connection = psycopg2.connect(url)
    connection.autocommit = True
    with closing(connection), connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name} TEMPLATE template0")
        settings = {
            "DATABASE_URL": urlunsplit(urlsplit(url)._replace(path=f"/{name}")),
            "SECRET_KEY": secrets.token_urlsafe(64),
            "ALLOWED_HOSTS": HOST,
            "ALLOW_INSECURE_HTTP": "1",
            "CELERY_BROKER_URL": os.environ.get("CELERY_BROKER_URL", ""),
        }
        try:
            # The parent of a connection's process is the server.
            parent = stat_fields(connection.get_backend_pid())[1:2]
            yield settings, tuple(map(int, parent))
        finally:
            cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")
