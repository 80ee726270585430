"""The one door into the audit trail: an act's row, written in the transaction of the act."""

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from annotator.models import AuditEvent, Campaign, User

Details = Mapping[str, Any]


def record(
    *,
    action: str,
    object_type: str,
    object_id: object,
    actor: User | UUID | None = None,
    campaign: Campaign | UUID | None = None,
    details: Details | None = None,
) -> AuditEvent:
    """Write who did what to which row; no actor is the program itself.

    Details hold keys, numbers, digests and old and new values, never claim text.
    """
    return AuditEvent.objects.create(
        **_who_and_where(actor, campaign),
        action=action,
        object_type=object_type,
        object_id=str(object_id),
        details=dict(details) if details else {},
    )


def record_each(
    *,
    action: str,
    object_type: str,
    details_by_id: Iterable[tuple[object, Details]],
    actor: User | UUID | None = None,
    campaign: Campaign | UUID | None = None,
) -> None:
    """Write one row for each of many objects of the same act, in few statements."""
    shared = _who_and_where(actor, campaign)
    AuditEvent.objects.bulk_create(
        AuditEvent(
            **shared,
            action=action,
            object_type=object_type,
            object_id=str(object_id),
            details=dict(details),
        )
        for object_id, details in details_by_id
    )


def _who_and_where(actor: User | UUID | None, campaign: Campaign | UUID | None) -> dict[str, Any]:
    return {
        "actor_id": actor.pk if isinstance(actor, User) else actor,
        "campaign_id": campaign.pk if isinstance(campaign, Campaign) else campaign,
    }
