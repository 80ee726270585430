"""Reads of datasets: which versions a person may see, and the rows of one."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from annotator.models import Role, User
from annotator.queries.access import campaigns_for, roles_of
from annotator.rubric import ALL_CRITERIA
from scoring import storage
from scoring.formats import stored_rows
from scoring.formats.rows import DatasetRow
from scoring.models import Dataset, DatasetVersion

MAY_READ = (Role.RESEARCHER, Role.ADMIN)
SPLITS = ("train", "validation", "test", "all")


@dataclass(frozen=True, slots=True)
class LabelledRow:
    """A quadruplet with its label for one criterion."""

    id: str
    reference_id: str
    reference: str
    b: str
    c: str
    y: int
    split: str


def datasets_for(user: User) -> QuerySet[Dataset]:
    """Return the datasets of the user's campaigns, and those of no campaign for any researcher."""
    scope = Q(campaign__in=campaigns_for(user, MAY_READ))
    if roles_of(user) & set(MAY_READ):
        scope |= Q(campaign__isnull=True)
    return Dataset.objects.filter(scope)


def versions_for(user: User) -> QuerySet[DatasetVersion]:
    return DatasetVersion.objects.filter(dataset__in=datasets_for(user)).select_related("dataset")


def find_version(name: str, versions: QuerySet[DatasetVersion] | None = None) -> DatasetVersion:
    """Return NAME@NUMBER, or the newest version of NAME; raise DatasetVersion.DoesNotExist."""
    match = re.fullmatch(r"([A-Za-z0-9_-]+)(?:@(\d{1,9}))?", name)
    if match is None:
        raise DatasetVersion.DoesNotExist
    rows = DatasetVersion.objects.all() if versions is None else versions
    rows = rows.select_related("dataset").filter(dataset__name=match[1])
    if match[2]:
        rows = rows.filter(number=int(match[2]))
    found = rows.order_by("-number").first()
    if found is None:
        raise DatasetVersion.DoesNotExist
    return found


def ordered_labels(version: DatasetVersion) -> dict[str, dict[str, int]]:
    """Return the card's label counts by criterion, in the rubric's order, as B, equal, C.

    PostgreSQL keeps JSON objects without the order of their keys.
    """
    counts = version.card["labels"]
    return {
        criterion: {label: counts[criterion][label] for label in ("1", "0", "-1")}
        for criterion in ALL_CRITERIA
        if criterion in counts
    }


def is_researcher(user: User, version: DatasetVersion) -> bool:
    """Say whether the user may start work on the version: a researcher of its campaign, or any."""
    campaigns = campaigns_for(user, [Role.RESEARCHER])
    campaign = version.dataset.campaign
    return campaigns.exists() if campaign is None else campaigns.filter(pk=campaign.pk).exists()


def read_rows(version: DatasetVersion) -> Iterator[DatasetRow]:
    """Give the rows of a version one by one; the digest of its file is looked at first, now.

    Raises StoredFileDamaged when the file is missing or another one now.
    """
    return stored_rows.read(storage.open_dataset(version.sha256))


def labelled_rows(version: DatasetVersion, criterion: str) -> list[LabelledRow]:
    """Return the quadruplets of a version that carry a label for the criterion, in their order.

    Raises StoredFileDamaged when the stored file is missing or changed.
    """
    return [
        LabelledRow(
            id=row.id,
            reference_id=row.reference_id,
            reference=row.reference,
            b=row.b,
            c=row.c,
            y=row.y[criterion],
            split=row.split,
        )
        for row in read_rows(version)
        if criterion in row.y
    ]
