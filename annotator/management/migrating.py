"""One migration at a time: whoever comes meanwhile waits, and a dead one holds up nobody."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from django.db.backends.base.base import BaseDatabaseWrapper

# What PostgreSQL's advisory lock is known by: "migrate" in ASCII.
_LOCK: Final = 0x6D696772617465


@contextmanager
def migrating_alone(connection: BaseDatabaseWrapper) -> Iterator[None]:
    """Hold the right to migrate a database; both locks end with the process that holds them."""
    if connection.vendor == "postgresql":
        # A connection of its own: that of the migrations may be closed on the way.
        holder = connection.copy()
        try:
            with holder.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_lock(%s)", [_LOCK])
            yield
        finally:
            holder.close()
    else:
        # The folder itself, so that no file is left lying about.
        folder = os.open(Path(str(connection.settings_dict["NAME"])).parent, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)
