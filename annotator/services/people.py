"""Writes about people: accounts, roles, tokens."""

from django.db import transaction

from annotator.models import (
    Assignment,
    AssignmentStatus,
    Campaign,
    Membership,
    Role,
    User,
)
from annotator.refusals import OutOfDate, Refused
from annotator.services import audit
from annotator.services.accounts import withdraw_invitations
from annotator.services.places import free_place
from annotator.services.qualification import fit_qualification, give_qualification


@transaction.atomic
def grant_role(
    *, user: User, campaign: Campaign, role: str, granted_by: User | None = None
) -> Membership:
    """Give a user a role in a campaign; giving it again changes nothing.

    A new annotator of an open campaign gets what is for qualification, by name.
    """
    if role not in Role.values:
        raise Refused(f"{role} is no role; roles are {', '.join(Role.values)}.")
    membership, is_new = Membership.objects.get_or_create(user=user, campaign=campaign, role=role)
    if is_new:
        audit.record(
            actor=granted_by,
            campaign=campaign,
            action="role.granted",
            object_type="user",
            object_id=user.pk,
            details={"role": role},
        )
        if role == Role.ANNOTATOR and campaign.is_open:
            fit_qualification(campaign)
            give_qualification(campaign=campaign, annotator=user)
    return membership


@transaction.atomic
def revoke_role(*, user: User, campaign: Campaign, role: str, revoked_by: User) -> None:
    """Take a role from a user; what an annotator has open goes back, what they rated stays.

    Raises OutOfDate when they do not have it, or are the last admin of the campaign.
    """
    # The campaign's row, so that two admins cannot each revoke the other at one moment.
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    rows = Membership.objects.filter(campaign=campaign, role=role)
    if not rows.filter(user=user).exists():
        raise OutOfDate(f"{user.username} is no {role} of this campaign.")
    if role == Role.ADMIN and not rows.exclude(user=user).exists():
        raise OutOfDate("A campaign keeps at least one admin; name another one first.")
    rows.filter(user=user).delete()
    if role == Role.ADMIN:
        withdraw_invitations(invited_by=user, by=revoked_by, campaign=campaign)
    if role == Role.ANNOTATOR:
        _give_back(user, campaign)
        fit_qualification(campaign)
    audit.record(
        actor=revoked_by,
        campaign=campaign,
        action="role.revoked",
        object_type="user",
        object_id=user.pk,
        details={"role": role},
    )


def _give_back(user: User, campaign: Campaign) -> None:
    opened = Assignment.objects.filter(
        annotator=user, campaign=campaign, status=AssignmentStatus.OPEN
    )
    for pk, candidate_id in list(opened.values_list("pk", "candidate_id")):
        if opened.filter(pk=pk).update(status=AssignmentStatus.LAPSED):
            free_place(candidate_id)
