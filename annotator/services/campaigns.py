"""Writes of campaigns: create, change their rules, close and reopen with a reason."""

from dataclasses import asdict, dataclass
from typing import Final

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import BooleanField, ExpressionWrapper, Q
from django.utils import timezone

from annotator.models import (
    AuditEvent,
    Campaign,
    CampaignStatus,
    Candidate,
    Membership,
    Reference,
    Role,
    User,
)
from annotator.refusals import OutOfDate, Refused
from annotator.services.measured_conflicts import measure_conflicts

LONGEST_REASON: Final = 2_000
# `/campaigns/new/` is a page.
TAKEN_SLUGS: Final = frozenset({"new"})


@dataclass(frozen=True, slots=True)
class CampaignRules:
    """What an admin may change while a campaign runs; gaps of the overall are over 11."""

    name: str
    overlap: int
    revision_hours: int
    lease_minutes: int
    criterion_gap: int
    overall_gap_numerator: int
    flip_gap_numerator: int


# Rules whose change may open or lapse conflicts.
OF_CONFLICTS: Final = ("criterion_gap", "overall_gap_numerator", "flip_gap_numerator")


@transaction.atomic
def create_campaign(*, slug: str, name: str = "", created_by: User | None = None) -> Campaign:
    """Create an open campaign with the default rules; its creator becomes its admin."""
    try:
        if slug in TAKEN_SLUGS:
            raise ValidationError("taken")
        Campaign._meta.get_field("slug").clean(slug, None)
    except ValidationError as error:
        raise Refused(
            f"{slug[:100]!r} cannot be a campaign's slug: use up to 60 letters, digits, - and _."
        ) from error
    try:
        with transaction.atomic():
            campaign = Campaign.objects.create(slug=slug, name=name or slug)
    except IntegrityError as error:
        raise OutOfDate(f"There is a campaign {slug!r} already.") from error
    if created_by is not None:
        Membership.objects.create(campaign=campaign, user=created_by, role=Role.ADMIN)
    AuditEvent.objects.create(
        actor=created_by,
        campaign=campaign,
        action="campaign.created",
        object_type="campaign",
        object_id=str(campaign.pk),
    )
    return campaign


@transaction.atomic
def change_rules(*, campaign: Campaign, rules: CampaignRules, changed_by: User) -> Campaign:
    """Change the rules of an open campaign; the audit row keeps what they were.

    A new overlap gives or takes room; new conflict rules are applied to the ratings so far, so
    that every conflict says what the rules of today say. What an adjudicator ruled stays.
    """
    row = Campaign.objects.select_for_update().get(pk=campaign.pk)
    if not row.is_open:
        raise OutOfDate("The campaign is closed; reopen it to change its rules.")
    new = asdict(rules)
    before = {name: getattr(row, name) for name in new}
    changes = {name: [before[name], value] for name, value in new.items() if before[name] != value}
    if not changes:
        return row
    for name, value in new.items():
        setattr(row, name, value)
    row.save(update_fields=list(new))
    if "overlap" in changes:
        room = ExpressionWrapper(Q(held__lt=row.overlap), BooleanField())
        Candidate.objects.filter(campaign=row).update(has_room=room)
    if any(name in changes for name in OF_CONFLICTS):
        now = timezone.now()
        rated = Reference.objects.filter(campaign=row, candidates__ratings__isnull=False)
        for pk in rated.distinct().order_by().values_list("pk", flat=True):
            measure_conflicts(row, pk, now)
    _audit(row, "campaign.rules_changed", changed_by, {"changes": changes})
    return row


def close_campaign(*, campaign: Campaign, reason: str, closed_by: User) -> None:
    """Close a campaign: nothing is given out or rated any more, every rating is final."""
    _change_status(campaign, CampaignStatus.CLOSED, reason, closed_by)


def reopen_campaign(*, campaign: Campaign, reason: str, reopened_by: User) -> None:
    """Open a closed campaign again; ratings whose revision window has passed stay locked."""
    _change_status(campaign, CampaignStatus.OPEN, reason, reopened_by)


@transaction.atomic
def _change_status(campaign: Campaign, status: CampaignStatus, reason: str, by: User) -> None:
    if not reason.strip():
        why = "Say why, in a few words: it stays in the trail."
        raise Refused(why, {"reason": [why]})
    if len(reason) > LONGEST_REASON or "\x00" in reason:
        why = f"A reason has at most {LONGEST_REASON:,} characters and no NUL."
        raise Refused(why, {"reason": [why]})
    changed = (
        Campaign.objects.filter(pk=campaign.pk)
        .exclude(status=status)
        .update(
            status=status,
            closed_at=timezone.now() if status == CampaignStatus.CLOSED else None,
        )
    )
    if not changed:
        raise OutOfDate(f"The campaign is {status} already.")
    action = "campaign.closed" if status == CampaignStatus.CLOSED else "campaign.reopened"
    _audit(campaign, action, by, {"reason": reason})


def _audit(campaign: Campaign, action: str, actor: User, details: dict[str, object]) -> None:
    AuditEvent.objects.create(
        actor=actor,
        campaign=campaign,
        action=action,
        object_type="campaign",
        object_id=str(campaign.pk),
        details=details,
    )
