"""Hosts with an empty database, and steps that a program does in processes of its own."""

import json
import os
import subprocess
import sys
import tempfile
import time
from argparse import SUPPRESS, ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from shared import ROOT


def databases() -> list[str]:
    """Return what is measured on: SQLite, and PostgreSQL too where DATABASE_URL is set."""
    return ["SQLite", *(["PostgreSQL"] if os.environ.get("DATABASE_URL") else [])]


@contextmanager
def empty_host(database: str, *, has_tables: bool = True) -> Iterator[dict[str, str]]:
    """Give the environment of a host that is thrown away afterwards."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="benchmark."))
        env = os.environ | {"DATA_DIR": folder, "DJANGO_SETTINGS_MODULE": "config.settings"}
        url = env.pop("DATABASE_URL", "")
        if database == "PostgreSQL":
            env["DATABASE_URL"] = stack.enter_context(fresh_database(url))
        if has_tables:
            manage(env, "migrate", "--verbosity", "0")
        yield env


@contextmanager
def fresh_database(url: str) -> Iterator[str]:
    """Give the address of an empty database beside the one that is named, dropped afterwards."""
    import psycopg2

    name = f"benchmark_{time.time_ns()}"
    connection = psycopg2.connect(url)
    connection.autocommit = True
    with closing(connection), connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name} TEMPLATE template0")
        try:
            yield urlunsplit(urlsplit(url)._replace(path=f"/{name}"))
        finally:
            cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")


def manage(env: Mapping[str, str], *arguments: str) -> None:
    """Run a command of the project on a host; end with what it complains of, if it fails."""
    command = [sys.executable, "manage.py", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(arguments)}: {done.stderr}")


def parse(
    parser: ArgumentParser, steps: Mapping[str, Callable[..., object]], *, needs_django: bool = True
) -> Namespace:
    """Return the options; a process that `begin` started does its step instead and ends."""
    parser.add_argument("--child", nargs="+", help=SUPPRESS)
    options = parser.parse_args()
    if not options.child:
        return options
    if needs_django:
        import django

        django.setup()
    step, *how = options.child
    print(json.dumps(steps[step](*how)))
    sys.exit()


def begin(env: Mapping[str, str], *step: object) -> "subprocess.Popen[str]":
    """Begin a step of this program on a host, in a process of its own."""
    command = [sys.executable, sys.argv[0], "--child", *map(str, step)]
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)


def in_child(env: Mapping[str, str], *step: object) -> Any:
    """Do a step of this program on a host, in a process of its own; return what it returned."""
    process = begin(env, *step)
    output, _ = process.communicate()
    if process.returncode:
        sys.exit(process.returncode)
    return json.loads(output.splitlines()[-1])


@contextmanager
def own_database() -> Iterator[None]:
    """Set Django up here with its static files and an empty database, SQLite or DATABASE_URL's.

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
