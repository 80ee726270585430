"""Where files of datasets and models lie, how they get there complete, and how they leave."""

import fcntl
import hashlib
import os
import re
import shutil
import tempfile
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import IO, BinaryIO, Final

from django.conf import settings

from core import storage
from core.database import alone
from core.errors import OutOfDate, Refused
from patclaimeval.files import (
    TEMPORARY_PREFIX,
    atomic_directory,
    atomic_write,
    flush_file,
    rename_and_flush,
    temporary_file,
)
from scoring.models import DatasetVersion, Erasure

SUMS_NAME: Final = "SHA256SUMS"
_LINE = re.compile(rb"([0-9a-f]{64}) [ *](.+)")


def sums(digests: Mapping[str, str], earlier: bytes = b"") -> bytes:
    """Write the lines of files, ordered by name, over what the file held before.

    Input: sha256 in hexadecimal digits by file name; the bytes of an earlier SHA256SUMS. Output:
    its bytes anew: lines of other names stay, those of these names are replaced.
    """
    lines: dict[bytes, bytes] = {}
    for name, digest in digests.items():
        lines[os.fsencode(name)] = f"{digest}  ".encode() + os.fsencode(name)
    for line in earlier.split(b"\n"):
        found = _LINE.fullmatch(line)
        if found:
            lines.setdefault(found[2], line)
    return b"".join(lines[name] + b"\n" for name in sorted(lines))


def digest_of(name: str, content: bytes) -> str:
    """Return the digest that a SHA256SUMS gives a name; "" where it does not hold the name."""
    for line in content.split(b"\n"):
        found = _LINE.fullmatch(line)
        if found and found[2] == os.fsencode(name):
            return found[1].decode()
    return ""


BLOCK_BYTES: Final = 256 * 1024
# 16 more than the window asks zlib for a gzip header: no file name, no time of writing.
_GZIP_WINDOW: Final = zlib.MAX_WBITS + 16


