"""More memory for the pages of one large write on SQLite."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.db import connection

ROOMY_KIB: Final = 128 * 1024


@contextmanager
def roomy_cache() -> Iterator[None]:
    """Let the current connection keep 128 MiB of pages meanwhile; nothing on another database.

    Keys are random, so each new row touches other pages of the indexes; once those no longer fit,
    each goes through the log again and again, and ten times the rows take 17 times as long.
    """
    if connection.vendor != "sqlite":
        yield
        return
    connection.ensure_connection()
    # Past Django's cursor, which refuses to work in a transaction that an error has broken.
    ask = connection.connection.execute
    (before,) = ask("PRAGMA cache_size").fetchone()
    ask(f"PRAGMA cache_size={-ROOMY_KIB}")
    try:
        yield
    finally:
        ask(f"PRAGMA cache_size={before}")
