"""What a host has fetched or written of files that the store has: bounded, and gone with its rows.

Each program of a host that shares files tidies them, as nobody else reaches its data directory.
"""

import logging
import os
import shutil
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.db import DatabaseError, connection

from core.artefacts.installed import fetch_installed
from core.artefacts.kinds import Kind, kinds
from core.artefacts.store import is_shared, listed
from core.artefacts.trees import FETCHING_PREFIX
from core.errors import Refused

SECONDS_BETWEEN: Final = 60
# Whoever opened one lately may be about to open the file beside it.
IN_USE_SECONDS: Final = 10 * 60
LONGEST_FETCH_SECONDS: Final = 24 * 60 * 60
logger = logging.getLogger(__name__)
_tidying: Final[list[Callable[[], int]]] = []


def register_tidying_of_copies(tidy: Callable[[], int]) -> None:
    """Register what deletes copies on this host whose rows are gone; packages do so at start."""
    _tidying.append(tidy)


def tidy_copies() -> int:
    """Delete copies that this host is not to have, or has no room for; return how many.

    What was installed elsewhere is fetched.
    """
    if not is_shared():
        return 0
    count = sum(tidy() for tidy in _tidying) + _remove_fetching() + evict_copies()
    fetch_installed()
    return count


@dataclass(frozen=True, slots=True)
class Copy:
    """A file or a directory that can be fetched again."""

    path: Path
    size: int
    used_at: float


def evict_copies() -> int:
    """Delete the least recently used copies beyond ARTEFACT_CACHE_BYTES; return how many.

    Only what the store has, and nobody has used for a while.
    """
    found = sorted(_copies(), key=lambda copy: copy.used_at)
    size = sum(copy.size for copy in found)
    count = 0
    for copy in found:
        if size <= settings.ARTEFACT_CACHE_BYTES or copy.used_at > time.time() - IN_USE_SECONDS:
            break
        _delete(copy.path)
        size, count = size - copy.size, count + 1
    return count


def _copies() -> Iterator[Copy]:
    for kind in kinds():
        there = _entries(kind)
        if there:
            yield from _fetchable(kind, there)


def _entries(kind: Kind) -> list[Path]:
    folders = (Path(settings.DATA_DIR) / name for name in kind.folders)
    return [
        path
        for folder in folders
        if folder.is_dir()
        for path in folder.iterdir()
        if not path.name.startswith(".")
    ]


def _fetchable(kind: Kind, there: Iterable[Path]) -> Iterator[Copy]:
    """Yield those of which the store has every file, by length: their digests were compared."""
    stored: dict[str, Counter[int]] = {}
    for one in listed(kind.name):
        stored.setdefault(one.owner, Counter())[one.size] += 1
    for path in there:
        try:
            files = list(path.iterdir()) if path.is_dir() else [path]
            stats = [file.stat() for file in files if file.is_file()]
        except FileNotFoundError:
            continue
        sizes = Counter(stat.st_size for stat in stats)
        if sizes and sizes <= stored.get(path.name.split(".")[0], Counter()):
            # Of a directory the time says when it was listed last, as it was right now.
            yield Copy(path, sum(sizes.elements()), max(stat.st_atime for stat in stats))


def _delete(path: Path) -> None:
    if path.is_dir():
        # At once, so that nobody finds a part of it.
        gone = path.with_name(f"{FETCHING_PREFIX}{path.name}")
        path.rename(gone)
        shutil.rmtree(gone, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _remove_fetching() -> int:
    """Delete directories that a killed process was fetching."""
    count = 0
    for path in Path(settings.DATA_DIR).glob(f"*/{FETCHING_PREFIX}*"):
        if time.time() - path.stat().st_mtime > LONGEST_FETCH_SECONDS:
            shutil.rmtree(path, ignore_errors=True)
            count += 1
    return count


_begun: Final[set[int]] = set()


def begin(**_: Any) -> None:
    """Tidy from now on in a thread of this process; signals of workers and requests call it."""
    if not is_shared() or os.getpid() in _begun:
        return
    _begun.add(os.getpid())
    threading.Thread(target=_forever, daemon=True, name="copies").start()


def _forever() -> None:
    while True:
        try:
            tidy_copies()
        except (DatabaseError, OSError, Refused) as error:
            logger.warning("copies are not tidied: %s", type(error).__name__)
        finally:
            connection.close()
        time.sleep(SECONDS_BETWEEN)
