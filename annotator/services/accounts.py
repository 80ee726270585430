"""Writes of a site admin about accounts: deactivated, made active again."""

from django.db import transaction

from annotator.models import Campaign, Membership, Role, User
from annotator.refusals import OutOfDate
from annotator.services import audit
from annotator.services.people import withdraw_invitations
from annotator.services.sessions import Ended, end_access


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
