"""Files and the disk: who may read the data directory, how much room is left, what is collected."""

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage

from annotator.health.findings import Finding, missing, ok, warning

OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO
SECRETS: Final = ("secret_key", "demo_password", "db.sqlite3")
LEAST_FREE: Final = 1 << 30
LEAST_SHARE: Final = 0.05


def look_at_files() -> Iterator[Finding]:
    """Look at the data directory, its disk and the static files."""
    yield _modes(Path(settings.DATA_DIR))
    yield _room(Path(settings.DATA_DIR))
    yield from _static()


def _modes(directory: Path) -> Finding:
    """Say whether others can read what is stored; what lies in a private folder is private."""
    if not os.access(directory, os.W_OK | os.X_OK):
        return missing(
            "file modes",
            "The data directory cannot be written to by this user.",
            f"Give it to the user that the programs run as: `chown -R USER {directory}`.",
        )
    # What lies in a folder that only its owner enters is out of the others' reach, whatever its
    # own mode: a copy, though, keeps the mode and loses the folder.
    exposed = [path for path in _private(directory) if path.stat().st_mode & OTHERS]
    if directory.stat().st_mode & OTHERS:
        return missing(
            "file modes",
            "Other users of this machine can enter the data directory.",
            f"Close it: `chmod 0700 {directory}`.",
        )
    if exposed:
        names = ", ".join(sorted(path.name for path in exposed))
        return warning(
            "file modes",
            f"Others could read these, were they copied as they are: {names}.",
            f"Close them: `chmod go= {' '.join(str(path) for path in sorted(exposed))}`.",
        )
    return ok("file modes", "Only the owner reads the data directory.")


def _private(directory: Path) -> list[Path]:
    return [directory / name for name in SECRETS if (directory / name).is_file()]


def _room(directory: Path) -> Finding:
    disk = shutil.disk_usage(directory)
    free = f"{disk.free / (1 << 30):.1f} GiB of the disk are free."
    if disk.free < LEAST_FREE or disk.free < LEAST_SHARE * disk.total:
        return warning(
            "disk", free, "Make room, or move DATA_DIR: a full disk refuses ratings and trainings."
        )
    return ok("disk", free)


def _static() -> Iterator[Finding]:
    if settings.WHITENOISE_USE_FINDERS:
        yield ok("static files", "Served from the source, as local mode does.")
    elif getattr(staticfiles_storage, "hashed_files", None):
        yield ok("static files", "Collected.")
    else:
        yield missing(
            "static files",
            "They are not collected: pages come without style or not at all.",
            "Run `manage.py collectstatic --noinput`, then restart the web server.",
        )
