"""Dataset versions as commands name them."""

from typing import Any

from annotator.refusals import Refused
from scoring.models import Dataset, DatasetVersion
from scoring.queries.datasets import find_version, ordered_labels
from scoring.services.dataset_versions import Frozen


def version_or_refuse(name: str) -> DatasetVersion:
    """Return NAME or NAME@VERSION, or refuse in one line that lists what there is."""
    try:
        return find_version(name)
    except DatasetVersion.DoesNotExist as error:
        known = ", ".join(Dataset.objects.values_list("name", flat=True)[:20]) or "none yet"
        raise Refused(f"There is no dataset {name!r}. Datasets: {known}.") from error


def frozen_document(frozen: Frozen) -> dict[str, Any]:
    """Return what a freeze or an import prints."""
    version = frozen.version
    return {
        "dataset": version.dataset.name,
        "version": version.number,
        "sha256": version.sha256,
        "items": version.items,
        "labels": ordered_labels(version),
        "splits": version.card["splits"],
        "left_out": version.card.get("left_out", {}),
    }
