"""The files that rows of this house need: datasets and models, each looked at."""

import hashlib
import re
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Final

from annotator.backups.kept_files import KeptFile
from scoring.model_directories.archive import BLOCK, open_model
from scoring.models import DatasetVersion, ModelVersion
from scoring.storage import datasets_directory, models_directory, open_dataset, tombstone_path

# What the files of a model are called: those of patclaimeval/checkpoint.py, which needs torch.
MODEL_FILES: Final = (
    *("MANIFEST.json", "README.md", "config.json", "encoder_config.json"),
    *("model.safetensors", "tokenizer.json"),
)
KINDS: Final = {
    "datasets": r"(?:(?P<sha256>[0-9a-f]{64})\.jsonl|[0-9a-f]{64}\.erased)",
    "models": rf"model-[0-9a-f-]{{32,69}}/(?:{'|'.join(map(re.escape, MODEL_FILES))})",
}
"""Names in each folder: of datasets by digest, their tombstones, and what a training registers."""


def dataset_and_model_files() -> Iterator[KeptFile]:
    """Yield the file of every dataset version and the files of every model.

    Raises StoredFileDamaged when one is missing or changed.
    """
    folder = datasets_directory().name
    digests = DatasetVersion.objects.order_by("sha256").values_list("sha256", flat=True).distinct()
    for digest in digests:
        if (tombstone := tombstone_path(digest)).is_file():
            words = tombstone.read_bytes()
            sha256 = hashlib.sha256(words).hexdigest()
            yield KeptFile(f"{folder}/{tombstone.name}", sha256, len(words))
            continue
        with open_dataset(digest) as file:
            yield KeptFile(f"{folder}/{digest}.jsonl", digest, file.seek(0, 2))
    for model in ModelVersion.objects.order_by("directory"):
        yield from _files_of(model)


def _files_of(model: ModelVersion) -> Iterator[KeptFile]:
    directory = models_directory() / model.directory
    if model.retire_since is not None and not directory.exists():
        return  # it learned from an erased matter, and was deleted
    with ExitStack() as stack:
        entries = open_model(directory, model.manifest_sha256)
        for entry in entries:
            stack.callback(entry.file.close)
        for entry in entries:
            digest = hashlib.sha256()
            while piece := entry.file.read(BLOCK):
                digest.update(piece)
            name = f"{models_directory().name}/{model.directory}/{entry.name}"
            yield KeptFile(name, digest.hexdigest(), entry.size)
