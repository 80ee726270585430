"""More memory for the pages of one large write on SQLite."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from django.db import connection

LARGE_KIB: Final = 128 * 1024


@contextmanager
def growing_cache() -> Iterator[Callable[[], None]]:
    """Give a call that lets the current connection hold 128 MiB of pages until the block ends.

    Keys are random, so each new row touches other pages of the indexes; once those no longer fit,
    each goes through the log again and again, and ten times the rows take 17 times as long. On
    another database the call does nothing.
    """
    if connection.vendor != "sqlite":
        yield lambda: None
        return
    connection.ensure_connection()
    # Past Django's cursor, which refuses to work in a transaction that an error has broken.
    ask = connection.connection.execute
    (before,) = ask("PRAGMA cache_size").fetchone()
    try:
        yield lambda: ask(f"PRAGMA cache_size={-LARGE_KIB}")
    finally:
        ask(f"PRAGMA cache_size={before}")
