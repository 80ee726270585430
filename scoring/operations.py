"""Files of datasets and models that rows need: whether they are here, and as registered."""

import hashlib
import re
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import date
from typing import Final

from annotator.operations.backups.archives import StoredFile
from annotator.operations.health.database import Finding, missing, ok, warning
from patclaimeval.plurals import counted
from scoring import files as scoring_files
from scoring.files import (
    DatasetErased,
    StoredFileDamaged,
    datasets_directory,
    models_directory,
    open_dataset,
    tombstone_path,
)
from scoring.models import DatasetVersion, Erasure, ErasureStatus, ModelVersion
from scoring.training.model_versions.files import BLOCK, directory_of, open_model

# What the files of a model are called: those of patclaimeval/models/checkpoint.py, which needs
# torch.
MODEL_FILES: Final = (
    *("MANIFEST.json", "README.md", "config.json", "encoder_config.json"),
    *("model.safetensors", "tokenizer.json"),
)
KINDS: Final = {
    "datasets": r"(?:(?P<sha256>[0-9a-f]{64})\.jsonl|[0-9a-f]{64}\.erased)",
    "models": rf"model-[0-9a-f-]{{32,69}}/(?:{'|'.join(map(re.escape, MODEL_FILES))})",
}
"""Names in each folder: of datasets by digest, their tombstones, and what a training registers."""


def dataset_and_model_files() -> Iterator[StoredFile]:
    """Yield the file of every dataset version and the files of every model.

    Raises StoredFileDamaged when one is missing or changed.
    """
    folder = datasets_directory().name
    digests = DatasetVersion.objects.order_by("sha256").values_list("sha256", flat=True).distinct()
    for digest in digests:
        if (tombstone := tombstone_path(digest)).is_file():
            content = tombstone.read_bytes()
            sha256 = hashlib.sha256(content).hexdigest()
            yield StoredFile(f"{folder}/{tombstone.name}", sha256, len(content))
            continue
        with open_dataset(digest) as file:
            yield StoredFile(f"{folder}/{digest}.jsonl", digest, file.seek(0, 2))
    for model in ModelVersion.objects.order_by("directory"):
        yield from _files_of(model)


def _files_of(model: ModelVersion) -> Iterator[StoredFile]:
    directory = directory_of(model)
    if model.retire_since is not None and not directory.exists():
        return  # it learned from an erased reference, and was deleted
    with ExitStack() as stack:
        entries = open_model(directory, model.manifest_sha256)
        for entry in entries:
            stack.callback(entry.file.close)
        for entry in entries:
            digest = hashlib.sha256()
            while piece := entry.file.read(BLOCK):
                digest.update(piece)
            name = f"{models_directory().name}/{model.directory}/{entry.name}"
            yield StoredFile(name, digest.hexdigest(), entry.size)


def look_at_stored_files() -> Iterator[Finding]:
    """Read every model and every dataset file, and compare each with its digest.

    What an erasure took away is not missing, and nothing that it took is to be brought back.
    """
    yield from _models()
    yield from _datasets()


def _models() -> Iterator[Finding]:
    whole = 0
    for model in ModelVersion.objects.order_by("created_at").iterator():
        try:
            files = open_model(directory_of(model), model.manifest_sha256)
        except StoredFileDamaged as damage:
            yield _damaged_model(model, damage)
            continue
        for entry in files:
            entry.file.close()
        whole += 1
    yield ok("model files", f"{counted(whole, 'model')} unchanged since registration.")


def _damaged_model(model: ModelVersion, damage: StoredFileDamaged) -> Finding:
    if model.retire_since is None:
        return missing(
            "model files",
            f"Model {model.pk}: {damage.sentence}",
            "Restore the directory from a backup, or train the model again from its run.",
        )
    return warning(
        "model files",
        f"Model {model.pk}: {damage.sentence} It learned from a reference that was erased.",
        "Do not bring it back: train another on a new version, promote that, and withdraw this.",
    )


def _datasets() -> Iterator[Finding]:
    whole = erased = 0
    erasures = Erasure.objects.filter(status=ErasureStatus.DONE)
    days = scoring_files.days_of_erasures(erasures)
    digests = DatasetVersion.objects.order_by("sha256").values_list("sha256", flat=True).distinct()
    for digest in digests:
        if digest in days and not scoring_files.is_erased(digest):
            yield _not_erased(digest, days[digest])
            continue
        try:
            scoring_files.check_dataset(digest)
        except DatasetErased:
            erased += 1
        except StoredFileDamaged as damage:
            yield missing("dataset files", damage.sentence, "Restore the file from a backup.")
        else:
            whole += 1
    gone = f" {erased} are gone, as a reference in them was erased." if erased else ""
    yield ok("dataset files", f"{whole} dataset versions are as they were stored.{gone}")


def _not_erased(digest: str, day: date) -> Finding:
    path, tombstone = scoring_files.dataset_path(digest), scoring_files.tombstone_path(digest)
    what = "lies there again" if path.exists() else f"has lost {tombstone.name}, which says so"
    return missing(
        "dataset files",
        f"The dataset file {path.name} was erased with a reference in it, and {what}.",
        f"Erase it again: `printf {day} > {tombstone} && rm -f {path}`.",
    )
