"""Where uploaded files lie: until they are imported, and sources as long as their claims.

In the bucket both are sources, named by their import: moving changes nothing there.
"""

import hashlib
import os
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final
from uuid import UUID

from django.conf import settings
from django.db import transaction

from core import storage
from core.errors import Refused
from core.files import FULL, flush_file, rename_and_flush
from core.text_io.streams import ByteSource

CHUNK: Final = 1024 * 1024
# Longer than a server that was killed needs to come back; what still grows is never this old.
ORPHAN_SECONDS: Final = 15 * 60
_UNSAFE: Final = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*\ufffd]')


class TooBig(Refused):
    """More bytes than this site takes."""

    status = 413


class DiskFull(Refused):
    """The server has no space for the file; later it may have."""

    status = 507


class UploadGone(Refused):
    """The file is not there any more, or not as it was sent."""

    status = 409


FOLDER: Final = "sources"


@dataclass(frozen=True, slots=True)
class Stored:
    """A file as it was written: its digest and its length in bytes."""

    sha256: str
    size: int


def store_upload(pk: UUID, file: ByteSource) -> Stored:
    """Write a file under the id of its import, chunk by chunk; nothing stays of one refused.

    Raises TooBig past MAX_UPLOAD_BYTES and DiskFull.
    """
    return _store(_path(pk), file, settings.MAX_UPLOAD_BYTES)


def _store(path: Path, file: ByteSource, limit: int) -> Stored:
    stored = _write(path, file, limit)
    try:
        storage.put(f"{FOLDER}/{path.name}", path)
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
        return storage.open_checked(f"{FOLDER}/{pk}", sha256, _path(pk))
    except FileNotFoundError as error:
        raise UploadGone("The uploaded file is not there any more; upload it again.") from error
    except storage.Damaged as error:
        raise UploadGone("The uploaded file was changed on the server; upload it again.") from error


def open_source(pk: UUID, sha256: str) -> BinaryIO:
    """Open the source of an import for bytes; raise UploadGone when it is missing or changed."""
    try:
        return storage.open_checked(f"{FOLDER}/{pk}", sha256, source_path(pk))
    except FileNotFoundError as error:
        raise UploadGone(
            f"The source of import {pk} is missing from the {storage.place_of_files()}."
        ) from error
    except storage.Damaged as error:
        raise UploadGone(f"The source of import {pk} was changed on the server.") from error


def name_of_source(name: str) -> str:
    """Return the name under which a document is downloaded: one that every system can store."""
    return _UNSAFE.sub("_", name).strip(". ") or "document"


def store_source(pk: UUID, file: ByteSource, size: int) -> Stored:
    """Write a file of so many bytes, whose claims are being stored, where sources lie."""
    return _store(sources_directory() / str(pk), file, size)


def move_to_sources(pk: UUID) -> None:
    """Have the file of an import stay as the source of its claims."""
    with suppress(FileNotFoundError):
        rename_and_flush(_path(pk), sources_directory() / str(pk))


def move_to_sources_once_committed(pk: UUID) -> None:
    """Have the file of an import stay, unless what stored its claims is rolled back."""
    transaction.on_commit(lambda: move_to_sources(pk), robust=True)


def source_path(pk: UUID) -> Path:
    """Return where a source lies; until somebody has moved it, where it was uploaded."""
    upload = _path(pk)
    return upload if upload.exists() else sources_directory() / str(pk)


def drop_source(pk: UUID) -> None:
    """Delete the source of an import, if it is there, whoever has moved it yet."""
    storage.delete(f"{FOLDER}/{pk}")
    _path(pk).unlink(missing_ok=True)


def stored_sources() -> Iterator[tuple[UUID, float]]:
    """Yield the imports whose sources are there, with the age of each in seconds."""
    return _aged(sources_directory())


def drop_upload(pk: UUID) -> None:
    """Delete the file of an import that has not become a source, if it is still there."""
    storage.delete(f"{FOLDER}/{pk}")
    _path(pk).unlink(missing_ok=True)


def drop_upload_once_committed(pk: UUID) -> None:
    """Delete the file of an import that is over, unless what ended it is rolled back."""
    transaction.on_commit(lambda: drop_upload(pk), robust=True)


def stored_uploads() -> Iterator[tuple[UUID, float]]:
    """Yield the imports whose files are there, with the age of each file in seconds."""
    return _aged(uploads_directory())


def _aged(folder: Path) -> Iterator[tuple[UUID, float]]:
    for path in folder.iterdir():
        try:
            yield UUID(path.name), time.time() - path.stat().st_mtime
        except (ValueError, FileNotFoundError):
            continue  # what was just deleted


def uploads_directory() -> Path:
    return _private(Path(settings.DATA_DIR) / "uploads")


def sources_directory() -> Path:
    """Return where the documents lie from which claims came."""
    return _private(Path(settings.DATA_DIR) / "sources")


def _path(pk: UUID) -> Path:
    return uploads_directory() / str(pk)


def _private(path: Path) -> Path:
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    return path
