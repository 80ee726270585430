"""Where the pictures of drawings lie: a file each, named by the id of its row."""

import hashlib
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import transaction

from core import storage
from core.errors import Refused
from patclaimeval.files import TEMPORARY_PREFIX, atomic_write

FOLDER: Final = "drawings"


class PictureGone(Refused):
    """The picture of a drawing is missing, or not as it was stored."""

    status = 409


def write_picture(pk: UUID, png: bytes) -> str:
    """Write the picture of a drawing; return its digest."""
    path, digest = _directory() / str(pk), hashlib.sha256(png).hexdigest()
    atomic_write(path, [png])
    storage.put(f"{FOLDER}/{pk}")
    return digest


def read_picture(pk: UUID, sha256: str) -> bytes:
    """Return the picture of a drawing; raise PictureGone where it is missing or changed."""
    try:
        with storage.open_checked(f"{FOLDER}/{pk}", sha256) as file:
            return file.read()
    except FileNotFoundError:
        raise PictureGone(
            f"The picture of drawing {pk} is missing from the {storage.place_of_files()}."
        ) from None
    except storage.Damaged:
        raise PictureGone(f"The picture of drawing {pk} was changed on the server.") from None


def drop_pictures_once_committed(keys: Iterable[UUID]) -> None:
    """Delete pictures whose rows are gone, unless what deletes them is rolled back."""
    named = list(keys)
    transaction.on_commit(lambda: drop_pictures(named), robust=True)


def drop_pictures(keys: Iterable[UUID]) -> None:
    """Delete pictures, where they are there."""
    for pk in keys:
        storage.delete(f"{FOLDER}/{pk}")


def stored_pictures() -> Iterator[tuple[UUID, float]]:
    """Yield the drawings whose pictures are there, with the age of each in seconds."""
    for path in _directory().iterdir():
        try:
            yield UUID(path.name), time.time() - path.stat().st_mtime
        except (ValueError, FileNotFoundError):
            continue  # what was just deleted, and what is being written


def drop_unfinished(seconds: float) -> int:
    """Delete what writing that broke off has left behind so long ago; return how many."""
    left = [
        path
        for path in _directory().glob(f"{TEMPORARY_PREFIX}*")
        if time.time() - path.stat().st_mtime > seconds
    ]
    for path in left:
        path.unlink(missing_ok=True)
    return len(left)


def _directory() -> Path:
    path = Path(settings.DATA_DIR) / FOLDER
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    return path
