"""Roles that groups at a provider give: the table that site admins edit, and what comes of it.

An admin of the campaign agrees to each group whose role reads claim texts, once for the group:
who is in it, the provider decides from then on.
"""

from collections.abc import Collection
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from annotator import audit_log
from annotator.campaigns.members.pending import ANSWERED, agree_to_role, refuse_role
from annotator.campaigns.members.services import (
    READING_ROLES,
    grant_role,
    is_admin_of,
    revoke_role,
)
from annotator.models import (
    Campaign,
    GroupGrant,
    GroupRole,
    Identity,
    Membership,
    PendingRole,
    Role,
    User,
)
from core.clock import database_now
from core.errors import OutOfDate, Refused


@transaction.atomic
def add_group_role(
    *, issuer: str, group: str, campaign: Campaign, role: str, by: User
) -> GroupRole:
    """Have a group give a role in a campaign, from the next sign-in or refresh on.

    A role that reads claim texts waits until an admin of the campaign has agreed, unless it is an
    admin of the campaign who adds the group.
    """
    if role not in Role.values:
        raise Refused.at("role", f"Roles are {', '.join(Role.values)}.")
    key = {"issuer": issuer, "group": group, "campaign": campaign, "role": role}
    counts = role not in READING_ROLES or is_admin_of(by, campaign)
    agreed = {"agreed_by": by, "agreed_at": database_now()} if counts else {}
    try:
        with transaction.atomic():
            row = GroupRole.objects.create(**key, made_by=by, **agreed)
    except IntegrityError as error:
        raise Refused.at("group", "This group gives this role there already.") from error
    audit_log.record_on(row, "group_role.added", by, role=role, group=group)
    return row


@transaction.atomic
def remove_group_role(*, rule_id: UUID, by: User) -> tuple[int, int]:
    """Have a group give a role no longer: those whom it gave it lose it now.

    Returns how many lost it, and how many hold it on, as the last admin of their campaign.
    OutOfDate where the row has gone already.
    """
    rows = GroupRole.objects.select_for_update(no_key=True, of=("self",))
    row = rows.filter(pk=rule_id).first()
    if row is None:
        raise OutOfDate("This group gives no such role any more.")
    held = list(_grants().filter(rule=row, membership__isnull=False))
    stayed = [_take(grant, by) for grant in held].count(False)
    left = Membership.objects.filter(pk__in=[grant.membership_id for grant in held]).count()
    audit_log.record_on(row, "group_role.removed", by, role=row.role, group=row.group)
    row.delete()
    return len(held) - left, stayed


@transaction.atomic
def agree_to_group(*, campaign: Campaign, rule_id: UUID, by: User) -> GroupRole:
    """Let a group give its role from now on; OutOfDate where that was answered already."""
    row = _lock_pending_group(campaign, rule_id, by)
    row.agreed_by, row.agreed_at = by, database_now()
    row.save(update_fields=["agreed_by", "agreed_at"])
    audit_log.record_on(row, "group_role.agreed", by, role=row.role, group=row.group)
    return row


@transaction.atomic
def refuse_group(*, campaign: Campaign, rule_id: UUID, by: User) -> GroupRole:
    """Remove a group that waits, with what it gave before; OutOfDate where it was answered."""
    row = _lock_pending_group(campaign, rule_id, by)
    remove_group_role(rule_id=row.pk, by=by)
    return row


def _lock_pending_group(campaign: Campaign, rule_id: UUID, by: User) -> GroupRole:
    # The group before the campaign, as when a site admin removes it.
    rows = GroupRole.objects.select_for_update(no_key=True, of=("self",))
    row = rows.filter(pk=rule_id, campaign=campaign, agreed_at=None).first()
    locked = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    if row is None or not is_admin_of(by, locked):
        raise OutOfDate(ANSWERED)
    return row


def answer_pending_grant(*, campaign: Campaign, pending_id: UUID, is_agreed: bool, by: User) -> str:
    """Agree to a role that waits for an admin of the campaign, or refuse it; return a sentence.

    OutOfDate where somebody has answered already.
    """
    if GroupRole.objects.filter(pk=pending_id, campaign=campaign).exists():
        answer_group = agree_to_group if is_agreed else refuse_group
        rule = answer_group(campaign=campaign, rule_id=pending_id, by=by)
        if is_agreed:
            return f"{rule.group} gives the role {rule.role} from the next sign-in on."
        return f"Refused: {rule.group} gives no role in {campaign.name}."
    answer_role = agree_to_role if is_agreed else refuse_role
    row: PendingRole = answer_role(campaign=campaign, pending_id=pending_id, by=by)
    if is_agreed:
        return f"{row.user.username} is {row.role} of {campaign.name}."
    return f"Refused: {row.user.username} is no {row.role} of {campaign.name}."


@transaction.atomic
def give_group_roles(*, identity: Identity, groups: Collection[str]) -> None:
    """Give a person the roles of their groups, and take those of the groups they have left.

    Each role is given once: what a campaign's admin takes stays taken while the group stays, and
    what somebody has by hand is theirs whatever the groups are. A group that waits for an admin of
    the campaign gives nothing, and takes nothing that it gave before.
    """
    # The person's row, so that two sign-ins at one moment do not give twice.
    assert identity.user_id is not None
    user = User.objects.select_for_update(no_key=True).get(pk=identity.user_id)
    rules = GroupRole.objects.filter(issuer=identity.issuer, group__in=list(groups))
    held = {one.rule_id: one for one in _grants().filter(user=user, rule__issuer=identity.issuer)}
    wanted = {rule.pk: rule for rule in rules.select_related("campaign")}
    for pk, rule in wanted.items():
        is_agreed = rule.agreed_at is not None or rule.role not in READING_ROLES
        if pk not in held and is_agreed:
            _give(rule, user)
    for pk, grant in held.items():
        if pk not in wanted and _take(grant, None):
            grant.delete()


def _grants() -> QuerySet[GroupGrant]:
    joined = ("user", "rule__campaign", "membership")
    return GroupGrant.objects.select_related(*joined).order_by("pk")


def _give(rule: GroupRole, user: User) -> None:
    campaign, role = rule.campaign, rule.role
    is_new = not Membership.objects.filter(user=user, campaign=campaign, role=role).exists()
    membership = grant_role(user=user, campaign=campaign, role=role, group=rule.group)
    GroupGrant.objects.create(rule=rule, user=user, membership=membership if is_new else None)


def _take(grant: GroupGrant, by: User | None) -> bool:
    """Take the role that came of a grant, unless another group gives it; return whether gone."""
    if grant.membership is None:
        return True
    key = {"rule__campaign": grant.rule.campaign, "rule__role": grant.rule.role}
    others = GroupGrant.objects.filter(user=grant.user, membership=None, **key)
    if other := others.exclude(pk=grant.pk).first():
        membership = grant.membership
        GroupGrant.objects.filter(pk=grant.pk).update(membership=None)
        GroupGrant.objects.filter(pk=other.pk).update(membership=membership)
        return True
    try:
        with transaction.atomic():
            revoke_role(
                user=grant.user,
                campaign=grant.rule.campaign,
                role=grant.rule.role,
                revoked_by=by,
                group=grant.rule.group,
            )
    except OutOfDate:  # the last admin of the campaign
        return False
    return True
