"""What a check found, and the checks of the database: reached, migrated, durable."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from typing import Final

from django.conf import settings
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.utils import DatabaseError

from annotator.models import AuditEvent
from core.clock import database_now


class Level(StrEnum):
    """How bad it is; only MISSING makes `doctor` end with 1."""

    OK = "ok"
    WARNING = "warning"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Finding:
    """One fact about one part; `mend` is what to do, and is empty where nothing is."""

    part: str
    level: Level
    found: str
    mend: str = ""


Look = Callable[[], Iterator[Finding]]
_looks: list[Look] = []


def ok(part: str, found: str) -> Finding:
    return Finding(part, Level.OK, found)


def warning(part: str, found: str, mend: str) -> Finding:
    return Finding(part, Level.WARNING, found, mend)


def missing(part: str, found: str, mend: str) -> Finding:
    return Finding(part, Level.MISSING, found, mend)


def register_look(look: Look) -> None:
    """Register a check of a part that this package does not know; packages do so at start."""
    _looks.append(look)


def registered_looks() -> tuple[Look, ...]:
    """Return the registered checks. Each needs the database to be reached and migrated."""
    return tuple(_looks)


PART: Final = "database"
MOST_SECONDS_APART: Final = 5
# PRAGMA synchronous: 2 is FULL, 3 EXTRA; below, a power cut takes back what was acknowledged.
FULL: Final = 2
DURABLE_POSTGRES: Final = ("fsync", "full_page_writes", "synchronous_commit")


def is_reached() -> bool:
    """Whether the database answers."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return False
    return True


def waiting_migrations() -> int:
    """Return how many migrations are not carried out; raises DatabaseError when it is away.

    A load balancer asks every few seconds: one query, and no file is read a second time.
    """
    return len(_known_migrations() - MigrationRecorder(connection).applied_migrations().keys())


@cache
def _known_migrations() -> frozenset[tuple[str, str]]:
    """Return the migrations of the code that runs, which is the same while the process lives."""
    return frozenset(MigrationLoader(None).disk_migrations or ())


def look_at_schema() -> Finding:
    """Return whether the database is reached and migrated: all other looks need both."""
    if not is_reached():
        return missing(
            PART,
            "The database is not reached.",
            "Start it, and compare DATABASE_URL with its address, user and password.",
        )
    waiting = waiting_migrations()
    if waiting:
        return missing(
            PART,
            f"{waiting} migrations are not carried out.",
            "Back up, then run `manage.py migrate`.",
        )
    return ok(PART, f"{connection.display_name} is reached and migrated.")


def look_at_settings() -> Iterator[Finding]:
    """Return whether an acknowledged rating outlives a power cut, and if texts travel plain."""
    if connection.vendor == "postgresql":
        yield from _postgres()
    else:
        yield _sqlite()
    apart = abs((datetime.now(tz=UTC) - database_now()).total_seconds())
    if apart > MOST_SECONDS_APART:
        yield warning(
            "clock",
            f"The clock of this machine and of the database differ by {apart:.0f} seconds.",
            "Switch on time synchronisation (NTP) on both.",
        )
    else:
        yield ok("clock", "This machine and the database agree on the time.")


def _postgres() -> Iterator[Finding]:
    with connection.cursor() as cursor:
        off = []
        for name in DURABLE_POSTGRES:
            cursor.execute("SELECT current_setting(%s)", [name])
            if cursor.fetchone()[0] == "off":
                off.append(name)
    if off:
        names = " and ".join(off)
        yield warning(
            PART,
            f"PostgreSQL runs with {names} off: a power cut can take back acknowledged ratings.",
            f"Remove {names} from postgresql.conf (and from ALTER ROLE or ALTER DATABASE), reload.",
        )
    else:
        yield ok(PART, "What it acknowledges is on disk.")
    if owns_tables():
        yield warning(
            PART,
            "The role of DATABASE_URL owns the tables: what runs by it can take the guards of the "
            "audit trail away.",
            "Let web server and workers use a role that owns nothing (docs/install.md, Two roles).",
        )
    mode = settings.DATABASES["default"].get("OPTIONS", {}).get("sslmode", "")
    if mode in ("disable", "allow", "prefer"):
        yield warning(
            PART,
            f"The way to the database may be plain text (sslmode={mode}).",
            "Use sslmode=verify-full, unless both ends lie on one machine's own network.",
        )


def owns_tables() -> bool:
    """Whether this role could change tables and their triggers, and write them anew."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = %s::regclass",
            [AuditEvent._meta.db_table],
        )
        return bool(cursor.fetchone()[0])


def _sqlite() -> Finding:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA synchronous")
        synchronous = cursor.fetchone()[0]
    if synchronous < FULL:
        return warning(
            PART,
            "SQLite runs without synchronous=FULL: a power cut can take back acknowledged ratings.",
            "Remove the setting that changes it; the settings of the project ask for FULL.",
        )
    return ok(PART, "What it acknowledges is on disk.")
