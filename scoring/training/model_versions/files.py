"""The files of a model version: checked against its seal, packed.

Knows no torch: the web hands models out. Only the manifest's own files leave, under plain names.

The manifest vouches for the files and the row for the manifest. Whoever can write both files and
rows could change all three; they cannot make a seal without SECRET_KEY (ADR 0021).
"""

import hashlib
import json
import logging
import tarfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from django.conf import settings
from django.db import transaction
from django.utils.crypto import constant_time_compare, salted_hmac

from annotator import audit_log
from core import storage
from patclaimeval.text_io.strict_json import loads
from scoring import files as scoring_files
from scoring.files import StoredFileDamaged
from scoring.models import ModelVersion

logger = logging.getLogger(__name__)
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
