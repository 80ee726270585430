"""Whether the files of models and datasets still are what was registered."""

from collections.abc import Iterator

from annotator.health.findings import Finding, missing, ok
from scoring import storage
from scoring.model_directories.archive import open_model
from scoring.models import DatasetVersion, ModelVersion
from scoring.storage import StoredFileDamaged


def look_at_stored_files() -> Iterator[Finding]:
    """Read every model and every dataset file, and compare each with its digest."""
    yield from _models()
    yield from _datasets()


def _models() -> Iterator[Finding]:
    whole = 0
    for model in ModelVersion.objects.order_by("created_at").iterator():
        try:
            files = open_model(storage.models_directory() / model.directory, model.manifest_sha256)
        except StoredFileDamaged as damage:
            yield missing(
                "model files",
                f"Model {model.pk}: {damage.sentence}",
                "Restore the directory from a backup, or train the model again from its run.",
            )
            continue
        for entry in files:
            entry.file.close()
        whole += 1
    yield ok("model files", f"{whole} models are as they were registered.")


def _datasets() -> Iterator[Finding]:
    whole = 0
    for digest in DatasetVersion.objects.order_by("sha256").values_list("sha256", flat=True):
        try:
            storage.check_dataset(digest)
        except StoredFileDamaged as damage:
            yield missing("dataset files", damage.sentence, "Restore the file from a backup.")
            continue
        whole += 1
    yield ok("dataset files", f"{whole} dataset versions are as they were stored.")
