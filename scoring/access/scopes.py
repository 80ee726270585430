"""Which dataset versions a person may see, what of them beyond the card, and what may leave."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from django.db.models import Count, Q, QuerySet
from django.http import Http404

from annotator.access.scopes import campaigns_for, roles_of
from annotator.access.visibility import (
    judges_in,
    judges_meanwhile,
    reader_of,
    withheld_campaigns,
)
from annotator.models import Role, User
from core.errors import Forbidden
from patclaimeval.rubric import ALL_CRITERIA
from scoring import files as scoring_files
from scoring.formats import rows as formats_rows
from scoring.models import Dataset, DatasetVersion, TextPermission
from scoring.quadruplets import DatasetRow

MAY_READ = (Role.RESEARCHER, Role.ADMIN)
SPLITS = ("train", "validation", "test", "all")
# What an address holds between slashes: NAME or CAMPAIGN.NAME.
FULL_NAME: Final = r"(?:[A-Za-z0-9_-]+\.)?[A-Za-z0-9_-]+"
_VERSION: Final = re.compile(rf"({FULL_NAME})(?:@(\d{{1,9}}))?")


class NoSuchVersion(DatasetVersion.DoesNotExist):
    """There is no such version for who asks; what is shown is for them to read."""


class SeveralDatasets(NoSuchVersion):
    """Several datasets of this name are there for who asks; the sentence names them in full."""


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
    rows = DatasetVersion.objects.filter(dataset__in=datasets_for(user))
    return rows.select_related("dataset__campaign")


def measured_versions_for(user: User) -> QuerySet[DatasetVersion]:
    """Return the versions on which the person may measure, or read what was measured.

    What a training or a report shows follows from labels: none of an open campaign in which they
    rate.
    """
    withheld = withheld_campaigns(user)
    return versions_for(user).exclude(dataset__campaign__in=withheld)


def find_version(name: str, versions: QuerySet[DatasetVersion] | None = None) -> DatasetVersion:
    """Return a version by its dataset's name, in full or not, and @NUMBER; else the newest one.

    Names count among `versions` only. A name alone is that of the dataset of no campaign or of the
    campaign of this name; else it must be the only one. Raises NoSuchVersion, and SeveralDatasets
    where the full name is needed.
    """
    match = _VERSION.fullmatch(name)
    if match is None:
        raise NoSuchVersion(_NONE)
    rows = DatasetVersion.objects.all() if versions is None else versions
    rows = _of_dataset(match[1], rows.select_related("dataset__campaign"))
    if match[2]:
        rows = rows.filter(number=int(match[2]))
    found = rows.order_by("-number").first()
    if found is None:
        raise NoSuchVersion(_NONE)
    return found


def version_or_404(user: User, name: str, number: int) -> DatasetVersion:
    """Return a version that the person may see, as an address names it."""
    try:
        return find_version(f"{name}@{number}", versions_for(user))
    except NoSuchVersion as error:
        raise Http404(str(error)) from error


def doubled_names(versions: QuerySet[DatasetVersion]) -> set[str]:
    """Return the names that several datasets of these versions have."""
    rows = versions.order_by().values_list("dataset__name")
    several = rows.annotate(datasets=Count("dataset", distinct=True)).filter(datasets__gt=1)
    return {name for name, _ in several}


_NONE: Final = "There is no such dataset; give NAME or NAME@VERSION."


def _of_dataset(name: str, rows: QuerySet[DatasetVersion]) -> QuerySet[DatasetVersion]:
    campaign, has_campaign, own_name = name.rpartition(".")
    rows = rows.filter(dataset__name=own_name)
    if has_campaign:
        return rows.filter(dataset__campaign__slug=campaign)
    found = rows.order_by().values_list("dataset", "dataset__campaign__slug").distinct()
    by_slug = {slug: pk for pk, slug in found}
    if len(by_slug) < 2:
        return rows
    first = [by_slug[slug] for slug in (None, name) if slug in by_slug]
    if len(first) != 1:
        names = ", ".join(sorted(f"{slug}.{name}" for slug in by_slug if slug is not None))
        raise SeveralDatasets(f"There are several datasets {name}; say which one: {names}.")
    return rows.filter(dataset=first[0])


def ordered_labels(version: DatasetVersion) -> dict[str, dict[str, int]]:
    """Return the card's label counts by criterion, in the rubric's order, as B, equal, C.

    PostgreSQL stores JSON objects without the order of their keys.
    """
    counts = version.card["labels"]
    return {
        criterion: {label: counts[criterion][label] for label in ("1", "0", "-1")}
        for criterion in ALL_CRITERIA
        if criterion in counts
    }


def has_role(user: User, version: DatasetVersion, role: Role) -> bool:
    """Return whether the user has a role in the version's campaign; in any, where it has none."""
    campaigns = campaigns_for(user, [role])
    campaign = version.dataset.campaign
    return campaigns.exists() if campaign is None else campaigns.filter(pk=campaign.pk).exists()


