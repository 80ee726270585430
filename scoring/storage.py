"""Where files of the measuring house lie, and how they get there whole."""

import hashlib
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from django.conf import settings

from annotator.refusals import Refused


class StoredFileDamaged(Refused):
    """A file does not have the digest under which it was stored; each door says so in a line."""


def datasets_directory() -> Path:
    return _directory("datasets")


def models_directory() -> Path:
    return _directory("models")


def cache_directory() -> Path:
    return _directory("cache")


def _directory(name: str) -> Path:
    path = Path(settings.DATA_DIR) / name
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    return path


def store_dataset(content: bytes) -> str:
    """Write a dataset's canonical JSONL under its sha256 and return that digest.

    Storing the same content again changes nothing.
    """
    digest = hashlib.sha256(content).hexdigest()
    target = dataset_path(digest)
    if not target.exists():
        write_whole(target, [content])
    return digest


def write_whole(target: Path, pieces: Iterable[bytes]) -> None:
    """Write a file aside, flush it to disk and rename it: its name never holds half a file."""
    descriptor, aside = tempfile.mkstemp(dir=target.parent, prefix=".aside-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        Path(aside).replace(target)
    except BaseException:
        Path(aside).unlink(missing_ok=True)
        raise


def dataset_path(digest: str) -> Path:
    return datasets_directory() / f"{digest}.jsonl"


def read_dataset(digest: str) -> bytes:
    """Return a stored dataset; raise StoredFileDamaged when it is missing or changed."""
    path = dataset_path(digest)
    if not path.is_file():
        raise StoredFileDamaged(f"The dataset file {path.name} is missing from the data directory.")
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != digest:
        raise StoredFileDamaged(f"The dataset file {path.name} was changed after it was stored.")
    return content