def in_blocks(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Gather small pieces, so that a stream costs one step a block and not one a row.

    Input: pieces of any length. Output: the same bytes in blocks of at least BLOCK_BYTES, the
    last one excepted; nothing for no bytes.
    """
    held: list[bytes] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size >= BLOCK_BYTES:
            yield b"".join(held)
            held, size = [], 0
    if size:
        yield b"".join(held)


def gzipped(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Compress a stream as one gzip member (RFC 1952) without name or time.

    Input: pieces. Output: pieces of a gzip file; the same input gives the same bytes.
    """
    compressor = zlib.compressobj(wbits=_GZIP_WINDOW)
    for piece in pieces:
        if packed := compressor.compress(piece):
            yield packed
    yield compressor.flush()


EXPORT_PREFIX: Final = ".export-"


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file that was written: its name, digest and length."""

    name: str
    sha256: str
    bytes: int


def put_file(target: Path, pieces: Iterable[bytes], beside: Mapping[str, bytes]) -> WrittenFile:
    """Write a file and small ones beside it, with the SHA256SUMS of them all.

    Input: where to; the bytes; the contents of the small files by name. Output: the file. At
    each moment its name holds nothing, or a whole file whose digest SHA256SUMS gives: the others
    are there before it. Raises OSError, with what stood there untouched.
    """
    if target.exists() and not target.is_file():
        raise IsADirectoryError(0, "it is no file")
    with (
        _alone_in(target.parent),
        temporary_file(target.parent, EXPORT_PREFIX) as (file, temporary),
    ):
        hashed = HashedFile(file, target.name)
        for piece in pieces:
            hashed.write(piece)
        written = hashed.finish()
        _put_beside(target, written, beside)
        rename_and_flush(temporary, target)
    return written


@contextmanager
def new_directory(target: Path) -> Iterator[Path]:
    """Give a directory to fill, which gets its name when everything in it is on disk.

    Raises OSError where something stands there already, an empty directory excepted; whatever is
    raised while it is filled, nothing of it is left.
    """
    with _alone_in(target.parent):
        temporary = Path(tempfile.mkdtemp(dir=target.parent, prefix=EXPORT_PREFIX))
        with atomic_directory(target, temporary):
            yield temporary


class HashedFile:
    """Counts and digests what is written to a file."""

    def __init__(self, file: IO[bytes], name: str) -> None:
        self.name = name
        self._file = file
        self._digest = hashlib.sha256()
        self._length = 0

    def write(self, piece: bytes) -> None:
        self._digest.update(piece)
        self._length += len(piece)
        self._file.write(piece)

    def finish(self) -> WrittenFile:
        """Flush the file to disk and return what was written."""
        flush_file(self._file)
        return WrittenFile(self.name, self._digest.hexdigest(), self._length)


def _put_beside(target: Path, written: WrittenFile, beside: Mapping[str, bytes]) -> None:
    directory = target.parent
    sums_file = directory / SUMS_NAME
    earlier = sums_file.read_bytes() if sums_file.is_file() else b""
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in beside.items()}
    if digest_of(target.name, earlier) != written.sha256:
        # Else its name would for a moment hold a file that its digest does not fit.
        target.unlink(missing_ok=True)
    for name, content in beside.items():
        atomic_write(directory / name, [content])
    atomic_write(sums_file, [sums({**digests, written.name: written.sha256}, earlier)])


@contextmanager
def _alone_in(directory: Path) -> Iterator[None]:
    """Wait for other exports to a directory, and remove what killed ones left aside there.

    The lock ends with the process at the latest.
    """
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        for path in directory.glob(f"{EXPORT_PREFIX}*"):
            with suppress(OSError):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        yield
    finally:
        os.close(descriptor)


ABANDONED_SECONDS: Final = 15 * 60


class StoredFileDamaged(Refused):
    """A file does not have the digest under which it was stored; each route reports this."""


class DatasetErased(StoredFileDamaged):
    """A file that held a reference which was erased: it is gone, and its version stays citable."""

    status = 410


# Folders of the data directory.
DATASETS: Final = "datasets"
MODELS: Final = "models"
RUNS: Final = "runs"


def datasets_directory() -> Path:
    return _directory(DATASETS)


def models_directory() -> Path:
    return _directory(MODELS)


def runs_directory() -> Path:
    """Return where runs store, each under its key, what they need only until they end."""
    return _directory(RUNS)


def cache_directory() -> Path:
    return _directory("cache")


def score_cache_path() -> Path:
    return cache_directory() / "scores.sqlite3"


def _directory(name: str) -> Path:
    path = Path(settings.DATA_DIR) / name
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    return path


def store_dataset(pieces: Iterable[bytes]) -> str:
    """Write a dataset's canonical JSONL under its sha256 and return that digest.

    Storing the same content again changes nothing, unless what is there has another length.
    """
    directory = datasets_directory()
    # What writers left that were killed; one that lives has written a moment ago.
    for path in _abandoned(directory.glob(f"{TEMPORARY_PREFIX}*")):
        path.unlink(missing_ok=True)
    digest = hashlib.sha256()
    with temporary_file(directory) as (file, temporary):
        for piece in pieces:
            digest.update(piece)
            file.write(piece)
        flush_file(file)
        target = dataset_path(digest.hexdigest())
        size = file.tell()
        if target.is_file() and target.stat().st_size == size:
            temporary.unlink()
            if not DatasetVersion.objects.filter(sha256=digest.hexdigest()).exists():
                # A killed freeze left it; it must not be swept as old before our row is there.
                target.touch()
        else:
            rename_and_flush(temporary, target)
    storage.put(stored_name(digest.hexdigest()))
    return digest.hexdigest()


def stored_name(digest: str) -> str:
    """Return the name of a dataset's file below DATA_DIR and in the bucket."""
    return f"{DATASETS}/{digest}.jsonl"


def refuse_swept(digest: str) -> None:
    """Raise OutOfDate where the file of a version that is about to be stored is not there.

    The caller is `alone(SWEEPING)`, as the sweeper is that deletes what no row names.
    """
    if not (dataset_path(digest).is_file() and storage.has(stored_name(digest))):
        raise OutOfDate("The file of this version was deleted meanwhile; start it again.")


def _abandoned(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield the files that nobody has written for a while."""
    for path in paths:
        with suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime > ABANDONED_SECONDS:
                yield path


# What a lock is known by under which rows are compared with files: "sets" in ASCII.
SWEEPING: Final = 0x73657473


def remove_unnamed_datasets() -> int:
    """Delete the files of datasets that no row names: their freezes were killed before."""
    found = {path.stem: path for path in datasets_directory().glob("*.jsonl")}
    if not found.keys() - _named_datasets():
        return 0
    with alone(SWEEPING):
        unnamed = found.keys() - _named_datasets()
        left = list(_abandoned(found[digest] for digest in unnamed))
        for path in left:
            drop_dataset(path.stem)
    return len(left)


def remove_unnamed_from_bucket() -> None:
    """Delete the files of datasets that no row names from the bucket, however young they are.

    A freeze that is about to store its row then finds its file missing, and starts again.
    """
    with alone(SWEEPING):
        digests = {Path(name).stem for name in storage.names_in(DATASETS)}
        for digest in digests - _named_datasets():
            drop_dataset(digest)


def _named_datasets() -> set[str]:
    """Return the digests of the files that versions have."""
    return set(DatasetVersion.objects.order_by().values_list("sha256", flat=True))


def dataset_path(digest: str) -> Path:
    return datasets_directory() / f"{digest}.jsonl"


def tombstone_path(digest: str) -> Path:
    return datasets_directory() / f"{digest}.erased"


def erase_copy(digest: str, day: date) -> None:
    """Take a dataset's file away on this host; its tombstone shows every reader when that was."""
    atomic_write(tombstone_path(digest), [day.isoformat().encode()])
    dataset_path(digest).unlink(missing_ok=True)


def drop_dataset(digest: str) -> None:
    """Delete a file that no version needs."""
    storage.delete(stored_name(digest))


def is_erased(digest: str) -> bool:
    """Return whether a dataset's file is gone for good, and has a tombstone."""
    _see_erasures(digest)
    return tombstone_path(digest).is_file() and not dataset_path(digest).exists()


def refuse_erased(digest: str) -> None:
    """Raise DatasetErased, with the day, where a reference in the dataset was erased."""
    _see_erasures(digest)
    try:
        day = tombstone_path(digest).read_text()
    except FileNotFoundError:
        return
    raise DatasetErased(
        f"This version was erased in part on {day}: a reference in it was erased, and its file "
        "with it. It can still be cited; freeze a new version to work on."
    )


def _see_erasures(digest: str) -> None:
    """Erase this host's copy where another host has carried the erasure out."""
    if storage.is_shared() and not tombstone_path(digest).is_file():
        rows = Erasure.objects.exclude(erased_at=None)
        if day := days_of_erasures(rows).get(digest):
            erase_copy(digest, day)


def days_of_erasures(rows: Iterable[Erasure]) -> dict[str, date]:
    """Return the digests of the files that erasures take away, each with its first day."""
    days: dict[str, date] = {}
    for row in rows:
        versions = DatasetVersion.objects.filter(pk__in=row.result.get("versions", []))
        for digest in versions.values_list("sha256", flat=True):
            day = (row.erased_at or row.asked_at).date()
            days[digest] = min(day, days.get(digest, day))
    return days


def open_dataset(digest: str) -> BinaryIO:
    """Open a stored dataset whose digest was looked at; what is read then is the very same file.

    Raises StoredFileDamaged when it is missing or changed. The caller closes it.
    """
    refuse_erased(digest)
    path = dataset_path(digest)
    try:
        return storage.open_checked(stored_name(digest), digest)
    except FileNotFoundError as error:
        raise StoredFileDamaged(
            f"The dataset file {path.name} is missing from the {storage.place_of_files()}."
        ) from error
    except storage.Damaged as error:
        raise StoredFileDamaged(
            f"The dataset file {path.name} was changed after it was stored."
        ) from error


def check_dataset(digest: str) -> None:
    """Raise StoredFileDamaged when a stored dataset is missing or changed."""
    open_dataset(digest).close()
