"""Files that rows name by digest: in the data directory, and in a store that hosts share.

Without a store the data directory is all there is, and nothing here does anything but look at it.
With one, a file is put there before the row commits that names it, and the data directory is what
this host has fetched so far: what is missing there, or was changed, is fetched again, and gets its
name once its digest is that of the row.

A key is KIND/OWNER/SHA256. The owner is a row, or the digest itself: deleting what one owner has
takes nothing from another, even where the bytes are equal, so nobody counts references.
"""

import hashlib
import logging
import os
import re
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from io import BufferedReader
from pathlib import Path
from typing import Final

from core.artefacts import bucket
from core.artefacts.bucket import Absent, DamagedObject, store
from core.artefacts.settings import StoreSettings
from core.errors import Unreachable
from core.files import flush_file, rename_and_flush, temporary_file

logger = logging.getLogger("annotator.files")
BLOCK: Final = 1 << 20
_NAME: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}")
_SHA256: Final = re.compile(r"[0-9a-f]{64}")


class Changed(Exception):
    """A file of the data directory does not have its digest, and no store has it."""


@dataclass(frozen=True, slots=True)
class Stored:
    """An object of the store."""

    owner: str
    sha256: str
    size: int
    changed_at: datetime


def is_shared() -> bool:
    """Return whether there is a store beside the data directory."""
    return store() is not None


def where() -> str:
    """Return what a sentence calls the place in which a file was looked for."""
    of = store()
    return "data directory" if of is None else f"artefact store {of.address}"


def how_to_mend(advice: str) -> str:
    """Return what to do about a file that is missing or damaged."""
    if not is_shared():
        return advice
    return (
        "If this host alone has it wrong, delete it here: it is fetched again. If another host has "
        f"it, run `manage.py share_files` there. Else: {advice}"
    )


def put(kind: str, owner: str, sha256: str, path: Path, *, renews: bool = False) -> None:
    """Have the store hold a file that is complete; the row that names it may commit afterwards.

    With `renews` it counts as written now even where the store had it: no sweep takes it for old.
    Raises Unreachable, or DiskFull where the store is full.
    """
    if of := store():
        key = _key(of, kind, owner, sha256)
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            bucket.write(of, key, file, size, sha256, renews=renews)


def has(kind: str, owner: str, sha256: str) -> bool:
    """Return whether the store has a file; True without a store."""
    of = store()
    if of is None:
        return True
    try:
        bucket.size_of(of, _key(of, kind, owner, sha256))
    except Absent:
        return False
    return True


def open_whole(kind: str, owner: str, sha256: str, path: Path) -> BufferedReader:
    """Open a file whose digest was compared; what is read from it then is the very same file.

    With a store, one that is missing or changed is fetched before. Raises FileNotFoundError where
    nobody has it, Changed where it is damaged, DamagedObject where the store has other bytes.
    """
    try:
        file = path.open("rb")
    except FileNotFoundError:
        fetch(kind, owner, sha256, path)
        file = path.open("rb")
    if _is_whole(file, sha256):
        return file
    file.close()
    if not is_shared():
        raise Changed
    fetch(kind, owner, sha256, path)
    return path.open("rb")


def _is_whole(file: BufferedReader, sha256: str) -> bool:
    if hashlib.file_digest(file, "sha256").hexdigest() != sha256:
        return False
    file.seek(0)
    note_use(Path(str(file.name)))
    return True


def note_use(path: Path) -> None:
    """Set the time of a copy's last use: file systems seldom do. That of the last change stays."""
    if not is_shared():
        return
    with suppress(OSError):
        os.utime(path, ns=(time.time_ns(), path.stat().st_mtime_ns))


def fetch(kind: str, owner: str, sha256: str, path: Path) -> None:
    """Fetch a file from the store to its place in the data directory, whole or not at all.

    Raises FileNotFoundError where there is no store or it has none, DamagedObject where its bytes
    do not have the digest, Unreachable.
    """
    of = store()
    if of is None:
        raise FileNotFoundError(path)
    key = _key(of, kind, owner, sha256)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    digest = hashlib.sha256()
    try:
        with temporary_file(path.parent) as (file, temporary):
            for piece in bucket.read(of, key, BLOCK):
                digest.update(piece)
                file.write(piece)
            if digest.hexdigest() != sha256:
                raise DamagedObject(
                    f"The object {key} of the artefact store {of.address} does not have the digest "
                    "in its name: it was changed there. Restore it from a backup."
                )
            flush_file(file)
            rename_and_flush(temporary, path)
    except Absent:
        raise FileNotFoundError(path) from None


def put_again(name: str, sha256: str, path: Path) -> None:
    """Have the store hold a file named as below the data directory: KIND/OWNER, KIND/OWNER/FILE.

    What follows a dot in the owner is no part of it.
    """
    kind, rest = name.split("/", 1)
    put(kind, rest.split("/")[0].split(".")[0], sha256, path)


def delete(kind: str, owner: str) -> int:
    """Delete what an owner has in the store, former versions included; return how many.

    Raises Unreachable: whoever erases must know that it is gone.
    """
    of = store()
    return bucket.remove(of, _prefix(of, kind, owner)) if of else 0


def discard(kind: str, owner: str) -> None:
    """Delete what an owner does not need any more; what cannot be reached now is swept later."""
    try:
        delete(kind, owner)
    except Unreachable as error:
        logger.warning("left for the sweeper: %s", error.sentence)


def retain(kind: str, owner: str, digests: Collection[str]) -> None:
    """Delete what an owner has beside these."""
    if of := store():
        for one in listed(kind, owner):
            if one.sha256 not in digests:
                bucket.remove(of, _key(of, kind, owner, one.sha256))


def listed(kind: str, *owner: str) -> Iterator[Stored]:
    """Yield what the store has of a kind, or of one owner; nothing without a store."""
    of = store()
    if of is None:
        return
    for one in bucket.listed(of, _prefix(of, kind, *owner)):
        *_, found, sha256 = one.key.split("/")
        if _SHA256.fullmatch(sha256):
            yield Stored(found, sha256, one.size, one.changed_at)


def _prefix(of: StoreSettings, *names: str) -> str:
    if not all(map(_NAME.fullmatch, names)):
        raise ValueError("a name that no object has")
    return "".join(f"{name}/" for name in (*filter(None, [of.prefix]), *names))


def _key(of: StoreSettings, kind: str, owner: str, sha256: str) -> str:
    if not _SHA256.fullmatch(sha256):
        raise ValueError("a digest that no object has")
    return _prefix(of, kind, owner) + sha256
