"""Writes of a site admin about accounts: deactivated, made active again."""

from typing import Final

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from annotator.clock import database_now
from annotator.models import Campaign, Invitation, Membership, Role, User
from annotator.refusals import OutOfDate, Refused
from annotator.services import audit
from annotator.services.sessions import Ended, end_access
from annotator.sign_in.names import name_problem, skeleton

TAKEN: Final = (
    "There is an account already whose name is {} or looks like it; choose a name that nobody "
    "takes for another's."
)


@transaction.atomic
def deactivate(*, user: User, by: User) -> tuple[Ended, int]:
    """Shut an account; return what ended with it, and how many invitations were withdrawn.

    Its sessions, tokens and links to invite others end, and do not come back with the account.

    OutOfDate for one's own, for the last site admin, and for the last admin of a campaign.
    """
    if user == by:
        raise OutOfDate("Nobody shuts their own account; another site admin can.")
    _refuse_last_site_admin(user)
    _refuse_last_admin(user)
    if not User.objects.filter(pk=user.pk, is_active=True).update(is_active=False):
        raise OutOfDate(f"{user.username} is deactivated already.")
    ended = end_access(user=user, by=by)
    withdrawn = withdraw_invitations(invited_by=user, by=by)
    audit.record(actor=by, action="user.deactivated", object_type="user", object_id=user.pk)
    return ended, withdrawn


@transaction.atomic
def reactivate(*, user: User, by: User) -> None:
    """Open an account again, with the roles that it has; of what ended nothing comes back."""
    if not User.objects.filter(pk=user.pk, is_active=False).update(is_active=True):
        raise OutOfDate(f"{user.username} is active already.")
    audit.record(actor=by, action="user.reactivated", object_type="user", object_id=user.pk)


def _refuse_last_site_admin(user: User) -> None:
    admins = User.objects.select_for_update(no_key=True).filter(is_superuser=True, is_active=True)
    if [row.pk for row in admins.order_by("pk")] == [user.pk]:
        raise OutOfDate("A site keeps at least one site admin; make another one first.")


def _refuse_last_admin(user: User) -> None:
    own = Membership.objects.filter(user=user, role=Role.ADMIN)
    # The campaigns' rows, so that two site admins cannot each shut one of two.
    campaigns = Campaign.objects.select_for_update(no_key=True).filter(
        pk__in=own.values("campaign")
    )
    for campaign in campaigns.order_by("pk"):
        others = campaign.memberships.filter(role=Role.ADMIN, user__is_active=True)
        if not others.exclude(user=user).exists():
            raise OutOfDate(
                # Which one, a site admin is not told: its name may be that of a client.
                f"{user.username} is the last admin of a campaign; its members must have another "
                "one first."
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
