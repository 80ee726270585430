"""How far each annotator of a campaign is, for its admin: counts and days, no scores."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db.models import Count, Max, Q

from annotator.models import (
    HOLDING,
    Assignment,
    AssignmentStatus,
    Campaign,
    Membership,
    Role,
    User,
)


@dataclass(frozen=True, slots=True)
class AnnotatorProgress:
    """One annotator's share, repeats and sentinels included.

    `overdue` counts what is open past its due date, `last_rated_on` is a day in UTC. `is_admin`
    marks one who may also see others' ratings: reports leave those ratings out unless asked.
    """

    username: str
    assigned: int
    rated: int
    overdue: int = 0
    quota: int | None = None
    last_rated_on: date | None = None
    is_annotator: bool = True
    is_admin: bool = False

    @property
    def left(self) -> int:
        return self.assigned - self.rated


def annotator_progress(campaign: Campaign, now: datetime) -> tuple[AnnotatorProgress, ...]:
    """Return the annotators of a campaign by name, those who only used to be ones included."""
    counts = _counts(campaign, now)
    roles, quotas = _roles(campaign)
    annotators = {name for name, held in roles.items() if Role.ANNOTATOR in held}
    return tuple(
        AnnotatorProgress(
            name,
            **counts.get(name, {"assigned": 0, "rated": 0}),
            quota=quotas.get(name),
            is_annotator=name in annotators,
            is_admin=Role.ADMIN in roles.get(name, ()),
        )
        for name in sorted(set(counts) | annotators)
    )


def _counts(campaign: Campaign, now: datetime) -> Mapping[str, dict[str, Any]]:
    rows = Assignment.objects.filter(campaign=campaign).order_by()
    counted = rows.values_list("annotator").annotate(
        assigned=Count("pk", filter=Q(status__in=HOLDING)),
        rated=Count("pk", filter=Q(status=AssignmentStatus.SUBMITTED)),
        overdue=Count("pk", filter=Q(status=AssignmentStatus.OPEN, due_at__lt=now)),
        last=Max("rating__revised_at"),
    )
    found = {
        pk: {
            "assigned": assigned,
            "rated": rated,
            "overdue": overdue,
            "last_rated_on": last and last.date(),
        }
        for pk, assigned, rated, overdue, last in counted
    }
    names = User.objects.filter(pk__in=found).values_list("pk", "username")
    return {name: found[pk] for pk, name in names}


def _roles(campaign: Campaign) -> tuple[Mapping[str, set[str]], Mapping[str, int | None]]:
    """Return each member's roles, and each annotator's quota."""
    roles: dict[str, set[str]] = {}
    quotas = {}
    rows = Membership.objects.filter(campaign=campaign)
    for name, role, quota in rows.values_list("user__username", "role", "quota"):
        roles.setdefault(name, set()).add(role)
        if role == Role.ANNOTATOR:
            quotas[name] = quota
    return roles, quotas
