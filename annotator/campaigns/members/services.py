"""Roles granted and revoked, and invitations made and accepted."""

import secrets
from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from annotator import audit_log
from annotator.accounts.services import create_user, withdraw_invitations
from annotator.accounts.sessions import token_digest
from annotator.assignments.services import free_places
from annotator.models import (
    Assignment,
    AssignmentStatus,
    Campaign,
    GroupGrant,
    Invitation,
    Membership,
    PendingRole,
    Role,
    User,
)
from annotator.outgoing.queue import queue_mail
from annotator.planning.services import fit_qualification, give_qualification
from annotator.rate_limits import RateLimit, refuse_haste
from core.clock import database_now
from core.errors import OutOfDate, Refused

# A researcher reads texts once an admin permits it, and trains models that can repeat them.
READING_ROLES: Final = frozenset(Role.values) - {Role.READER.value}


@transaction.atomic
def grant_role(
    *,
    user: User,
    campaign: Campaign,
    role: str,
    granted_by: User | None = None,
    group: str = "",
) -> Membership:
    """Give a user a role in a campaign; giving it again changes nothing but by whom it is theirs.

    `group` names the one at a provider that gives it: what a person gives does not go with a group.
    A new annotator of an open campaign gets what is for qualification, by name.
    """
    if role not in Role.values:
        raise Refused(f"{role} is no role; roles are {', '.join(Role.values)}.")
    membership, is_new = Membership.objects.get_or_create(user=user, campaign=campaign, role=role)
    PendingRole.objects.filter(user=user, campaign=campaign, role=role).delete()
    if is_new:
        by_group = {"group": group} if group else {}
        audit_log.record_on(user, "role.granted", granted_by, campaign, role=role, **by_group)
        if role == Role.ANNOTATOR and campaign.is_open:
            fit_qualification(campaign)
            give_qualification(campaign=campaign, annotator=user)
    elif not group:
        GroupGrant.objects.filter(membership=membership).update(membership=None)
    return membership


def is_admin_of(user: User | None, campaign: Campaign) -> bool:
    """Return whether an active person is admin of the campaign."""
    if user is None or not user.is_active:
        return False
    return Membership.objects.filter(user=user, campaign=campaign, role=Role.ADMIN).exists()


def grant_or_suspend_role(*, user: User, campaign: Campaign, role: str, given_by: User) -> bool:
    """Grant a role, or store it until an admin of the campaign agrees; return whether it counts.

    A role that reads claim texts counts at once only where an admin of the campaign gives it. A
    site admin could otherwise read every campaign by inviting a second account of their own. They
    name the first admin of a campaign alone while it has no claims. The caller holds the campaign's
    row in a transaction.
    """
    is_first_admin = role == Role.ADMIN and _has_neither_claims_nor_admin(campaign)
    if role not in READING_ROLES or is_admin_of(given_by, campaign) or is_first_admin:
        grant_role(user=user, campaign=campaign, role=role, granted_by=given_by)
        return True
    key = {"user": user, "campaign": campaign, "role": role}
    _, is_new = PendingRole.objects.get_or_create(**key, defaults={"given_by": given_by})
    if is_new:
        audit_log.record_on(user, "role.suspended", given_by, campaign, role=role)
    return False


def _has_neither_claims_nor_admin(campaign: Campaign) -> bool:
    has_admin = campaign.memberships.filter(role=Role.ADMIN).exists()
    return not has_admin and not campaign.references.exists()


def member_named(campaign: Campaign, username: str) -> User | None:
    """Return the member of a campaign with this name."""
    return User.objects.filter(memberships__campaign=campaign, username=username).first()


@transaction.atomic
def revoke_role(
    *, user: User, campaign: Campaign, role: str, revoked_by: User | None, group: str = ""
) -> int:
    """Take a role from a user; return how many candidates an annotator had open, which go back.

    What they rated stays. Raises OutOfDate when they do not have it, or are the last admin of the
    campaign.
    """
    # The campaign's row, so that two admins cannot each revoke the other at one moment.
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    rows = Membership.objects.filter(campaign=campaign, role=role)
    if not rows.filter(user=user).exists():
        raise OutOfDate(f"{user.username} is no {role} of this campaign.")
    if role == Role.ADMIN and not rows.exclude(user=user).exists():
        raise OutOfDate("A campaign keeps at least one admin; name another one first.")
    quota = rows.get(user=user).quota
    rows.filter(user=user).delete()
    count = 0
    if role == Role.ADMIN:
        withdraw_invitations(invited_by=user, by=revoked_by, campaign=campaign)
    if role == Role.ANNOTATOR:
        own = Assignment.objects.filter(annotator=user, campaign=campaign)
        count = free_places(own, AssignmentStatus.LAPSED)
        fit_qualification(campaign)
    # From here the role is given back as it was, while that may be done.
    went = {"role": role, "count": count, "quota": quota} | ({"group": group} if group else {})
    audit_log.record_on(user, "role.revoked", revoked_by, campaign, **went)
    return count


