"""How an error says that a disk is full: that of files, of SQLite or of PostgreSQL."""

import errno
from typing import Final

FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
# PostgreSQL's code for it, which its driver keeps at the error that Django's own came from.
SQLSTATE: Final = "53100"
OF_SQLITE: Final = "disk is full"


def is_disk_full(error: BaseException | None) -> bool:
    """Say whether an error, or the one it came from, is that there was no room."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in FULL:
            return True
        if getattr(error, "pgcode", None) == SQLSTATE or OF_SQLITE in str(error):
            return True
        error = error.__cause__
    return False
