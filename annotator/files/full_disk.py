"""How an error says that a disk is full, of files, SQLite or PostgreSQL; how a job says so."""

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


def why_stopped(what: str, error: BaseException) -> str:
    """Return what a job is told to have ended by; an exception's own text may quote claims."""
    if is_disk_full(error):
        return (
            f"{what} stopped, because the server's disk is full; nothing of it was kept. Tell "
            "whoever runs this site, and start it again once there is room."
        )
    return f"{what} stopped on an unexpected error ({type(error).__name__})."
