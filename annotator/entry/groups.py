"""Roles that groups at a provider give: the table that site admins edit, and what comes of it."""

from collections.abc import Collection
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from annotator import audit_log
from annotator.campaigns.members.services import grant_role, revoke_role
from annotator.models import Campaign, GroupGrant, GroupRole, Identity, Membership, Role, User
from core.errors import OutOfDate, Refused


@transaction.atomic
def add_group_role(
    *, issuer: str, group: str, campaign: Campaign, role: str, by: User
) -> GroupRole:
    """Have a group give a role in a campaign, from the next sign-in or refresh on."""
    if role not in Role.values:
        raise Refused.at("role", f"Roles are {', '.join(Role.values)}.")
    key = {"issuer": issuer, "group": group, "campaign": campaign, "role": role}
    try:
        with transaction.atomic():
            row = GroupRole.objects.create(**key, made_by=by)
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
def give_group_roles(*, identity: Identity, groups: Collection[str]) -> None:
    """Give a person the roles of their groups, and take those of the groups they have left.

    Each role is given once: what a campaign's admin takes stays taken while the group stays, and
    what somebody has by hand is theirs whatever the groups are.
    """
    # The person's row, so that two sign-ins at one moment do not give twice.
    assert identity.user_id is not None
    user = User.objects.select_for_update(no_key=True).get(pk=identity.user_id)
    rules = GroupRole.objects.filter(issuer=identity.issuer, group__in=list(groups))
    held = {one.rule_id: one for one in _grants().filter(user=user, rule__issuer=identity.issuer)}
    wanted = {rule.pk: rule for rule in rules.select_related("campaign")}
    for pk, rule in wanted.items():
        if pk not in held:
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
