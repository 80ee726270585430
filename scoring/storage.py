"""Where files of the measuring house lie, and how they get there whole."""

import hashlib
import os
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import date
from pathlib import Path
from typing import IO, BinaryIO, Final

from django.conf import settings

from annotator.files.whole import ASIDE, write_whole
from annotator.refusals import Refused

ABANDONED_SECONDS: Final = 15 * 60
# A row of real length is longer than Python's own buffer: each would be a system call of its own.
FILE_BUFFER: Final = 1 << 20


class StoredFileDamaged(Refused):
    """A file does not have the digest under which it was stored; each door says so in a line."""


class DatasetErased(StoredFileDamaged):
    """A file that held a matter which was erased: it is gone, and its version stays citable."""

    status = 410


def datasets_directory() -> Path:
    return _directory("datasets")


def models_directory() -> Path:
    return _directory("models")


def runs_directory() -> Path:
    """Return where runs keep, each under its key, what they need only until they end."""
    return _directory("runs")


def cache_directory() -> Path:
    return _directory("cache")


def score_cache_path() -> Path:
    return cache_directory() / "scores.sqlite3"


def _directory(name: str) -> Path:
    path = Path(settings.DATA_DIR) / name
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    return path


def spool() -> IO[bytes]:
    """Open a nameless file for what is too much for memory; it is gone once its process is."""
    # Not in the system's folder for such files: there it may be memory, or others may look.
    return tempfile.TemporaryFile(dir=_directory("spools"), buffering=FILE_BUFFER)


def store_dataset(pieces: Iterable[bytes]) -> str:
    """Write a dataset's canonical JSONL under its sha256 and return that digest.

    Storing the same content again changes nothing, unless what is there has another length.
    """
    directory = datasets_directory()
    _clear_asides(directory)
    digest = hashlib.sha256()
    with _aside(directory) as (file, aside):
        for piece in pieces:
            digest.update(piece)
            file.write(piece)
        _flush(file)
        target = dataset_path(digest.hexdigest())
        size = file.tell()
        if target.is_file() and target.stat().st_size == size:
            aside.unlink()
        else:
            _rename(aside, target)
    return digest.hexdigest()


@contextmanager
def _aside(directory: Path) -> Iterator[tuple[IO[bytes], Path]]:
    """Open a file beside its later name; whatever goes wrong takes it away."""
    descriptor, name = tempfile.mkstemp(dir=directory, prefix=ASIDE)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file, Path(name)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _flush(file: IO[bytes]) -> None:
    file.flush()
    os.fsync(file.fileno())


def _rename(aside: Path, target: Path) -> None:
    """Give a file its name, which then outlives a power cut as the row that names it does."""
    aside.replace(target)
    directory = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def _clear_asides(directory: Path) -> None:
    """Take away what writers left that were killed; one that lives has written a moment ago."""
    for left in directory.glob(f"{ASIDE}*"):
        with suppress(FileNotFoundError):
            if time.time() - left.stat().st_mtime > ABANDONED_SECONDS:
                left.unlink()


def dataset_path(digest: str) -> Path:
    return datasets_directory() / f"{digest}.jsonl"


def tombstone_path(digest: str) -> Path:
    return datasets_directory() / f"{digest}.erased"


def erase_dataset(digest: str, day: date) -> None:
    """Take a dataset's file away for good; its tombstone tells every reader when that was."""
    write_whole(tombstone_path(digest), [day.isoformat().encode()])
    dataset_path(digest).unlink(missing_ok=True)


def is_erased(digest: str) -> bool:
    """Tell whether a dataset's file is gone for good, and says so."""
    return tombstone_path(digest).is_file() and not dataset_path(digest).exists()


def refuse_erased(digest: str) -> None:
    """Raise DatasetErased, with the day, where a matter in the dataset was erased."""
    try:
        day = tombstone_path(digest).read_text()
    except FileNotFoundError:
        return
    raise DatasetErased(
        f"This version was erased in part on {day}: a matter in it was erased, and its file with "
        "it. It can still be cited; freeze a new version to work on."
    )


def open_dataset(digest: str) -> BinaryIO:
    """Open a stored dataset whose digest was looked at; what is read then is the very same file.

    Raises StoredFileDamaged when it is missing or changed. The caller closes it.
    """
    refuse_erased(digest)
    path = dataset_path(digest)
    try:
        file = path.open("rb")
    except FileNotFoundError as error:
        raise StoredFileDamaged(
            f"The dataset file {path.name} is missing from the data directory."
        ) from error
    if hashlib.file_digest(file, "sha256").hexdigest() != digest:
        file.close()
        raise StoredFileDamaged(f"The dataset file {path.name} was changed after it was stored.")
    file.seek(0)
    return file


def check_dataset(digest: str) -> None:
    """Raise StoredFileDamaged when a stored dataset is missing or changed."""
    open_dataset(digest).close()
