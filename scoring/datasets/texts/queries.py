"""Who may read the claim texts of versions, who could be allowed to, and what revoking ends."""

from django.db.models import QuerySet
from django.shortcuts import resolve_url

from annotator.access.scopes import campaigns_for, members_of
from annotator.models import Membership, Role, User
from core.confirmation import Confirmation
from scoring.models import DatasetVersion, TextPermission


def permissions_for(user: User) -> QuerySet[TextPermission]:
    """Return the permissions for versions of the campaigns of which the user is admin."""
    rows = TextPermission.objects.filter(
        version__dataset__campaign__in=campaigns_for(user, [Role.ADMIN])
    )
    return rows.select_related("version__dataset__campaign", "person", "granted_by")


def about_revoking(permission: TextPermission) -> Confirmation:
    """Return what is asked before a permission is revoked."""
    dataset, person = permission.version.dataset, permission.person.username
    version = resolve_url("scoring:dataset_version", dataset.full_name, permission.version.number)
    return Confirmation(
        question=f"Revoke the permission of {person}?",
        count="1 permission",
        effect=f"ends at once: {person} reads the claim texts of {permission.version} no more.",
        undo="You can permit it again at any time, with a reason.",
        act="Revoke it",
        leave="Leave it",
        back=f"{version}#texts",
    )


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
