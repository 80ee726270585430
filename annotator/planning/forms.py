"""The forms of the plan page: who is given what, taken back, asked for all, checked."""

from datetime import datetime, time
from typing import Any, ClassVar, Final

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone

from annotator.access.scopes import annotators_of, members_who_annotate
from annotator.models import Campaign, Reference, User
from annotator.planning.sentinels import LONGEST_LAG, MOST_AT_ONCE, MOST_PERCENT
from annotator.planning.services import LARGEST_QUOTA
from core.forms import LARGEST_VERSION, DayField, PlainTextField, RefusableForm, WholeNumberField
from core.text_io.shapes import LONGEST_REASON

MOST_REFERENCES: Final = 1_000
LONGEST_LIST: Final = 100_000
MOST_NAMED: Final = 5
LATEST_YEAR: Final = 2999


class PlanForm(RefusableForm):
    """A form of one section; its fields have ids of their own, since the page has many forms."""

    section: ClassVar[str]
    # The annotators to choose from.
    people = staticmethod(annotators_of)
    # Those with a due date have a field for the day.
    places = {"due_at": "due_on"}

    def __init__(self, campaign: Campaign, data: Any = None, **more: Any) -> None:
        super().__init__(data, auto_id=f"{self.section}-%s", **more)
        self.campaign = campaign
        for field in self.fields.values():
            if isinstance(field, forms.ModelChoiceField):
                field.queryset = self.people(campaign)

    @property
    def due_at(self) -> datetime | None:
        """The end of the day that was given, none when none was."""
        day = self.cleaned_data.get("due_on")
        if day is None:
            return None
        return timezone.make_aware(datetime.combine(day, time(23, 59, 59)))

    def clean_due_on(self) -> Any:
        day = self.cleaned_data["due_on"]
        if day and day.year > LATEST_YEAR:
            raise ValidationError("That is too far away.")
        return day

    def clean_references(self) -> list[Reference]:
        """Return the rows of the reference ids, one of each, in the campaign's order."""
        lines = self.cleaned_data["references"].split("\n")
        ids = {line.strip() for line in lines if line.strip()}
        if len(ids) > MOST_REFERENCES:
            raise ValidationError(f"At most {MOST_REFERENCES:,} references at a time.")
        rows = list(self.campaign.references.filter(reference_id__in=ids))
        if unknown := sorted(ids - {row.reference_id for row in rows}):
            named = ", ".join(name[:40] for name in unknown[:MOST_NAMED])
            more = len(unknown) - MOST_NAMED
            named += f" and {more} more" if more > 0 else ""
            raise ValidationError(f"This campaign has no reference of these ids: {named}.")
        return rows


def _person() -> forms.ModelChoiceField:
    return forms.ModelChoiceField(
        User.objects.none(), to_field_name="username", empty_label="Choose"
    )


def _day() -> DayField:
    return DayField(
        label="Due",
        required=False,
        help_text="Until the end of this day; nothing is taken back when it passes.",
    )


def _seed() -> WholeNumberField:
    return WholeNumberField(
        label="Seed",
        min_value=0,
        max_value=LARGEST_VERSION,
        initial=0,
        help_text="The same seed in the same state of the campaign gives the same.",
    )


def _references(*, required: bool = True, help_text: str = "") -> PlainTextField:
    return PlainTextField(
        label="Reference ids, one a line",
        required=required,
        max_length=LONGEST_LIST,
        widget=forms.Textarea({"rows": 3, "spellcheck": "false"}),
        help_text=help_text,
    )


class BalancedForm(PlanForm):
    """Who takes part in a balanced plan; with `digest`, which plan was shown."""

    section = "balanced"

    annotators = forms.ModelMultipleChoiceField(
        User.objects.none(),
        to_field_name="username",
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose at least one annotator."},
    )
    due_on = _day()
    seed = _seed()
    digest = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)


class NamedForm(PlanForm):
    """Whole references for one annotator."""

    section = "named"

    annotator = _person()
    references = _references()
    due_on = _day()


class WithdrawForm(PlanForm):
    """What is taken back from whom, and why."""

    section = "withdraw"
    people = staticmethod(members_who_annotate)

    annotator = _person()
    references = _references(required=False, help_text="Empty: everything that is open.")
    reason = PlainTextField(label="Reason", max_length=LONGEST_REASON)


class QuotaForm(PlanForm):
    """How many candidates one annotator has at most."""

    section = "quota"
    people = staticmethod(members_who_annotate)

    annotator = _person()
    quota = WholeNumberField(label="Quota", required=False, min_value=0, max_value=LARGEST_QUOTA)


class QualificationForm(PlanForm):
    """References that everybody rates first, or no longer."""

    section = "qualification"

    references = _references()


class SentinelsForm(PlanForm):
    """How many sentinels are made."""

    section = "sentinels"

    count = WholeNumberField(label="How many", min_value=1, max_value=MOST_AT_ONCE, initial=4)
    seed = _seed()


class RepeatsForm(PlanForm):
    """Which share of the ratings is asked once more."""

    section = "repeats"

    percent = WholeNumberField(
        label="Share of each annotator's ratings, in per cent",
        min_value=0,
        max_value=MOST_PERCENT,
        help_text="0: none.",
    )
    lag = WholeNumberField(label="Ratings in between, at least", min_value=1, max_value=LONGEST_LAG)
