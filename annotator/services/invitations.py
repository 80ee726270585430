"""Writes of invitations: made by an admin, accepted once by a new person."""

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
from annotator.services.people import create_user, grant_role, token_digest

LASTS: Final = timedelta(days=7)


@transaction.atomic
def invite(*, by: User, campaign: Campaign | None = None, role: str = "") -> str:
    """Make an invitation and return the word of its link, which is shown once.

    With a campaign the new person has the role there from the start.
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
    # The row is locked, so that of two who use one link at one moment one gets in.
    list(Invitation.objects.select_for_update(no_key=True).filter(token_sha256=token_digest(token)))
    row = open_invitations(token).select_related("campaign", "invited_by").first()
    if row is None:
        raise OutOfDate("This link was used already, or its seven days are over.")
    user = create_user(username=username, password=password)
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
    return user
