"""Who takes part in a campaign as what, for its admins."""

from dataclasses import dataclass

from annotator.models import Campaign, Membership, Role, User


@dataclass(frozen=True, slots=True)
class Member:
    """One person with their roles in one campaign."""

    username: str
    is_active: bool
    roles: tuple[str, ...]


def members_of(campaign: Campaign) -> tuple[Member, ...]:
    """Return the members of a campaign by name, each with all their roles."""
    people: dict[tuple[str, bool], list[str]] = {}
    rows = Membership.objects.filter(campaign=campaign).order_by("user__username", "role")
    for username, is_active, role in rows.values_list("user__username", "user__is_active", "role"):
        people.setdefault((username, is_active), []).append(role)
    return tuple(Member(*person, tuple(roles)) for person, roles in people.items())


def annotator_membership(campaign: Campaign, annotator: User) -> Membership:
    """Return an annotator's membership of a campaign; Membership.DoesNotExist without one."""
    return Membership.objects.get(campaign=campaign, user=annotator, role=Role.ANNOTATOR)
