"""Which SQLite the project runs on, and how carefully (docs/adr/0008).

SQLite before 3.51.3 can lose committed transactions in WAL mode when two connections write and
checkpoint at one moment (https://sqlite.org/wal.html#walresetbug). The pysqlite3 package brings a
later library; where it is not to be had, a journal mode without the fault is used.
"""

import importlib
import sqlite3
import sys
from typing import Any, Final

from core.audit_chain import seal

FIRST_SOUND: Final = (3, 51, 3)


def use_sound_sqlite() -> tuple[int, int, int]:
    """Put pysqlite3 in the place of the interpreter's sqlite3; return the version in use.

    To be called before Django loads its backend, which imports `sqlite3` by that name.
    """
    try:
        sound = importlib.import_module("pysqlite3")
    except ImportError:
        return sqlite3.sqlite_version_info
    sys.modules["sqlite3"] = sound
    sys.modules["sqlite3.dbapi2"] = sound.dbapi2
    version: tuple[int, int, int] = sound.sqlite_version_info
    return version


def options(version: tuple[int, int, int]) -> dict[str, Any]:
    """Return the connection options of Django's SQLite backend for a library version.

    IMMEDIATE: without it, 40 % of read-modify-write requests fail under eight writers. FULL: an
    acknowledged rating must survive a power loss. No mmap_size: with connections that come and go
    in several writing processes it lost commits (measured, docs/adr/0008).
    """
    journal = "WAL" if version >= FIRST_SOUND else "TRUNCATE"
    return {
        "timeout": 20,
        "transaction_mode": "IMMEDIATE",
        "init_command": (
            f"PRAGMA journal_mode={journal}; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;"
            "PRAGMA journal_size_limit=27103364; PRAGMA cache_size=-20000;"
            "PRAGMA temp_store=MEMORY;"
        ),
    }


def add_audit_seal(connection: Any, **_: object) -> None:
    """Give a new connection the function with which the triggers of the audit trail chain.

    Django's signal `connection_created` calls it.
    """
    if connection.vendor == "sqlite":
        connection.connection.create_function("audit_seal", -1, seal, deterministic=True)
