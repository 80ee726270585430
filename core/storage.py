"""Files that rows name with their sha256: below DATA_DIR, and in a bucket where one is set.

Without STORAGE_BUCKET, DATA_DIR has all files. With it, a file is uploaded before the row that
names it commits, under the name that it has below DATA_DIR. The DATA_DIR of each host is then a
cache: a file that is missing or damaged there is downloaded and compared with the digest.
"""

import hashlib
import os
import shutil
import time
from contextlib import suppress
from functools import lru_cache
from io import BufferedReader
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.core.files import File
from django.core.files.storage import storages

from core.errors import Unreachable
from patclaimeval.files import flush_file, rename_and_flush, temporary_file

# What lies in these folders may be deleted where the bucket has it.
CACHED: Final = ("datasets", "models", "sources", "drawings")
# Downloads on their way. Readers of a model refuse a directory in which another file lies.
ARRIVING: Final = "fetching"
LONGEST_DOWNLOAD_SECONDS: Final = 24 * 60 * 60
# A program that opened one file lately may be about to open the file beside it.
IN_USE_SECONDS: Final = 10 * 60


class Damaged(Exception):
    """A file does not have the digest that its row names, neither here nor in the bucket."""


def is_shared() -> bool:
    """Return whether files are shared in a bucket."""
    return bool(settings.STORAGE_BUCKET)


def place_of_files() -> str:
    """Return what a sentence calls the place in which files are looked for."""
    return f"bucket {settings.STORAGE_BUCKET}" if is_shared() else "data directory"


def _bucket() -> Any:
    return _connected(os.getpid(), settings.STORAGE_BUCKET, settings.STORAGE_ENDPOINT)


@lru_cache(maxsize=2)
def _connected(process: int, bucket: str, endpoint: str) -> Any:
    """Return the storage of this process: a child cannot use the connections of its parent."""
    files: Any = settings.STORAGES["files"]
    return storages.create_storage(files)


def local_path(name: str) -> Path:
    return Path(settings.DATA_DIR) / name


def put(name: str, path: Path | None = None) -> None:
    """Upload a complete file if there is a bucket; the row that names it may commit afterwards."""
    if is_shared():
        with (path or local_path(name)).open("rb") as file:
            _bucket().save(name, File(file))


def has(name: str) -> bool:
    """Return whether the bucket has a file; True without a bucket."""
    return not is_shared() or _bucket().exists(name)


def names_in(folder: str) -> list[str]:
    """Return the names of the files that a folder of the bucket has."""
    return [f"{folder}/{name}" for name in _bucket().listdir(folder)[1]] if is_shared() else []


def probe() -> None:
    """Raise Unreachable unless the bucket answers."""
    _bucket().probe()


def open_checked(name: str, sha256: str, path: Path | None = None) -> BufferedReader:
    """Open a file that has this digest; what is read from it then is the very same file.

    `path` is where it lies if that is not its name. Raises FileNotFoundError where neither this
    host nor the bucket has it, Damaged where it has another digest, Unreachable.
    """
    place = path or local_path(name)
    with suppress(FileNotFoundError):
        file = place.open("rb")
        if hashlib.file_digest(file, "sha256").hexdigest() == sha256:
            file.seek(0)
            if is_shared():
                _note_use(place)
            return file
        file.close()
        if not is_shared():
            raise Damaged
    fetch(name, sha256, place)
    return place.open("rb")


def _note_use(path: Path) -> None:
    """Set the access time, which file systems seldom do; that of the last change stays."""
    with suppress(OSError):
        os.utime(path, ns=(time.time_ns(), path.stat().st_mtime_ns))


def fetch(name: str, sha256: str, path: Path | None = None) -> None:
    """Download a file, whole or not at all; raise as `open_checked` does."""
    place = path or local_path(name)
    if not is_shared():
        raise FileNotFoundError(place)
    arriving = local_path(ARRIVING)
    arriving.mkdir(parents=True, exist_ok=True, mode=0o700)
    with temporary_file(arriving) as (file, temporary):
        _bucket().download(name, file)
        flush_file(file)
        with temporary.open("rb") as downloaded:
            if hashlib.file_digest(downloaded, "sha256").hexdigest() != sha256:
                raise Damaged
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        rename_and_flush(temporary, place)
    evict()


def delete(name: str) -> None:
    """Delete a file, or a directory if the name ends in a slash: all its versions in the bucket.

    The bucket comes first. If it is unreachable, the local file stays, and the sweeper, which finds
    that no row names it, tries again.
    """
    if is_shared():
        _bucket().delete(name)
    if name.endswith("/"):
        shutil.rmtree(local_path(name), ignore_errors=True)
    else:
        local_path(name).unlink(missing_ok=True)


def evict() -> int:
    """Delete the least recently used files beyond STORAGE_CACHE_BYTES; return how many.

    A file that the bucket does not have stays.
    """
    if not is_shared():
        return 0
    now = time.time()
    for path in local_path(ARRIVING).glob("*"):
        with suppress(FileNotFoundError):
            if now - path.stat().st_mtime > LONGEST_DOWNLOAD_SECONDS:
                path.unlink()
    found = sorted(_cached_files())
    size = sum(bytes_ for _, bytes_, _ in found)
    count = 0
    for used_at, bytes_, path in found:
        if size <= settings.STORAGE_CACHE_BYTES or used_at > now - IN_USE_SECONDS:
            break
        try:
            is_kept = has(path.relative_to(settings.DATA_DIR).as_posix())
        except Unreachable:
            break
        if is_kept:
            path.unlink(missing_ok=True)
            size, count = size - bytes_, count + 1
    return count


def _cached_files() -> list[tuple[float, int, Path]]:
    """Return when each file of the cache was last used, its length and its path."""
    found = []
    for folder in CACHED:
        for path in local_path(folder).rglob("*"):
            with suppress(FileNotFoundError):
                stat = path.stat()
                if path.is_file() and not path.name.startswith("."):
                    found.append((stat.st_atime, stat.st_size, path))
    return found
