"""The files of a model directory, checked against what was registered, as one tar archive.

Knows no torch: the web hands models out. Only the manifest's own files leave, under plain names.
"""

import hashlib
import json
import tarfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, Final

from annotator.formats.strict_json import loads
from scoring.model_directories.machine_paths import CARD, PAPERS, without_paths
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


def as_it_leaves(files: list[OpenFile]) -> list[OpenFile]:
    """Return the files without the paths of this machine, and a manifest that vouches for them.

    Input: what ``open_model`` opened. Files that change are replaced by others in memory; the
    manifest then also names the digest of the one that was registered. Where nothing changes,
    all are as they were.
    """
    papers = {entry.name: _read(entry) for entry in files if entry.name in (*PAPERS, CARD)}
    changed = without_paths(papers)
    if not changed:
        return files
    registered = _read(files[0])
    manifest = loads(registered)
    manifest["sha256"] |= {name: _sha256(content) for name, content in changed.items()}
    manifest["registered_manifest_sha256"] = _sha256(registered)
    changed[MANIFEST] = json.dumps(manifest, indent=1, sort_keys=True).encode() + b"\n"
    return [_replaced(entry, changed) for entry in files]


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


def _read(entry: OpenFile) -> bytes:
    content = entry.file.read()
    entry.file.seek(0)
    return content


def _replaced(entry: OpenFile, changed: dict[str, bytes]) -> OpenFile:
    if entry.name not in changed:
        return entry
    entry.file.close()
    content = changed[entry.name]
    return OpenFile(entry.name, len(content), BytesIO(content))


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _open(stack: ExitStack, directory: Path, name: str, digest: str) -> OpenFile:
    path = directory / name
    if Path(name).name != name or path.is_symlink() or not path.is_file():
        raise StoredFileDamaged(f"The file {Path(name).name} of the model is missing.")
    if path.stat().st_nlink > 1:
        raise StoredFileDamaged(f"The file {name} of the model has another name, a hard link.")
    file = stack.enter_context(path.open("rb"))
    if hashlib.file_digest(file, "sha256").hexdigest() != digest:
        raise StoredFileDamaged(f"The file {name} of the model was changed after training.")
    size = file.tell()
    file.seek(0)
    return OpenFile(name, size, file)
