"""The forms of a campaign's admin: a new campaign, its rules, its members, a reason."""

from datetime import date
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone

from annotator.campaigns.services import LONGEST_TYPED_SLUG, CampaignRules
from annotator.conflicts.forms import GapField
from annotator.conflicts.rules import gap_text
from annotator.models import Campaign, Role
from core.forms import (
    DayField,
    PlainTextField,
    RefusableForm,
    TickField,
    WholeNumberField,
)
from patclaimeval.rubric import HIGHEST

MOST_ANNOTATORS: Final = 20


class NewCampaignForm(RefusableForm):
    """What a campaign needs to exist."""

    slug = PlainTextField(
        label="Short name",
        max_length=LONGEST_TYPED_SLUG,
        help_text=(
            "Stands in addresses and commands: letters, digits, - and _. The program adds five "
            "letters or digits, as in acme-k7qd2, so that no two are the same. It cannot change."
        ),
    )
    name = PlainTextField(label="Name", max_length=200)


class RulesForm(RefusableForm):
    """The rules of a campaign, gaps in rating points."""

    name = PlainTextField(label="Name", max_length=200)
    overlap = WholeNumberField(
        label="Annotators per candidate",
        min_value=1,
        max_value=MOST_ANNOTATORS,
        help_text="The overlap k. A smaller one withdraws nothing that is assigned.",
    )
    shared_percent = WholeNumberField(
        label="Share of the references that it holds for, in %",
        min_value=0,
        max_value=100,
        help_text="The others are rated by one annotator. Which ones is drawn by lot.",
    )
    revision_hours = WholeNumberField(
        label="Revision window, in hours",
        min_value=0,
        max_value=8760,
        help_text="How long after its last rating a candidate with full overlap may be revised.",
    )
    lease_minutes = WholeNumberField(
        label="Lease, in minutes",
        min_value=5,
        max_value=10_080,
        help_text="How long a candidate taken on demand is its annotator's without any work on it.",
    )
    criterion_gap = WholeNumberField(
        label="Criterion gap that conflicts",
        min_value=1,
        max_value=HIGHEST,
        help_text="Two ratings this far apart on one criterion are a conflict.",
    )
    overall_gap = GapField(
        "Overall gap that conflicts", "Two ratings this far apart in overall quality."
    )
    flip_gap = GapField(
        "Order flip that conflicts",
        "Two annotators put two candidates in opposite order, both by at least this much.",
    )

    has_ladder = TickField(
        label="Ask a further annotator first",
        required=False,
        help_text="A candidate in conflict goes to one more annotator, blind; an adjudicator gets "
        "it only when no two of the ratings agree.",
    )
    has_timesheet = TickField(
        label="Keep a timesheet",
        required=False,
        help_text="Sums up each annotator's active hours for the admins: by month while the "
        "campaign is open, by day once it is closed. Annotators read it on their queue.",
    )
    has_mark_files = TickField(
        label="Let annotators download their marks",
        required=False,
        help_text="Gives each annotator a Word file of the claims that they rate, with their own "
        "tags and comment. Each download is on record.",
    )
    retain_until = DayField(
        label="Keep the claim texts until",
        required=False,
        help_text="The campaign page warns a month before. Nothing is erased by itself.",
    )
    has_legal_hold = TickField(
        label="Legal hold",
        required=False,
        help_text="While it is set, nothing of this campaign can be erased, whatever the day.",
    )

    def clean_retain_until(self) -> date | None:
        """Refuse a day that has passed, unless it stood there before."""
        day: date | None = self.cleaned_data["retain_until"]
        if day and day < timezone.localdate() and day != self.initial.get("retain_until"):
            raise ValidationError("This day has passed; choose a later one.", code="past")
        return day

    @property
    def rules(self) -> CampaignRules:
        """The rules of a valid form."""
        cleaned = dict(self.cleaned_data)
        return CampaignRules(
            overall_gap_numerator=cleaned.pop("overall_gap"),
            flip_gap_numerator=cleaned.pop("flip_gap"),
            **cleaned,
        )


def rules_as_sent(campaign: Campaign) -> dict[str, Any]:
    """Return a campaign's rules as the form would send them."""
    same = (
        *("name", "overlap", "shared_percent", "revision_hours", "lease_minutes"),
        *("criterion_gap", "has_ladder", "retain_until"),
        *("has_legal_hold", "has_timesheet", "has_mark_files"),
    )
    return {name: getattr(campaign, name) for name in same} | {
        "overall_gap": gap_text(campaign.overall_gap_numerator),
        "flip_gap": gap_text(campaign.flip_gap_numerator),
    }


class MemberForm(RefusableForm):
    """A member of a campaign and a role."""

    username = PlainTextField(label="User name", max_length=150)
    role = forms.ChoiceField(label="Role", choices=[(role, role) for role in Role.values])
