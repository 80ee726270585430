"""Seals models anew, by who runs the site: after another SECRET_KEY, or a restore elsewhere."""

from django.db import transaction
from django.utils.crypto import constant_time_compare

from annotator.services import audit
from scoring import storage
from scoring.model_directories.archive import open_model
from scoring.model_directories.seals import seal_of
from scoring.models import ModelVersion


def seal_model(*, model: ModelVersion) -> bool:
    """Seal a model whose files are those that its row names; return False where today's key did.

    One that only a fallback vouches for is sealed anew, so that the old key can go.

    Raises StoredFileDamaged when a file is missing or was changed.
    """
    if constant_time_compare(model.seal, seal_of(model)):
        return False
    for entry in open_model(storage.models_directory() / model.directory, model.manifest_sha256):
        entry.file.close()
    with transaction.atomic():
        model.seal = seal_of(model)
        model.save(update_fields=["seal"])
        audit.record(
            campaign=model.run.dataset_version.dataset.campaign,
            action="model.sealed",
            object_type="model_version",
            object_id=model.pk,
            details={"manifest_sha256": model.manifest_sha256},
        )
    return True
