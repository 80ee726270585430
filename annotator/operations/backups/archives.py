"""A backup without its seal: a tar of its list of contents, the tables, and the files."""

import gzip
import hashlib
import io
import re
import tarfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Final, NamedTuple

import msgspec

from core.errors import Refused
from patclaimeval.version import VERSION

Digest = Annotated[str, msgspec.Meta(pattern=r"\A[0-9a-f]{64}\Z")]
Count = Annotated[int, msgspec.Meta(ge=0)]
TableName = Annotated[str, msgspec.Meta(pattern=r"\A[a-z][a-z0-9_]{0,62}\Z")]
MigrationName = Annotated[str, msgspec.Meta(pattern=r"\A[A-Za-z0-9_]{1,200}\Z")]
Version = Annotated[str, msgspec.Meta(pattern=r"\A[A-Za-z0-9.+-]{1,40}\Z")]


class StoredFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file that never changes: its path below DATA_DIR, its digest and its length."""

    name: str
    sha256: Digest
    size: Count


Lister = Callable[[], Iterable[StoredFile]]
_listers: list[Lister] = []
_kinds: list[tuple[str, re.Pattern[str]]] = []


def register_files(lister: Lister, **kinds: str) -> None:
    """Name what lists the files that the rows need, and what such files are called.

    `kinds` has a pattern for the names in each folder in which only such files lie. Where the
    pattern has a group `sha256`, a file is named by its own digest.
    """
    _listers.append(lister)
    _kinds.extend((folder, re.compile(f"{folder}/{names}")) for folder, names in kinds.items())


def stored_files() -> list[StoredFile]:
    """Return all files that the rows need, by name; each was found with its digest."""
    found = {file.name: file for lister in _listers for file in lister()}
    return [found[name] for name in sorted(found)]


def stored_folders() -> tuple[str, ...]:
    return tuple(folder for folder, _ in _kinds)


def is_of_a_kind(file: StoredFile) -> bool:
    """Return whether a file is called as one that the rows may need, and no other."""
    for _, names in _kinds:
        if found := names.fullmatch(file.name):
            return found.groupdict().get("sha256") in (None, file.sha256)
    return False


FORMAT: Final = 1
# A site with ten thousand models stays below; parsed, it takes some ten times as much memory.
MOST_BYTES: Final = 16 * 1024 * 1024


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The rows of one table: their columns, how many, and the sha256 of their lines.

    `plain_sha256` is that of the rows as both databases give them alike.
    """

    name: TableName
    columns: list[TableName]
    rows: Count
    sha256: Digest
    plain_sha256: Digest
    size: Count
    packed_size: Count


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a backup holds, as of one moment."""

    app_version: Version
    made_at: str
    database: TableName
    migrations: list[tuple[MigrationName, MigrationName]]
    tables: list[Table]
    files: list[StoredFile]
    format: Count = FORMAT

    def as_bytes(self) -> bytes:
        return msgspec.json.format(msgspec.json.encode(self, order="sorted"), indent=1)

    @property
    def rows(self) -> int:
        return sum(table.rows for table in self.tables)


class _Header(msgspec.Struct, frozen=True):
    """What the list of contents has in every format, so that its version can be named."""

    app_version: Version
    format: Count


def read_manifest(data: bytes) -> Manifest:
    """Decode and validate the list of contents of a backup.

    Anybody with the public key can write one. So each value has to be of its type, each file has to
    be of a kind that the rows may need, and no name may occur twice. Raises Refused otherwise, and
    for another format.
    """
    try:
        stated = msgspec.json.decode(data, type=_Header)
        if stated.format != FORMAT:
            raise Refused(
                f"This backup was made by version {stated.app_version} in format "
                f"{stated.format}; this is version {VERSION}, which reads format "
                f"{FORMAT}. Restore it with the version that made it."
            )
        found = msgspec.json.decode(data, type=Manifest)
        datetime.fromisoformat(found.made_at)
    except (ValueError, RecursionError) as error:
        raise Refused(_DAMAGED_CONTENTS) from error
    names: tuple[Sequence[object], ...] = (
        found.migrations,
        [table.name for table in found.tables],
        [file.name for file in found.files],
    )
    is_repeated = any(len(set(given)) != len(given) for given in names)
    if is_repeated or not all(map(is_of_a_kind, found.files)):
        raise Refused(_DAMAGED_CONTENTS)
    return found


if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

CONTENTS: Final = "manifest.json"
_DAMAGED_CONTENTS: Final = "The list of contents of the backup is damaged."
BLOCK: Final = 1 << 20
# Of one row. Memory for a restore follows from it: a row is parsed as a whole.
LONGEST_LINE: Final = 64 << 20
DAMAGED: Final = "{} in the backup is not what its list of contents says; nothing was restored."


def table_member(name: str) -> str:
    return f"tables/{name}.jsonl.gz"


def file_member(name: str) -> str:
    return f"files/{name}"


def archive(manifest: Manifest, tables: IO[bytes], directory: Path) -> Iterator[bytes]:
    """Yield the archive: `tables` holds the packed tables one behind the other.

    Raises Refused where a file is not as in the manifest: it went away meanwhile.
    """
    contents = manifest.as_bytes()
    yield from _member(CONTENTS, len(contents), [contents])
    tables.seek(0)
    for table in manifest.tables:
        pieces = _exactly(tables, table.packed_size)
        yield from _member(table_member(table.name), table.packed_size, pieces)
    for file in manifest.files:
        yield from _member(file_member(file.name), file.size, _file_of(directory, file))
    yield bytes(2 * tarfile.BLOCKSIZE)


def _member(name: str, size: int, pieces: Iterable[bytes]) -> Iterator[bytes]:
    yield header(name, size)
    yield from pieces
    yield bytes(-size % tarfile.BLOCKSIZE)


def header(name: str, size: int) -> bytes:
    """Return what stands before a member: a plain file for its owner alone."""
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = size, 0o600
    return entry.tobuf(tarfile.PAX_FORMAT)


def _exactly(source: IO[bytes] | io.RawIOBase, size: int) -> Iterator[bytes]:
    while size:
        piece = source.read(min(BLOCK, size))
        if not piece:
            raise EOFError("a table is shorter than it was")
        size -= len(piece)
        yield piece


def _file_of(directory: Path, file: StoredFile) -> Iterator[bytes]:
    digest = hashlib.sha256()
    try:
        with (directory / file.name).open("rb") as source:
            for piece in _exactly(source, file.size):
                digest.update(piece)
                yield piece
    except (FileNotFoundError, EOFError):
        digest.update(b"gone")
    if digest.hexdigest() != file.sha256:
        raise Refused(
            f"{file.name} was changed or deleted while it was copied; no backup was written. "
            "Start it again."
        )


class _Part(NamedTuple):
    """Where the bytes of a member lie."""

    begin: int
    size: int


class _Slice(io.RawIOBase):
    """A part of a file as a file of its own."""

    def __init__(self, file: IO[bytes], part: _Part) -> None:
        super().__init__()
        self._file = file
        self._at, self._left = part

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        space = memoryview(buffer).cast("B")
        self._file.seek(self._at)
        data = self._file.read(min(len(space), self._left))
        self._at, self._left = self._at + len(data), self._left - len(data)
        space[: len(data)] = data
        return len(data)


@dataclass(frozen=True, slots=True)
class CheckedArchive:
    """An archive of which every byte was compared with its list of contents."""

    manifest: Manifest
    _spool: IO[bytes]
    _parts: dict[str, _Part]

    def lines(self, table: Table) -> Iterator[bytes]:
        """Yield the lines of a table; raise Refused at one that is longer than any row."""
        packed = io.BufferedReader(self._open(table_member(table.name)), BLOCK)
        with gzip.GzipFile(fileobj=packed) as lines:
            while line := lines.readline(LONGEST_LINE + 1):
                if len(line) > LONGEST_LINE:
                    raise Refused(
                        f"A row of the table {table.name} is longer than {LONGEST_LINE:,} bytes; "
                        "nothing was restored."
                    )
                yield line

    def file(self, file: StoredFile) -> Iterator[bytes]:
        return _exactly(self._open(file_member(file.name)), file.size)

    def _open(self, name: str) -> _Slice:
        return _Slice(self._spool, self._parts[name])


def check_archive(spool: IO[bytes]) -> CheckedArchive:
    """Read an archive to its end; raise Refused unless all of it is as in its manifest.

    The list of contents gives which bytes an archive has between the members, and no others are
    accepted: no link, no device, no other name, nothing twice and nothing behind the end. Each
    table is unpacked up to the size that is stated for it, and no further.
    """
    try:
        found = _members(spool)
        for table in found.manifest.tables:
            _check_table(found, table)
        for file in found.manifest.files:
            if _digest(found.file(file)) != file.sha256:
                raise Refused(DAMAGED.format(f"The file {file.name}"))
    except (tarfile.TarError, EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise Refused(DAMAGED.format("Something")) from error
    return found


def _members(spool: IO[bytes]) -> CheckedArchive:
    """Read the list of contents, and compare what stands before each member with it."""
    spool.seek(0)
    block = spool.read(tarfile.BLOCKSIZE)
    size = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape").size
    if not 0 <= size <= MOST_BYTES or block != header(CONTENTS, size):
        raise Refused(DAMAGED.format("The beginning"))
    manifest = read_manifest(spool.read(size))
    members = [(table_member(table.name), table.packed_size) for table in manifest.tables]
    members += [(file_member(file.name), file.size) for file in manifest.files]
    parts, end = dict[str, _Part](), _end(_Part(len(block), size))
    for name, size in members:
        begin = header(name, size)
        spool.seek(end)
        if spool.read(len(begin)) != begin:
            raise Refused(DAMAGED.format(f"What should be {name}"))
        parts[name] = _Part(end + len(begin), size)
        end = _end(parts[name])
    spool.seek(end)
    if spool.read(BLOCK) != bytes(2 * tarfile.BLOCKSIZE):
        raise Refused(DAMAGED.format("The end"))
    return CheckedArchive(manifest, spool, parts)


def _end(part: _Part) -> int:
    """Return where the next member begins."""
    return part.begin + part.size + -part.size % tarfile.BLOCKSIZE


def _check_table(found: CheckedArchive, table: Table) -> None:
    rows, size, digest = 0, 0, hashlib.sha256()
    for line in found.lines(table):
        rows, size = rows + 1, size + len(line)
        if size > table.size:
            break
        digest.update(line)
    if (rows, size, digest.hexdigest()) != (table.rows, table.size, table.sha256):
        raise Refused(DAMAGED.format(f"The table {table.name}"))


def _digest(pieces: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()
