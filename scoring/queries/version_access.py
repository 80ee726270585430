"""What a person may read of a dataset version beyond its card."""

from dataclasses import dataclass

from annotator.models import Campaign, Role, Shown, User
from annotator.queries.access import roles_of
from annotator.queries.annotator_names import LEAST_TOLD_APART, Names, pseudonyms, user_names
from annotator.queries.reliability_access import reader_of
from annotator.queries.settled_candidate import raters_of
from annotator.queries.unblindings import is_unblinded
from scoring.models import DatasetVersion


@dataclass(frozen=True, slots=True)
class VersionReader:
    """How a person reads a version.

    `is_withheld`: they rate in its open campaign, and labels would tell what the others gave.
    `tells_ids`: ids of references and candidates, which may tell the system. `tells_ratings`:
    what single ratings and rulings say. Texts, files and names of people are for admins.
    """

    is_admin: bool
    is_withheld: bool
    tells_ids: bool
    tells_ratings: bool


def version_reader(user: User, version: DatasetVersion) -> VersionReader:
    """Return how the person reads a version that is in their scope."""
    campaign = version.dataset.campaign
    if campaign is None:
        return VersionReader(Role.ADMIN in roles_of(user), False, True, False)
    reader = reader_of(campaign, user)
    is_admin = reader is not None and reader.is_admin
    is_told = is_admin or not campaign.is_open
    return VersionReader(is_admin, reader is None or reader.is_withheld, is_told, is_told)


def names_for(user: User, campaign: Campaign, key: object, *, is_admin: bool) -> Names:
    """Return how annotators are called, by user id.

    Admins: the pseudonyms of the campaign's pages, or user names once they were shown. Others:
    pseudonyms of this one place, and none where so few are told apart.
    """
    ids = raters_of(campaign)
    if not is_admin:
        return pseudonyms(ids, key) if len(ids) >= LEAST_TOLD_APART else {}
    if is_unblinded(campaign, user, Shown.NAMES):
        return user_names(ids)
    return pseudonyms(ids, campaign.pk)
