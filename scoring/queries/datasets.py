"""Reads of datasets: which versions a person may see, and the rows of one."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from annotator.models import Role, User
from annotator.queries.access import campaigns_for, roles_of
from scoring import storage
from scoring.models import Dataset, DatasetVersion

MAY_READ = (Role.RESEARCHER, Role.ADMIN)


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
    return DatasetVersion.objects.filter(dataset__in=datasets_for(user)).select_related(
        "dataset"
    )


def find_version(
    name: str, versions: QuerySet[DatasetVersion] | None = None
) -> DatasetVersion:
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
