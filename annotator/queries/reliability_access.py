"""Who reads the reliability of a campaign, and from whom it is withheld while it is open."""

from dataclasses import dataclass

from annotator.models import Assignment, Campaign, Role, User
from annotator.queries.access import roles_of


@dataclass(frozen=True, slots=True)
class Reader:
    """A person who may read the figures; withheld from who could subtract their own part."""

    is_admin: bool
    is_withheld: bool


def reader_of(campaign: Campaign, user: User) -> Reader | None:
    """Return how the person reads the figures, None when their roles do not open them.

    Who rates in the campaign, or did, knows their own scores: with two annotators the rest is the
    other one's. They read nothing before the campaign is closed.
    """
    roles = roles_of(user, campaign)
    if not roles & {Role.ADMIN, Role.RESEARCHER}:
        return None
    is_withheld = campaign.is_open and (
        Role.ANNOTATOR in roles
        or Assignment.objects.filter(campaign=campaign, annotator=user).exists()
    )
    return Reader(Role.ADMIN in roles, is_withheld)