LASTS: Final = timedelta(days=7)
OF_MAILED: Final = RateLimit("mailed invitations", 20, 60)


@transaction.atomic
def invite(*, by: User, campaign: Campaign | None, role: str, address: str = "") -> str:
    """Make an invitation and return the token of its link, which is shown once.

    With a campaign, whoever accepts has the role there, at once or when one of its admins agrees
    (see `grant_or_suspend_role`). With an address the link is mailed there, too.
    """
    if bool(campaign) != bool(role) or (role and role not in Role.values):
        raise Refused.at("role", "A role and a campaign go together.")
    token = secrets.token_urlsafe(32)
    row = Invitation.objects.create(
        token_sha256=token_digest(token),
        campaign=campaign,
        role=role,
        invited_by=by,
        expires_at=database_now() + LASTS,
    )
    if address:
        queue_mail("invitation", person=by, sealed={"token": token, "address": address})
    audit_log.record_on(row, "invitation.made", by, campaign, role=role, is_mailed=bool(address))
    return token


def refuse_hasty_mail(by: User, address: str) -> None:
    """Count a mail to somebody who has no account; to be called outside of a transaction."""
    if address:
        refuse_haste(OF_MAILED, by, "Mailed invitations")


def open_invitations(token: str) -> QuerySet[Invitation]:
    """Return the invitation of a link if it may still be used.

    Those of who has been deactivated, or is no admin any more, may not.
    """
    return Invitation.objects.filter(
        Q(invited_by__is_superuser=True)
        | Exists(
            Membership.objects.filter(
                user=OuterRef("invited_by"), campaign=OuterRef("campaign"), role=Role.ADMIN
            )
        ),
        token_sha256=token_digest(token),
        accepted_at=None,
        expires_at__gt=Now(),
        invited_by__is_active=True,
    )


@transaction.atomic
def accept_invitation(*, token: str, username: str, password: str | None) -> User:
    """Create the account of a new person; OutOfDate where the link may not be used any more.

    Without a password they sign in at their provider.
    """
    row = _lock_open_invitation(token)
    user = create_user(username=username, password=password)
    _accept(row, user)
    return user


@transaction.atomic
def join_campaign(*, token: str, user: User) -> Invitation:
    """Accept an invitation with the account that one has, and return it.

    Raises OutOfDate where the link may not be used any more, and Refused where it means nothing to
    this person: the link stays good for somebody else then.
    """
    row = _lock_open_invitation(token)
    if reason := reason_not_to_join(row, user):
        raise Refused(reason)
    _accept(row, user)
    return row


def reason_not_to_join(invitation: Invitation, user: User) -> str:
    """Return why this person cannot accept the invitation with their account; "" when they can."""
    if invitation.campaign is None:
        return "This link is for a new account, and you have one already."
    if invitation.invited_by_id == user.pk:
        return "You made this link. Give it to the person whom you invite."
    held = Membership.objects.filter(user=user, campaign=invitation.campaign, role=invitation.role)
    if held.exists():
        return f"You are {invitation.role} of {invitation.campaign.name} already."
    return ""


def _lock_open_invitation(token: str) -> Invitation:
    invited = Invitation.objects.filter(token_sha256=token_digest(token)).values("campaign")
    # The campaign's row first, as when a role is taken: who is admin of it, and whether it has
    # claims, decides whether the role counts at once.
    list(Campaign.objects.select_for_update(no_key=True).filter(pk__in=invited))
    # The row is locked, so that of two who use one link at one moment one gets in.
    list(Invitation.objects.select_for_update(no_key=True).filter(token_sha256=token_digest(token)))
    row = open_invitations(token).select_related("campaign", "invited_by").first()
    if row is None:
        raise OutOfDate("This link was used already, or its seven days are over.")
    return row


def _accept(row: Invitation, user: User) -> None:
    if row.campaign is not None:
        grant_or_suspend_role(
            user=user, campaign=row.campaign, role=row.role, given_by=row.invited_by
        )
    row.accepted_by, row.accepted_at = user, database_now()
    row.save(update_fields=["accepted_by", "accepted_at"])
    audit_log.record_on(row, "invitation.accepted", user)
