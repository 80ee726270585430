"""Roles taken from members: what a removal gives away, and how it is taken back for some time."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.shortcuts import resolve_url

from annotator import audit_log
from annotator.access.scopes import has_ruled_on
from annotator.assignments.services import hold_place, renew_lease
from annotator.campaigns.members.services import grant_role
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

TAKEN_BACK_WITHIN: Final = timedelta(minutes=30)
MINUTES: Final = TAKEN_BACK_WITHIN.seconds // 60


@dataclass(frozen=True, slots=True)
class Removal:
    """A role that somebody lost, until when it comes back with what went, and the quota it had."""

    user: User
    role: str
    taken_at: datetime
    quota: int | None

    @property
    def until(self) -> datetime:
        return self.taken_at + TAKEN_BACK_WITHIN


def removals_of(campaign: Campaign) -> tuple[Removal, ...]:
    """Return the roles that may be given back with what went with them, the latest first."""
    events = AuditEvent.objects.filter(
        action="role.revoked", at__gt=database_now() - TAKEN_BACK_WITHIN, campaign=campaign
    ).order_by("-pk")
    held = set(Membership.objects.filter(campaign=campaign).values_list("user_id", "role"))
    latest: dict[tuple[UUID, str], AuditEvent] = {}
    for event in events:
        latest.setdefault((UUID(event.object_id), str(event.details["role"])), event)
    people = User.objects.in_bulk({pk for pk, _ in latest})
    return tuple(
        Removal(people[key[0]], key[1], event.at, event.details.get("quota"))
        for key, event in latest.items()
        if key not in held and key[0] in people
    )


def removal_of(campaign: Campaign, username: str, role: str) -> Removal | None:
    """Return the removal of a role that may be taken back; None where there is none."""
    rows = (row for row in removals_of(campaign) if row.user.username == username)
    return next((row for row in rows if row.role == role), None)


@transaction.atomic
def restore_role(*, campaign: Campaign, removal: Removal, restored_by: User) -> tuple[int, int]:
    """Give a role back as it was; return how many candidates come back with it, and how many not.

    What somebody else has taken meanwhile stays theirs. OutOfDate once the time for it is over.
    """
    row = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    user, role = removal.user, removal.role
    if removal_of(row, user.username, role) is None:
        raise OutOfDate("This can no longer be taken back; give the role anew.")
    membership = grant_role(user=user, campaign=row, role=role, granted_by=restored_by)
    Membership.objects.filter(pk=membership.pk).update(quota=removal.quota)
    return open_again(row, removal, restored_by) if role == Role.ANNOTATOR else (0, 0)


def open_again(campaign: Campaign, removal: Removal, by: User) -> tuple[int, int]:
    """Give an annotator back what went; return how many come back, and how many others have.

    The caller holds the campaign's row in a transaction. Nothing comes back in a closed campaign.
    """
    went = list(_went(campaign, removal)) if campaign.is_open else []
    back = sum([_reopen(assignment, by) for assignment in went])
    return back, len(went) - back


def _went(campaign: Campaign, removal: Removal) -> Iterator[Assignment]:
    """Yield what was open when the role was taken: given by name, or with a lease that ran."""
    is_running = Q(lease_expires_at=None) | Q(lease_expires_at__gt=removal.taken_at)
    rows = Assignment.objects.filter(
        is_running,
        annotator=removal.user,
        campaign=campaign,
        status=AssignmentStatus.LAPSED,
        candidate__reference__erased_at=None,
    )
    for row in rows.select_related("campaign", "candidate").order_by("position"):
        # Who has become adjudicator and ruled on it meanwhile does not rate it.
        if not has_ruled_on(removal.user, [row.candidate_id]):
            yield row


def _reopen(assignment: Assignment, by: User) -> bool:
    """Open one again; False where its place is taken. One for qualification is theirs by now."""
    rows = Assignment.objects.filter(pk=assignment.pk, status=AssignmentStatus.LAPSED)
    if not rows.exists():
        return True
    if not hold_place(assignment.candidate_id):
        return False
    rows.update(status=AssignmentStatus.OPEN)
    assignment.status = AssignmentStatus.OPEN
    renew_lease(assignment=assignment)
    audit_log.record_on(assignment, "assignment.returned", by)
    return True


def about_removal(campaign: Campaign, user: User, role: str, by: User) -> Confirmation:
    """Return what is asked before a role is taken from a member."""
    count, effect = "1 role", "ends at once. What they did in it stays."
    if role == Role.ANNOTATOR:
        rows = Assignment.objects.filter(
            annotator=user, campaign=campaign, status=AssignmentStatus.OPEN
        )
        open_count = rows.count()
        drafts = Draft.objects.filter(assignment__in=rows).count()
        typed = f", {drafts} of them with a draft, which stays stored" if drafts else ""
        count = counted(open_count, "open candidate")
        goes = "goes back and is" if open_count == 1 else "go back and are"
        effect = f"{goes} free for other annotators{typed}. What {user.username} rated stays."
    undo = (
        f"For {MINUTES} minutes it can be taken back on the page of members, with every candidate "
        "that nobody else has taken by then. After that, the role is given anew."
    )
    if user == by and role == Role.ADMIN:
        undo = "You cannot take this back yourself: only another admin gives you the role again."
    return Confirmation(
        question=f"Take the role {role} from {user.username}?",
        count=count,
        effect=effect,
        undo=undo,
        act="Take the role",
        leave="Leave the role",
        back=resolve_url("annotator:members", campaign.slug),
        sent=(("username", user.username), ("role", role)),
    )
