"""The files of a model directory, checked against what was registered, as one tar archive.

Knows no torch: the web hands models out. Only the manifest's own files leave, under plain names.
"""

import hashlib
import tarfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from annotator.formats.strict_json import loads
from scoring.storage import StoredFileDamaged

MANIFEST: Final = "MANIFEST.json"
BLOCK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class OpenFile:
    """A file whose bytes were looked at, open at its beginning."""

    name: str
    size: int
    file: BinaryIO


def open_model(directory: Path, manifest_sha256: str) -> list[OpenFile]:
    """Open a model's files, the manifest first, after checking the digest of each.

    Input: the directory; the digest of its manifest as it was registered. What is read from the
    files then is what was checked, whatever becomes of their names. Raises StoredFileDamaged when
    one is missing, changed, or no plain file. The caller closes them.
    """
    with ExitStack() as stack:
        manifest = _open(stack, directory, MANIFEST, manifest_sha256)
        digests = loads(manifest.file.read())["sha256"]
        manifest.file.seek(0)
        found = [_open(stack, directory, name, digests[name]) for name in sorted(digests)]
        stack.pop_all()
    return [manifest, *found]


def tar_pieces(name: str, files: list[OpenFile]) -> Iterator[bytes]:
    """Give the bytes of a tar archive of the files under one directory, and close them.

    The same files give the same bytes: no owner, no time, the order as given.
    """
    with ExitStack() as stack:
        for entry in files:
            stack.enter_context(entry.file)
        for entry in files:
            header = tarfile.TarInfo(f"{name}/{entry.name}")
            header.size, header.mode = entry.size, 0o644
            yield header.tobuf(tarfile.PAX_FORMAT)
            while block := entry.file.read(BLOCK):
                yield block
            yield bytes(-entry.size % tarfile.BLOCKSIZE)
        yield bytes(2 * tarfile.BLOCKSIZE)


def _open(stack: ExitStack, directory: Path, name: str, digest: str) -> OpenFile:
    path = directory / name
    if Path(name).name != name or path.is_symlink() or not path.is_file():
        raise StoredFileDamaged(f"The file {Path(name).name} of the model is missing.")
    file = stack.enter_context(path.open("rb"))
    if hashlib.file_digest(file, "sha256").hexdigest() != digest:
        raise StoredFileDamaged(f"The file {name} of the model was changed after training.")
    size = file.tell()
    file.seek(0)
    return OpenFile(name, size, file)
