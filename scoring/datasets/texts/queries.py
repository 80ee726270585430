"""Reads of who may read the claim texts of versions, and who could be allowed to."""

from django.db.models import QuerySet

from annotator.access.scopes import campaigns_for, members_of
from annotator.models import Membership, Role, User
from scoring.models import DatasetVersion, TextPermission


def permissions_for(user: User) -> QuerySet[TextPermission]:
    """Return the permissions for versions of the campaigns of which the user is admin."""
    rows = TextPermission.objects.filter(
        version__dataset__campaign__in=campaigns_for(user, [Role.ADMIN])
    )
    return rows.select_related("version__dataset__campaign", "person", "granted_by")


def possible_readers(version: DatasetVersion) -> QuerySet[User]:
    """Return the researchers of a version's campaign who may not read its texts yet, by name.

    Its admins may by their role.
    """
    members = Membership.objects.filter(campaign=version.dataset.campaign)
    researchers = members.filter(role=Role.RESEARCHER).values("user")
    may_already = TextPermission.objects.filter(version=version).values("person")
    rows = User.objects.filter(pk__in=researchers, is_active=True).exclude(pk__in=may_already)
    admins = members.filter(role=Role.ADMIN).values("user")
    return rows.exclude(pk__in=admins).order_by("username")


def whom_to_ask(version: DatasetVersion) -> list[str]:
    """Return the names of the admins of a version's campaign; none where there is no campaign."""
    campaign = version.dataset.campaign
    if campaign is None:
        return []
    members = members_of(campaign)
    return [one.username for one in members if one.is_active and Role.ADMIN in one.roles]
