"""Writes about people: accounts, roles, tokens."""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from annotator.clock import database_now
from annotator.models import (
    ApiToken,
    Assignment,
    AssignmentStatus,
    Campaign,
    Invitation,
    Membership,
    Role,
    TokenScope,
    User,
)
from annotator.refusals import OutOfDate, Refused
from annotator.services import audit
from annotator.services.places import free_place
from annotator.services.qualification import fit_qualification, give_qualification
from annotator.services.sessions import end_access
from annotator.sign_in.names import name_problem, skeleton

LONGEST_TOKEN_DAYS: Final = 90
MOST_TOKENS: Final = 50
TAKEN: Final = (
    "There is an account already whose name is {} or looks like it; choose a name that nobody "
    "takes for another's."
)


@transaction.atomic
def create_user(*, username: str, password: str | None, is_site_admin: bool = False) -> User:
    """Create an account; without a password it cannot sign in. Raises Refused with the reason."""
    refuse_name(username)
    user = User(username=username, name_skeleton=skeleton(username), is_superuser=is_site_admin)
    field = "username"
    try:
        user.clean_fields(exclude=["password"])
        field = "password"
        if password is not None:
            validate_password(password, user)
    except ValidationError as error:
        raise Refused(" ".join(error.messages), {field: error.messages}) from error
    if password is None:
        user.set_unusable_password()
    else:
        user.set_password(password)
    try:
        with transaction.atomic():
            user.save()
    except IntegrityError as error:  # another one of that name at the same moment
        raise Refused(TAKEN.format(username)) from error
    audit.record(action="user.created", object_type="user", object_id=user.pk)
    return user


def refuse_name(username: str) -> None:
    """Raise Refused for a name that is none, is taken, or would be taken for another's."""
    if problem := name_problem(username):
        raise Refused(problem, {"username": [problem]})
    if User.objects.filter(username__iexact=username).exists():
        sentence = f"There is an account named {username} already (upper case does not count)."
    elif User.objects.filter(name_skeleton=skeleton(username)).exists():
        sentence = TAKEN.format(username)
    else:
        return
    raise Refused(sentence, {"username": [sentence]})


@transaction.atomic
def set_demo_password(*, user: User, password: str) -> None:
    """Give a demo account the password that the operator chose, however short.

    As any other password, a new one ends sessions and tokens.
    """
    if not user.check_password(password):
        user.set_password(password)
        user.save(update_fields=["password"])
        end_access(user=user, by=None)


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


@transaction.atomic
def withdraw_invitations(*, invited_by: User, by: User, campaign: Campaign | None = None) -> int:
    """End the unused links that a person made, everywhere or in a campaign; return how many.

    Else they would work again with the person's account or role.
    """
    rows = Invitation.objects.filter(invited_by=invited_by, accepted_at=None, expires_at__gt=Now())
    if campaign is not None:
        rows = rows.filter(campaign=campaign)
    found = list(rows.select_for_update(no_key=True, of=("self",)).order_by("pk"))
    Invitation.objects.filter(pk__in=[row.pk for row in found]).update(expires_at=database_now())
    for row in found:
        audit.record(
            actor=by,
            campaign=row.campaign_id,
            action="invitation.withdrawn",
            object_type="invitation",
            object_id=row.pk,
        )
    return len(found)


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token as it is shown once."""

    token: str
    row: ApiToken


def token_digest(token: str) -> str:
    """Return what is stored of a token. It is random, so a plain digest cannot be guessed."""
    return hashlib.sha256(token.encode()).hexdigest()


@transaction.atomic
def create_token(
    *,
    user: User,
    scope: str = TokenScope.WRITE,
    days: int = LONGEST_TOKEN_DAYS,
    campaign: Campaign | None = None,
) -> NewToken:
    """Make an API token that expires after 1 to 90 days, for one campaign or all of the user's."""
    if not 1 <= days <= LONGEST_TOKEN_DAYS:
        sentence = f"A token lives 1 to {LONGEST_TOKEN_DAYS} days, not {days}."
        raise Refused(sentence, {"days": [sentence]})
    if campaign is not None and not campaign.memberships.filter(user=user).exists():
        sentence = f"{user.username} has no role in {campaign.slug}."
        raise Refused(sentence, {"campaign": [sentence]})
    if ApiToken.objects.filter(user=user, expires_at__gt=database_now()).count() >= MOST_TOKENS:
        raise Refused(f"{MOST_TOKENS} tokens are enough; revoke one first.")
    token = secrets.token_urlsafe(32)
    row = ApiToken.objects.create(
        user=user,
        token_sha256=token_digest(token),
        scope=scope,
        campaign=campaign,
        expires_at=database_now() + timedelta(days=days),
    )
    audit.record(
        actor=user,
        campaign=campaign,
        action="token.created",
        object_type="token",
        object_id=row.pk,
        details={"scope": scope, "days": days},
    )
    return NewToken(token, row)
