"""Dataset versions as commands name them."""

from typing import Any

from annotator.refusals import Refused
from scoring.cards.version_card import withheld_text
from scoring.models import Dataset, DatasetVersion
from scoring.queries.datasets import NoSuchVersion, SeveralDatasets, find_version, ordered_labels
from scoring.services.dataset_versions import Frozen


def version_or_refuse(name: str) -> DatasetVersion:
    """Return NAME or NAME@VERSION, or refuse in one line that lists what there is."""
    try:
        return find_version(name)
    except SeveralDatasets as error:
        raise Refused(str(error)) from error
    except NoSuchVersion as error:
        some = Dataset.objects.select_related("campaign").order_by("name", "campaign__slug")[:20]
        known = ", ".join(row.full_name for row in some) or "none yet"
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
        "withheld": withheld_text(version.card),
        "left_out": version.card.get("left_out", {}),
    }
