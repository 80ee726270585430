"""Writes of campaigns: create, change their rules, close and reopen with a reason."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import date
from typing import Final
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.crypto import get_random_string

from annotator import audit_log
from annotator.access.locks import lock_open_campaign
from annotator.assignments.services import spread_places
from annotator.conflicts.services import measure_conflicts
from annotator.models import (
    Campaign,
    CampaignStatus,
    Membership,
    Rating,
    Reference,
    Role,
    RulesVersion,
    User,
)
from core.clock import database_now
from core.errors import OutOfDate, Refused
from core.shapes import LONGEST_REASON, check_text
from patclaimeval.limits import CAMPAIGNS

NO_REASON: Final = "Give a short reason: it is recorded."
LONGEST_NAME: Final = 200
NO_NAME: Final = "Give the campaign a name."
# `/campaigns/new/` is a page.
TAKEN_SLUGS: Final = frozenset({"new"})
LONGEST_SLUG: Final = 60
# Letters and digits that are not taken for each other; five of them are one of 28 million.
LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"
ENDING: Final = 5
LONGEST_TYPED_SLUG: Final = LONGEST_SLUG - ENDING - 1


@dataclass(frozen=True, slots=True)
class CampaignRules:
    """What an admin may change while a campaign runs; gaps of the overall are over 11."""

    name: str
    overlap: int
    shared_percent: int
    revision_hours: int
    lease_minutes: int
    criterion_gap: int
    overall_gap_numerator: int
    flip_gap_numerator: int
    has_ladder: bool
    retain_until: date | None
    has_legal_hold: bool = False
    has_timesheet: bool = False
    has_mark_files: bool = False


# Rules whose change may open or lapse conflicts; each change of one is a version of its own.
OF_CONFLICTS: Final = ("criterion_gap", "overall_gap_numerator", "flip_gap_numerator", "has_ladder")


@transaction.atomic
def create_campaign(
    *, slug: str, name: str = "", created_by: User | None = None, has_drawn_ending: bool = False
) -> Campaign:
    """Create an open campaign with the default rules; its creator becomes its admin.

    With `has_drawn_ending` the slug gets an ending that nobody chose: to learn that a slug is
    taken would reveal a campaign that the person may not know of.
    """
    check_text("name", name, longest=LONGEST_NAME, empty=NO_NAME if name else "")
    _refuse_another_campaign()
    longest = LONGEST_TYPED_SLUG if has_drawn_ending else LONGEST_SLUG
    try:
        if len(slug) > longest or slug in TAKEN_SLUGS:
            raise ValidationError("taken")
        Campaign._meta.get_field("slug").clean(slug, None)
    except ValidationError as error:
        raise Refused(
            f"{slug[:100]!r} cannot be a campaign's short name: use up to {longest} letters, "
            "digits, - and _."
        ) from error
    if has_drawn_ending:
        slug = f"{slug}-{get_random_string(ENDING, LETTERS)}"
    try:
        with transaction.atomic():
            campaign = Campaign.objects.create(slug=slug, name=name or slug)
    except IntegrityError as error:
        raise OutOfDate(f"There is a campaign {slug!r} already.") from error
    _record_rules(campaign, created_by)
    if created_by is not None:
        Membership.objects.create(campaign=campaign, user=created_by, role=Role.ADMIN)
    audit_log.record_on(campaign, "campaign.created", created_by)
    return campaign


def _refuse_another_campaign() -> None:
    if Campaign.objects.filter(status=CampaignStatus.OPEN).count() >= CAMPAIGNS:
        raise Refused(
            f"{CAMPAIGNS} campaigns are open, as many as one site may have. Close one first."
        )


@transaction.atomic
def change_rules(*, campaign: Campaign, rules: CampaignRules, changed_by: User) -> Campaign:
    """Change the rules of an open campaign; the audit row stores what they were.

    A new overlap, or another share of the references that it holds for, gives or takes places; new
    conflict rules are a new version and are applied to the ratings so far, so that every conflict
    is what the rules of today find. What an adjudicator ruled stays.
    """
    check_text("name", rules.name, longest=LONGEST_NAME, empty=NO_NAME)
    closed = "The campaign is closed; reopen it to change its rules."
    row = lock_open_campaign(campaign.pk, closed)
    new = asdict(rules)
    before = {name: getattr(row, name) for name in new}
    changes = {
        name: [one.isoformat() if isinstance(one, date) else one for one in (before[name], value)]
        for name, value in new.items()
        if before[name] != value
    }
    if not changes:
        return row
    has_new_version = any(name in changes for name in OF_CONFLICTS)
    for name, value in new.items():
        setattr(row, name, value)
    row.rules_version += has_new_version
    row.save(update_fields=[*new, "rules_version"])
    references = _lock_references(row)
    has_new_places = "overlap" in changes or "shared_percent" in changes
    if has_new_places:
        spread_places(row)
    if has_new_version:
        _record_rules(row, changed_by)
    if has_new_version or has_new_places:
        _measure(row, references)
    audit_log.record_on(row, "campaign.rules_changed", changed_by, changes=changes)
    return row


def _measure(campaign: Campaign, references: Iterable[UUID]) -> None:
    now = database_now()
    for pk in references:
        measure_conflicts(campaign, pk, now)


def _lock_references(campaign: Campaign) -> list[UUID]:
    """Return the references that have ratings, locked before their candidates, as submits do.

    A submit waits for its reference, and then reads the rules that hold from now on.
    """
    rated = Rating.objects.filter(candidate__campaign=campaign).values("candidate__reference")
    references = Reference.objects.filter(pk__in=rated).select_for_update(no_key=True)
    return list(references.order_by("pk").values_list("pk", flat=True))


def _record_rules(campaign: Campaign, made_by: User | None) -> None:
    RulesVersion.objects.create(
        campaign=campaign,
        number=campaign.rules_version,
        made_at=database_now(),
        made_by=made_by,
        **{name: getattr(campaign, name) for name in OF_CONFLICTS},
    )


def close_campaign(*, campaign: Campaign, reason: str, closed_by: User) -> None:
    """Close a campaign: nothing is given out or rated any more, every rating is final."""
    _change_status(campaign, CampaignStatus.CLOSED, reason, closed_by)


def reopen_campaign(*, campaign: Campaign, reason: str, reopened_by: User) -> None:
    """Open a closed campaign again; ratings whose revision window has passed stay locked."""
    _change_status(campaign, CampaignStatus.OPEN, reason, reopened_by)


@transaction.atomic
def _change_status(campaign: Campaign, status: CampaignStatus, reason: str, by: User) -> None:
    check_text("reason", reason, longest=LONGEST_REASON, empty=NO_REASON)
    is_closing = status == CampaignStatus.CLOSED
    if not is_closing and not campaign.is_open:
        _refuse_another_campaign()
    rows = Campaign.objects.filter(pk=campaign.pk).exclude(status=status)
    if not rows.update(status=status, closed_at=database_now() if is_closing else None):
        raise OutOfDate(f"The campaign is {status} already.")
    campaign.refresh_from_db()
    # Ratings that were to come are awaited no more, or again.
    _measure(campaign, _lock_references(campaign))
    action = "campaign.closed" if is_closing else "campaign.reopened"
    audit_log.record_on(campaign, action, by, reason=reason)
