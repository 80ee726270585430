"""Roles given from outside a campaign: an admin of the campaign agrees to each or refuses it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import transaction

from annotator import audit_log
from annotator.accounts.providers import provider_of
from annotator.campaigns.members.services import grant_role, is_admin_of
from annotator.models import Campaign, GroupRole, Membership, PendingRole, Role, User
from core.errors import OutOfDate

ANSWERED: Final = "Another admin has answered this already, or it was withdrawn."


@dataclass(frozen=True, slots=True)
class PendingGrant:
    """A role that waits for an admin: of one person, or of everybody in a provider's group."""

    id: UUID
    username: str | None
    group: str | None
    provider: str | None
    role: str
    given_by: str | None
    given_at: datetime
    # How many have the role by the group already, from before groups had to be agreed to.
    people: int = 0


def pending_grants(campaign: Campaign) -> tuple[PendingGrant, ...]:
    """Return the roles of a campaign that wait for one of its admins, the oldest first."""
    people = campaign.pending_roles.select_related("user", "given_by")
    groups = GroupRole.objects.filter(campaign=campaign, agreed_at=None).exclude(role=Role.READER)
    found = [_of_person(row) for row in people]
    found += [_of_group(row) for row in groups.select_related("made_by")]
    return tuple(sorted(found, key=lambda one: one.given_at))


def _of_person(row: PendingRole) -> PendingGrant:
    by = row.given_by.username if row.given_by else None
    return PendingGrant(row.pk, row.user.username, None, None, row.role, by, row.given_at)


def _of_group(row: GroupRole) -> PendingGrant:
    provider = provider_of(row.issuer)
    return PendingGrant(
        id=row.pk,
        username=None,
        group=row.group,
        provider=provider.label if provider else row.issuer,
        role=row.role,
        given_by=row.made_by.username if row.made_by else None,
        given_at=row.made_at,
        people=Membership.objects.filter(by_group__rule=row).count(),
    )


def count_pending_grants(admin: User) -> dict[tuple[str, str], int]:
    """Return how many roles wait, by short name and name of each campaign of an admin."""
    own = Membership.objects.filter(user=admin, role=Role.ADMIN).values("campaign")
    found: dict[tuple[str, str], int] = {}
    rows = [
        *PendingRole.objects.filter(campaign__in=own).values_list(
            "campaign__slug", "campaign__name"
        ),
        *GroupRole.objects.filter(campaign__in=own, agreed_at=None)
        .exclude(role=Role.READER)
        .values_list("campaign__slug", "campaign__name"),
    ]
    for key in rows:
        found[key] = found.get(key, 0) + 1
    return found


def waits_for_agreement(user: User, campaign: Campaign, role: str) -> bool:
    """Return whether a person has a role there that no admin has agreed to yet."""
    return PendingRole.objects.filter(user=user, campaign=campaign, role=role).exists()


@transaction.atomic
def agree_to_role(*, campaign: Campaign, pending_id: UUID, by: User) -> PendingRole:
    """Turn a pending role into a membership; OutOfDate where it has been answered already."""
    row = _lock_pending_role(campaign, pending_id, by)
    grant_role(user=row.user, campaign=row.campaign, role=row.role, granted_by=by)
    return row


@transaction.atomic
def refuse_role(*, campaign: Campaign, pending_id: UUID, by: User) -> PendingRole:
    """Delete a pending role; OutOfDate where it has been answered already."""
    row = _lock_pending_role(campaign, pending_id, by)
    audit_log.record_on(row.user, "role.refused", by, campaign, role=row.role)
    PendingRole.objects.filter(pk=row.pk).delete()
    return row


def _lock_pending_role(campaign: Campaign, pending_id: UUID, by: User) -> PendingRole:
    # The campaign's row, so that an admin who loses the role at this moment agrees to nothing.
    locked = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    row = locked.pending_roles.select_related("user", "campaign").filter(pk=pending_id).first()
    if row is None or not is_admin_of(by, locked):
        raise OutOfDate(ANSWERED)
    return row
