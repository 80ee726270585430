"""Where uploaded files lie, each named by its import: until it is over, or as long as its claims.

The file of an import of documents stays as the source of its claims, where it is.
"""

import hashlib
import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final
from uuid import UUID

from django.conf import settings
from django.db import transaction

from core import storage
from core.errors import DiskFull, Refused
from patclaimeval.files import FULL, flush_file
from patclaimeval.text_io.streams import ByteSource

CHUNK: Final = 1024 * 1024
# Longer than a server that was killed needs to come back; what still grows is never this old.
ORPHAN_SECONDS: Final = 15 * 60
_UNSAFE: Final = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*\ufffd]')


class TooBig(Refused):
    """More bytes than this site takes."""

    status = 413


class UploadGone(Refused):
    """The file is not there any more, or not as it was sent."""

    status = 409


FOLDER: Final = "sources"


@dataclass(frozen=True, slots=True)
class Stored:
    """A file as it was written: its digest and its length in bytes."""

    sha256: str
    size: int


def store_upload(pk: UUID, file: ByteSource, limit: int | None = None) -> Stored:
    """Write a file under the id of its import, chunk by chunk; nothing stays of one refused.

    `limit` is in bytes, MAX_UPLOAD_BYTES unless stated. Raises TooBig and DiskFull.
    """
    path = upload_path(pk)
    stored = _write(path, file, settings.MAX_UPLOAD_BYTES if limit is None else limit)
    try:
        storage.put(_name(pk))
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return stored


def _write(path: Path, file: ByteSource, limit: int) -> Stored:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    digest, size = hashlib.sha256(), 0
    try:
        with os.fdopen(descriptor, "wb") as target:
            while chunk := file.read(CHUNK):
                size += len(chunk)
                if size > limit:
                    raise TooBig(
                        f"The file is larger than the limit of {limit:,} bytes. Split it, or have "
                        "the operator import it on the server: manage.py import_claims."
                    )
                digest.update(chunk)
                target.write(chunk)
            flush_file(target)
    except BaseException as error:
        path.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno in FULL:
            raise DiskFull("The server has no room for this file; nothing was stored.") from error
        raise
    return Stored(digest.hexdigest(), size)


def open_upload(pk: UUID, sha256: str) -> BinaryIO:
    """Open a stored file for bytes; raise UploadGone when it is missing or was changed."""
    try:
        return storage.open_checked(_name(pk), sha256)
    except FileNotFoundError as error:
        raise UploadGone(
            f"The file of import {pk} is missing from the {storage.place_of_files()}; upload it "
            "again."
        ) from error
    except storage.Damaged as error:
        raise UploadGone(
            f"The file of import {pk} was changed on the server; upload it again."
        ) from error


def name_of_source(name: str) -> str:
    """Return the name under which a document is downloaded: one that every system can store."""
    return _UNSAFE.sub("_", name).strip(". ") or "document"


def drop_upload(pk: UUID) -> None:
    """Delete the file of an import, if it is still there."""
    storage.delete(_name(pk))


def drop_upload_once_committed(pk: UUID) -> None:
    """Delete the file of an import that is over, unless what ended it is rolled back."""
    transaction.on_commit(lambda: drop_upload(pk), robust=True)


def stored_uploads() -> Iterator[tuple[UUID, float]]:
    """Yield the imports whose files are there, with the age of each file in seconds."""
    for path in uploads_directory().iterdir():
        try:
            yield UUID(path.name), time.time() - path.stat().st_mtime
        except (ValueError, FileNotFoundError):
            continue  # what was just deleted


def uploads_directory() -> Path:
    """Return where the files of imports lie."""
    return _private(Path(settings.DATA_DIR) / FOLDER)


def upload_path(pk: UUID) -> Path:
    """Return where the file of an import lies on this host."""
    return uploads_directory() / str(pk)


def _name(pk: UUID) -> str:
    return f"{FOLDER}/{pk}"


def _private(path: Path) -> Path:
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    return path
