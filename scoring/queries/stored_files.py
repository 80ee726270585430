"""Whether the files of models and datasets still are what was registered, or are gone as agreed."""

from collections.abc import Iterator
from datetime import date

from annotator.health.findings import Finding, missing, ok, warning
from scoring import storage
from scoring.model_directories.archive import open_model
from scoring.models import DatasetVersion, Erasure, ErasureStatus, ModelVersion
from scoring.storage import DatasetErased, StoredFileDamaged


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
            files = open_model(storage.models_directory() / model.directory, model.manifest_sha256)
        except StoredFileDamaged as damage:
            yield _damaged_model(model, damage)
            continue
        for entry in files:
            entry.file.close()
        whole += 1
    yield ok("model files", f"{whole} models are as they were registered.")


def _damaged_model(model: ModelVersion, damage: StoredFileDamaged) -> Finding:
    if model.retire_since is None:
        return missing(
            "model files",
            f"Model {model.pk}: {damage.sentence}",
            "Restore the directory from a backup, or train the model again from its run.",
        )
    return warning(
        "model files",
        f"Model {model.pk}: {damage.sentence} It learned from a matter that was erased.",
        "Do not bring it back: train another on a new version, promote that, and withdraw this.",
    )


def _datasets() -> Iterator[Finding]:
    whole = erased = 0
    days = _days_of_erasures()
    digests = DatasetVersion.objects.order_by("sha256").values_list("sha256", flat=True).distinct()
    for digest in digests:
        if digest in days and not storage.is_erased(digest):
            yield _not_erased(digest, days[digest])
            continue
        try:
            storage.check_dataset(digest)
        except DatasetErased:
            erased += 1
        except StoredFileDamaged as damage:
            yield missing("dataset files", damage.sentence, "Restore the file from a backup.")
        else:
            whole += 1
    gone = f" {erased} are gone, as a matter in them was erased." if erased else ""
    yield ok("dataset files", f"{whole} dataset versions are as they were stored.{gone}")


def _days_of_erasures() -> dict[str, date]:
    """Return the digests of the files that erasures took away, each with its day."""
    days: dict[str, date] = {}
    for row in Erasure.objects.filter(status=ErasureStatus.DONE).order_by("erased_at"):
        versions = DatasetVersion.objects.filter(pk__in=row.result.get("versions", []))
        for digest in versions.values_list("sha256", flat=True):
            days.setdefault(digest, (row.erased_at or row.asked_at).date())
    return days


def _not_erased(digest: str, day: date) -> Finding:
    path, tombstone = storage.dataset_path(digest), storage.tombstone_path(digest)
    what = "lies there again" if path.exists() else f"has lost {tombstone.name}, which says so"
    return missing(
        "dataset files",
        f"The dataset file {path.name} was erased with a matter in it, and {what}.",
        f"Erase it again: `printf {day} > {tombstone} && rm -f {path}`.",
    )