def is_researcher(user: User, version: DatasetVersion) -> bool:
    """Return whether the user may start work on the version."""
    return has_role(user, version, Role.RESEARCHER)


def read_rows(version: DatasetVersion) -> Iterator[DatasetRow]:
    """Give the rows of a version one by one; the digest of its file is looked at first, now.

    Raises StoredFileDamaged when the file is missing or another one now.
    """
    return formats_rows.read(scoring_files.open_dataset(version.sha256))


def labelled_rows(version: DatasetVersion, criterion: str) -> list[LabelledRow]:
    """Return the quadruplets of a version that have a label for the criterion, in their order.

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


@dataclass(frozen=True, slots=True)
class VersionReader:
    """How a person reads a version.

    `is_withheld`: they rate in its open campaign, and labels would reveal what the others gave.
    `tells_ids`: ids of references and candidates, which may reveal the system. `tells_ratings`:
    what single ratings and rulings hold. `reads_texts`: the claims; those of a campaign only who
    is its admin or was permitted by one. Files and names of people are for admins.
    """

    is_admin: bool
    is_withheld: bool
    tells_ids: bool
    tells_ratings: bool
    reads_texts: bool


def version_reader(user: User, version: DatasetVersion) -> VersionReader:
    """Return how the person reads a version that is in their scope."""
    campaign = version.dataset.campaign
    if campaign is None:
        return VersionReader(Role.ADMIN in roles_of(user), False, True, False, True)
    reader = reader_of(campaign, user)
    is_admin = reader is not None and reader.is_admin
    is_shown = is_admin or not campaign.is_open
    is_withheld = reader is None or reader.is_withheld
    reads_texts = not is_withheld and (
        is_admin or TextPermission.objects.filter(version=version, person=user).exists()
    )
    return VersionReader(is_admin, is_withheld, is_shown, is_shown, reads_texts)


def judges_on(user: User, version: DatasetVersion) -> bool:
    """Return whether what scorers say of single items must not sway the person yet.

    They rate or adjudicate in the version's open campaign; in any, where the version has none:
    its claims may be of any of them.
    """
    campaign = version.dataset.campaign
    return judges_meanwhile(user) if campaign is None else judges_in(campaign, user)


ONLY_ADMINS: Final = "Only admins of the campaign download claim texts."
WITHHELD: Final = (
    "You rate in this open campaign: labels would tell you what others gave. Ask again once it is "
    "closed."
)


def may_export(reader: VersionReader) -> bool:
    """Return whether the rows of a version are for this reader."""
    return reader.is_admin and not reader.is_withheld


def exporter(user: User, version: DatasetVersion) -> VersionReader:
    """Return a reader who may export the rows of a version; raise Forbidden for any other."""
    reader = version_reader(user, version)
    if not reader.is_admin:
        raise Forbidden(ONLY_ADMINS)
    return card_reader(user, version)


def card_reader(user: User, version: DatasetVersion) -> VersionReader:
    """Return a reader who may have the card of a version; raise Forbidden for any other."""
    reader = version_reader(user, version)
    if reader.is_withheld:
        raise Forbidden(WITHHELD)
    return reader


SMALLEST_SEED, LARGEST_SEED = 0, 2**32 - 1
