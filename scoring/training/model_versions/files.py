"""The files of a model version: checked against its seal, packed, freed of paths of this machine.

Knows no torch: the web hands models out. Only the manifest's own files leave, under plain names.

The manifest vouches for the files and the row for the manifest. Whoever can write both files and
rows could change all three; they cannot make a seal without SECRET_KEY (ADR 0021).
"""

import hashlib
import json
import logging
import re
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, BinaryIO, Final

from django.conf import settings
from django.db import transaction
from django.utils.crypto import constant_time_compare, salted_hmac

from annotator import audit_log
from core import storage
from core.text_io.strict_json import loads
from scoring import files as scoring_files
from scoring.files import StoredFileDamaged
from scoring.models import ModelVersion

logger = logging.getLogger(__name__)
PAPERS: Final = ("config.json", "encoder_config.json")
CARD: Final = "README.md"
_PATH: Final = re.compile(r"(/|~|\.{1,2}/|[A-Za-z]:[\\/]|\\\\).+")
# What transformers notes about where a configuration came from.
_ORIGIN: Final = "_name_or_path"


def without_paths(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files that have to change, as they may leave; none where no path stands.

    Input: config.json, encoder_config.json and README.md of a model, as far as there are such.
    A path becomes its last part, which names a directory where the model is taken up again; the
    note of an encoder's origin goes.
    """
    changed: dict[str, bytes] = {}
    found: dict[str, str] = {}
    for name in PAPERS:
        if name in files:
            before = loads(files[name])
            after = _cleared(before, found)
            if after != before:
                text = json.dumps(after, indent=1, sort_keys=True, allow_nan=False)
                changed[name] = text.encode() + b"\n"
    card = files.get(CARD, b"").decode()
    # The longest first, as one path may be the beginning of another.
    for path in sorted(found, key=len, reverse=True):
        card = card.replace(path, found[path])
    if card.encode() != files.get(CARD, b""):
        changed[CARD] = card.encode()
    return changed


def _cleared(value: Any, found: dict[str, str]) -> Any:
    if isinstance(value, dict):
        _cleared(value.get(_ORIGIN), found)
        return {key: _cleared(inner, found) for key, inner in value.items() if key != _ORIGIN}
    if isinstance(value, list):
        return [_cleared(inner, found) for inner in value]
    if not isinstance(value, str) or not _PATH.fullmatch(value):
        return value
    kind = PureWindowsPath if "\\" in value else PurePosixPath
    found[value] = kind(value).name
    return found[value]


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


def stored_name(directory: str) -> str:
    """Return the name of a model's directory below DATA_DIR and in the bucket."""
    return f"{scoring_files.MODELS}/{directory}/"


def share_model(directory: Path) -> None:
    """Upload the files of a model that is about to be registered, if there is a bucket."""
    if storage.is_shared():
        for path in sorted(directory.iterdir()):
            storage.put(stored_name(directory.name) + path.name)


def directory_of(model: ModelVersion) -> Path:
    """Return where the files of a model lie; a host that lacks some downloads them before.

    Whoever reads them compares them with the manifest. Raises StoredFileDamaged where the bucket
    has other bytes; where nobody has them, they are not there.
    """
    path = scoring_files.models_directory() / model.directory
    if storage.is_shared():
        try:
            _fetch(path, model.manifest_sha256)
        except storage.Damaged as error:
            raise StoredFileDamaged(
                f"A file of the model {model.pk} was changed in the bucket."
            ) from error
        except FileNotFoundError:
            logger.warning("model %s is missing from the %s", model.pk, storage.place_of_files())
    return path


def _fetch(path: Path, manifest_sha256: str) -> None:
    prefix = stored_name(path.name)
    with storage.open_checked(prefix + MANIFEST, manifest_sha256) as manifest:
        digests = loads(manifest.read())["sha256"]
    for name, digest in digests.items():
        plain = Path(name).name
        if not (path / plain).is_file():
            storage.fetch(prefix + plain, digest)


def has_manifest(model: ModelVersion) -> bool:
    """Return whether the manifest is the registered one, without downloading the weights."""
    try:
        storage.open_checked(stored_name(model.directory) + MANIFEST, model.manifest_sha256).close()
    except (FileNotFoundError, storage.Damaged):
        return False
    return True


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


BROKEN: Final = (
    "What is registered about this model was not sealed with this site's secret: its row was "
    "changed, or comes from another site. Somebody with the command line can look at its files "
    "and run `manage.py seal_models`."
)


def seal_of(model: ModelVersion) -> str:
    """Return the seal of a model's row under the secret of today: 64 hexadecimal digits."""
    return _made(model, settings.SECRET_KEY)


def is_sealed(model: ModelVersion) -> bool:
    """Return whether the row still holds what was sealed, under a secret that counts."""
    secrets = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return any(constant_time_compare(model.seal, _made(model, secret)) for secret in secrets)


def _made(model: ModelVersion, secret: str | bytes) -> str:
    facts = (
        *(str(model.pk), str(model.run_id), model.criterion, model.directory),
        *(model.manifest_sha256, model.dataset_sha256, model.code_version),
    )
    made = salted_hmac("scoring.models", json.dumps(facts), secret=secret, algorithm="sha256")
    return made.hexdigest()


def seal_model(*, model: ModelVersion) -> bool:
    """Seal a model whose files are those that its row names; return False where today's key did.

    One that only a fallback vouches for is sealed anew, so that the old key can go.

    Raises StoredFileDamaged when a file is missing or was changed.
    """
    if constant_time_compare(model.seal, seal_of(model)):
        return False
    for entry in open_model(directory_of(model), model.manifest_sha256):
        entry.file.close()
    with transaction.atomic():
        model.seal = seal_of(model)
        model.save(update_fields=["seal"])
        audit_log.record(
            campaign=model.run.dataset_version.dataset.campaign,
            action="model.sealed",
            object_type="model_version",
            object_id=model.pk,
            details={"manifest_sha256": model.manifest_sha256},
        )
    return True
