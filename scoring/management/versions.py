"""Dataset versions as commands name them."""

from annotator.refusals import Refused
from scoring.models import Dataset, DatasetVersion
from scoring.queries.datasets import find_version


def version_or_refuse(name: str) -> DatasetVersion:
    """Return NAME or NAME@VERSION, or refuse in one line that lists what there is."""
    try:
        return find_version(name)
    except DatasetVersion.DoesNotExist as error:
        known = ", ".join(Dataset.objects.values_list("name", flat=True)[:20]) or "none yet"
        raise Refused(f"There is no dataset {name!r}. Datasets: {known}.") from error
