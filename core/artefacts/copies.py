"""What a host has fetched or written of files that the store has: bounded, and gone with its rows.

Each program of a host that shares files tidies them, as nobody else reaches its data directory.
"""

import logging
import os
import shutil
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
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
logger = logging.getLogger("annotator.files")
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
    """A file or a directory that may be fetched again, with the lengths of its files."""

    kind: str
    path: Path
    sizes: Counter[int]
    used_at: float

    @property
    def size(self) -> int:
        return sum(self.sizes.elements())


def evict_copies() -> int:
    """Delete the least recently used copies beyond ARTEFACT_CACHE_BYTES; return how many.

    Only what the store has, and nobody has used for a while.
    """
    found = sorted(_copies(), key=lambda copy: copy.used_at)
    size, count = sum(copy.size for copy in found), 0
    stored: dict[str, dict[str, Counter[int]]] = {}
    for copy in found:
        if size <= settings.ARTEFACT_CACHE_BYTES or copy.used_at > time.time() - IN_USE_SECONDS:
            break
        if copy.kind not in stored:
            stored[copy.kind] = _stored_sizes(copy.kind)
        # By length: the digests were compared when they were put there.
        if copy.sizes <= stored[copy.kind].get(copy.path.name.split(".")[0], Counter()):
            _delete(copy.path)
            size, count = size - copy.size, count + 1
    return count


def _copies() -> Iterator[Copy]:
    for kind in kinds():
        for path in _entries(kind):
            try:
                files = list(path.iterdir()) if path.is_dir() else [path]
                stats = [file.stat() for file in files]
            except FileNotFoundError:
                continue
            if stats:
                sizes = Counter(stat.st_size for stat in stats)
                # Of a directory the time says when it was listed last, as it was right now.
                yield Copy(kind.name, path, sizes, max(stat.st_atime for stat in stats))


def _entries(kind: Kind) -> Iterator[Path]:
    for folder in (Path(settings.DATA_DIR) / name for name in kind.folders):
        if folder.is_dir():
            yield from (path for path in folder.iterdir() if not path.name.startswith("."))


def _stored_sizes(kind: str) -> dict[str, Counter[int]]:
    """Return the lengths of what each owner has in the store."""
    stored: dict[str, Counter[int]] = defaultdict(Counter)
    for one in listed(kind):
        stored[one.owner][one.size] += 1
    return stored


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
