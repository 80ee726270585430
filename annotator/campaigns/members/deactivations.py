"""Accounts shut and opened again: what that ends and gives away, and what comes back."""

from dataclasses import dataclass
from typing import Final

from django.db import transaction
from django.shortcuts import resolve_url

from annotator import audit_log
from annotator.accounts.endings import ways_in
from annotator.accounts.services import (
    refuse_another_account,
    unused_invitations,
    withdraw_invitations,
)
from annotator.accounts.sessions import Ended, end_access
from annotator.assignments.services import free_places
from annotator.campaigns.members.removals import (
    MINUTES,
    TAKEN_BACK_WITHIN,
    Removal,
    open_again,
)
from annotator.models import (
    Assignment,
    AssignmentStatus,
    AuditEvent,
    Campaign,
    Draft,
    Membership,
    Role,
    User,
)
from core.clock import database_now
from core.confirmation import Confirmation
from core.errors import OutOfDate
from patclaimeval.plurals import counted

ALREADY: Final = "{} is deactivated already."


@dataclass(frozen=True, slots=True)
class Shut:
    """What ended with an account: ways in, unused invitations, and candidates that went back."""

    ended: Ended
    invitations: int
    candidates: int

    @property
    def sentence(self) -> str:
        return (
            f"{self.ended.sentence} Invitations withdrawn: {self.invitations}. "
            f"Candidates that went back: {self.candidates}."
        )


@transaction.atomic
def deactivate(*, user: User, by: User) -> Shut:
    """Shut an account, which ends its sessions, tokens and links to invite others.

    Those do not come back with the account. What an annotator has open goes back, as with the role.
    OutOfDate for one's own, for the last site admin, and for the last admin of a campaign.
    """
    _refuse_to_deactivate(user, by)
    if not User.objects.filter(pk=user.pk, is_active=True).update(is_active=False):
        raise OutOfDate(ALREADY.format(user.username))
    ended = end_access(user=user, by=by)
    withdrawn = withdraw_invitations(invited_by=user, by=by)
    own = Assignment.objects.filter(annotator=user)
    count = free_places(own, AssignmentStatus.LAPSED)
    audit_log.record_on(user, "user.deactivated", by, count=count)
    return Shut(ended, withdrawn, count)


@transaction.atomic
def reactivate(*, user: User, by: User) -> tuple[int, int]:
    """Open an account again, with the roles that it has.

    Returns how many candidates come back with it, and how many do not, as others have them: within
    half an hour those that went with the account, later none.
    """
    if not User.objects.filter(pk=user.pk, is_active=False).exists():
        raise OutOfDate(f"{user.username} is active already.")
    refuse_another_account()
    User.objects.filter(pk=user.pk).update(is_active=True)
    back, gone = _take_back(user, by)
    audit_log.record_on(user, "user.reactivated", by)
    return back, gone


def _take_back(user: User, by: User) -> tuple[int, int]:
    events = AuditEvent.objects.filter(action="user.deactivated", object_id=str(user.pk))
    event = events.order_by("-pk").first()
    if event is None or event.at < database_now() - TAKEN_BACK_WITHIN:
        return 0, 0
    roles = Membership.objects.filter(user=user, role=Role.ANNOTATOR)
    campaigns = Campaign.objects.select_for_update(no_key=True)
    own = campaigns.filter(pk__in=roles.values("campaign")).order_by("pk")
    removal = Removal(user, Role.ANNOTATOR, event.at, None)
    counts = [open_again(row, removal, by) for row in own]
    return sum(back for back, _ in counts), sum(gone for _, gone in counts)


def _refuse_to_deactivate(user: User, by: User) -> None:
    if user == by:
        raise OutOfDate("You cannot deactivate your own account; another site admin can.")
    _refuse_last_site_admin(user)
    _refuse_last_admin(user)


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
                # Which one, a site admin does not learn: its name may be that of a client.
                f"{user.username} is the last admin of a campaign; its members must have another "
                "one first."
            )


@transaction.atomic
def about_deactivation(user: User, by: User) -> Confirmation:
    """Return what is asked before an account is shut; OutOfDate where it may not be."""
    _refuse_to_deactivate(user, by)
    if not user.is_active:
        raise OutOfDate(ALREADY.format(user.username))
    rows = Assignment.objects.filter(annotator=user, status=AssignmentStatus.OPEN)
    count, drafts = rows.count(), Draft.objects.filter(assignment__in=rows).count()
    typed = f", {drafts} of them with a draft, which stays stored" if drafts else ""
    goes = "goes back and is" if count == 1 else "go back and are"
    links = unused_invitations(user).count()
    withdrawn = "is withdrawn" if links == 1 else "are withdrawn"
    return Confirmation(
        question=f"Deactivate {user.username}?",
        count=ways_in(user),
        effect=f"end at once. {counted(count, 'open candidate')} {goes} free for other annotators"
        f"{typed}. {counted(links, 'unused invitation')} {withdrawn}. What {user.username} did "
        "stays.",
        undo="You can reactivate the account at any time, with its roles; for "
        f"{MINUTES} minutes also with every candidate that nobody else has taken by then. "
        "Sessions, API tokens and invitations do not come back.",
        act=f"Deactivate {user.username}",
        leave="Leave the account active",
        back=resolve_url("annotator:users"),
    )
