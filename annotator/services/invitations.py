"""Writes of invitations: made by an admin, accepted once, with a new account or one's own."""

import secrets
from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from annotator.clock import database_now
from annotator.models import Campaign, Invitation, Membership, Role, User
from annotator.refusals import OutOfDate, Refused
from annotator.services import audit
from annotator.services.accounts import create_user
from annotator.services.people import grant_role
from annotator.services.tokens import token_digest

LASTS: Final = timedelta(days=7)


@transaction.atomic
def invite(*, by: User, campaign: Campaign | None = None, role: str = "") -> str:
    """Make an invitation and return the token of its link, which is shown once.

    With a campaign, whoever accepts has the role there from then on.
    """
    if bool(campaign) != bool(role) or (role and role not in Role.values):
        sentence = "A role and a campaign go together."
        raise Refused(sentence, {"role": [sentence]})
    token = secrets.token_urlsafe(32)
    row = Invitation.objects.create(
        token_sha256=token_digest(token),
        campaign=campaign,
        role=role,
        invited_by=by,
        expires_at=database_now() + LASTS,
    )
    audit.record(
        actor=by,
        campaign=campaign,
        action="invitation.made",
        object_type="invitation",
        object_id=row.pk,
        details={"role": role},
    )
    return token


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
def accept_invitation(*, token: str, username: str, password: str) -> User:
    """Make the account of a new person; OutOfDate where the link may not be used any more."""
    row = _lock_open_invitation(token)
    user = create_user(username=username, password=password)
    _accept(row, user)
    return user


@transaction.atomic
def join_campaign(*, token: str, user: User) -> Invitation:
    """Accept an invitation with the account that one has, and return it.

    Raises OutOfDate where the link may not be used any more, and Refused where it says nothing to
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
    # The row is locked, so that of two who use one link at one moment one gets in.
    list(Invitation.objects.select_for_update(no_key=True).filter(token_sha256=token_digest(token)))
    row = open_invitations(token).select_related("campaign", "invited_by").first()
    if row is None:
        raise OutOfDate("This link was used already, or its seven days are over.")
    return row


def _accept(row: Invitation, user: User) -> None:
    if row.campaign is not None:
        grant_role(user=user, campaign=row.campaign, role=row.role, granted_by=row.invited_by)
    row.accepted_by, row.accepted_at = user, database_now()
    row.save(update_fields=["accepted_by", "accepted_at"])
    audit.record(
        actor=user,
        campaign=row.campaign,
        action="invitation.accepted",
        object_type="invitation",
        object_id=row.pk,
    )
