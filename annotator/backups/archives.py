"""A backup without its seal: a tar of the list of contents, then the tables, then the files."""

import gzip
import hashlib
import tarfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, cast

from annotator.backups.kept_files import KeptFile
from annotator.backups.manifest import MOST_BYTES, Manifest, Table, read_manifest
from annotator.refusals import Refused

CONTENTS: Final = "manifest.json"
BLOCK: Final = 1 << 20
DAMAGED: Final = "{} in the backup is not what its list of contents says; nothing was restored."


def table_member(name: str) -> str:
    return f"tables/{name}.jsonl.gz"


def file_member(name: str) -> str:
    return f"files/{name}"


def archive(manifest: Manifest, tables: IO[bytes], directory: Path) -> Iterator[bytes]:
    """Yield the archive: `tables` holds the packed tables one behind the other.

    Raises Refused where a file is not what the manifest says: it went away meanwhile.
    """
    contents = manifest.as_bytes()
    yield from _member(CONTENTS, len(contents), [contents])
    tables.seek(0)
    for table in manifest.tables:
        pieces = _exactly(tables, table.packed_size)
        yield from _member(table_member(table.name), table.packed_size, pieces)
    for file in manifest.files:
        yield from _member(file_member(file.name), file.size, _file(directory, file))
    yield bytes(2 * tarfile.BLOCKSIZE)


def _member(name: str, size: int, pieces: Iterable[bytes]) -> Iterator[bytes]:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = size, 0o600
    yield entry.tobuf(tarfile.PAX_FORMAT)
    yield from pieces
    yield bytes(-size % tarfile.BLOCKSIZE)


def _exactly(source: IO[bytes], size: int) -> Iterator[bytes]:
    while size:
        piece = source.read(min(BLOCK, size))
        if not piece:
            raise EOFError("a table is shorter than it was")
        size -= len(piece)
        yield piece


def _file(directory: Path, file: KeptFile) -> Iterator[bytes]:
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


@dataclass(frozen=True, slots=True)
class CheckedArchive:
    """An archive of which every byte was compared with its list of contents."""

    manifest: Manifest
    _tar: tarfile.TarFile

    def lines(self, table: Table) -> Iterator[bytes]:
        with gzip.open(self._open(table_member(table.name))) as lines:
            yield from lines

    def file(self, file: KeptFile) -> Iterator[bytes]:
        return _exactly(self._open(file_member(file.name)), file.size)

    def _open(self, name: str) -> IO[bytes]:
        return cast("IO[bytes]", self._tar.extractfile(name))


def check_archive(spool: IO[bytes]) -> CheckedArchive:
    """Read an archive to its end; raise Refused unless all of it is as its manifest says.

    Nothing is unpacked: members are read by the names that the manifest gives them, which are
    looked at, and links, devices and members that stand twice are refused.
    """
    spool.seek(0)
    try:
        tar = tarfile.TarFile(fileobj=spool)
        members = tar.getmembers()
        if not members or members[0].name != CONTENTS or members[0].size > MOST_BYTES:
            raise Refused(DAMAGED.format("The beginning"))
        manifest = read_manifest(cast("IO[bytes]", tar.extractfile(members[0])).read())
        _check_members(members[1:], manifest)
        found = CheckedArchive(manifest, tar)
        for table in manifest.tables:
            _check_table(found, table)
        for file in manifest.files:
            if _digest(found.file(file)) != file.sha256:
                raise Refused(DAMAGED.format(f"The file {file.name}"))
    except (tarfile.TarError, EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise Refused(DAMAGED.format("Something")) from error
    return found


def _check_members(members: list[tarfile.TarInfo], manifest: Manifest) -> None:
    told = [(table_member(table.name), table.packed_size) for table in manifest.tables]
    told += [(file_member(file.name), file.size) for file in manifest.files]
    there = [(member.name, member.size) for member in members]
    missing = [name for name, _ in told if name not in {name for name, _ in there}]
    if missing:
        raise Refused(DAMAGED.format(f"{missing[0]} is missing: what is"))
    if there != told or not all(member.isreg() for member in members):
        raise Refused(DAMAGED.format("The order or kind of what is"))


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
