"""What leaves of a model version, each time noted in the audit trail: a tar, or a directory."""

from hashlib import file_digest
from pathlib import Path
from typing import Final

from annotator import audit_log
from annotator.models import User
from core.errors import Refused
from patclaimeval.files import flush_file
from patclaimeval.models.errors import PatClaimEvalError
from scoring.access.downloads import Export
from scoring.files import SUMS_NAME, StoredFileDamaged, new_directory, sums
from scoring.models import ModelVersion
from scoring.training.model_versions.files import (
    BROKEN,
    directory_of,
    is_sealed,
    open_model,
    tar_pieces,
)

DOWNLOAD: Final = "directory"
PLAIN: Final = "transformers"


def model_archive(*, model: ModelVersion, exported_by: User | None = None) -> Export:
    """Check every file of the model's directory, note who takes it, and give it as a tar.

    Raises StoredFileDamaged before the first byte leaves.
    """
    if not is_sealed(model):
        raise StoredFileDamaged(BROKEN)
    files = open_model(directory_of(model), model.manifest_sha256)
    name = archive_name(model)
    _record(model, DOWNLOAD, exported_by)
    return Export(f"{name}.tar", "application/x-tar", tar_pieces(name, files))


def export_model(*, model: ModelVersion, directory: Path, exported_by: User | None = None) -> int:
    """Write a fine-tuned model for plain transformers; return how many files there are.

    The directory has its name once everything is in it. Raises Refused where something stands
    there already, where the model is no fine-tuned one or was changed, or where nothing can be
    written. For commands: it loads torch.
    """
    from patclaimeval.models.plain_export import write_plain

    if not is_sealed(model):
        raise StoredFileDamaged(BROKEN)
    if directory.exists():
        raise Refused(f"{directory} is there already; name a directory that is not.")
    try:
        with new_directory(directory) as aside:
            write_plain(directory_of(model), aside, model.manifest_sha256)
            digests = {path.name: _flushed_digest(path) for path in sorted(aside.iterdir())}
            (aside / SUMS_NAME).write_bytes(sums(digests))
            _flushed_digest(aside / SUMS_NAME)
            _record(model, PLAIN, exported_by)
    except PatClaimEvalError as error:
        raise Refused(str(error)) from error
    except OSError as error:
        raise Refused(f"Cannot write the model to {directory}: {error.strerror}.") from error
    return len(digests) + 1


def archive_name(model: ModelVersion) -> str:
    """Name what leaves of a model by its criterion, its dataset and the digest of its manifest."""
    version = model.run.dataset_version
    made_of = f"{version.dataset.name}-{version.number}-{model.criterion}"
    return f"patclaimeval-{made_of}-{model.manifest_sha256[:12]}"


def _flushed_digest(path: Path) -> str:
    """Flush a file to disk and return its digest."""
    with path.open("rb") as file:
        flush_file(file)
        return file_digest(file, "sha256").hexdigest()


def _record(model: ModelVersion, what: str, user: User | None) -> None:
    """Note that the weights leave; before they do, so that no way is around it."""
    version = model.run.dataset_version
    audit_log.record(
        actor=user,
        campaign=version.dataset.campaign,
        action="model.exported",
        object_type="model_version",
        object_id=model.pk,
        details={
            "dataset": str(version),
            "criterion": model.criterion,
            "manifest_sha256": model.manifest_sha256,
            "as": what,
        },
    )
