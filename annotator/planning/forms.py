"""The forms of the plan page: who is given what, taken back, asked for all, checked."""

from datetime import datetime, time
from typing import Any, ClassVar, Final

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone

from annotator.access.scopes import annotators_of, members_who_annotate
from annotator.models import Campaign, Reference, User
from annotator.planning.queries import FoundReferences
from annotator.planning.sentinels import LONGEST_LAG, MOST_AT_ONCE, MOST_PERCENT
from annotator.planning.services import LARGEST_QUOTA
from core.forms import (
    LARGEST_VERSION,
    DayField,
    PlainTextField,
    RefusableForm,
    WholeNumberField,
)
from core.shapes import LONGEST_REASON

MOST_REFERENCES: Final = 1_000
LONGEST_LIST: Final = 100_000
MOST_NAMED: Final = 5
LATEST_YEAR: Final = 2999
LONGEST_SEARCH: Final = 200
NO_REFERENCES: Final = "Tick references in the list, or give their ids."


class FindForm(RefusableForm):
    """What the references of the lists have in their id or title."""

    q = PlainTextField(label="Find references", required=False, max_length=LONGEST_SEARCH)


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


class PickedField(forms.MultipleChoiceField):
    """References that were ticked; those of an earlier list are taken as well as those shown."""

    widget = forms.CheckboxSelectMultiple

    def valid_value(self, value: Any) -> bool:
        return "\0" not in str(value)


class ReferencesForm(PlanForm):
    """A form about references: ticked in a list, named by their ids, or both."""

    needs_references = True

    picked = PickedField(
        label="References",
        required=False,
        error_messages={"invalid_choice": "This campaign has no reference of such an id."},
    )
    references = PlainTextField(
        label="Or by their ids, one a line",
        required=False,
        max_length=LONGEST_LIST,
        widget=forms.Textarea({"rows": 2, "spellcheck": "false"}),
    )

    def show(self, found: FoundReferences) -> None:
        """Offer the references that were found, and those that were ticked before."""
        known = dict(found.rows)
        field = self.fields["picked"]
        sent = field.widget.value_from_datadict(self.data, self.files, "picked") or ()
        field.choices = [  # type: ignore[attr-defined]
            *((name, name) for name in sent if name not in known),
            *((name, f"{name} · {title}" if title else name) for name, title in found.rows),
        ]
        field.help_text = f"{len(found.rows)} of {found.total} shown." if found.is_cut else ""

    def clean(self) -> dict[str, Any]:
        """Put the rows in place of the ids, one of each, in the campaign's order."""
        typed = str(self.cleaned_data.get("references", "")).split("\n")
        ids = {line.strip() for line in (*typed, *self.cleaned_data.get("picked", ()))} - {""}
        if self.errors.keys() & {"picked", "references"}:
            return self.cleaned_data
        if not ids and self.needs_references:
            self.add_error("references", NO_REFERENCES)
        elif len(ids) > MOST_REFERENCES:
            self.add_error("references", f"At most {MOST_REFERENCES:,} references at a time.")
        else:
            self.cleaned_data["references"] = self._rows(ids)
        return self.cleaned_data

    def _rows(self, ids: set[str]) -> list[Reference]:
        rows = list(self.campaign.references.filter(reference_id__in=ids))
        if unknown := sorted(ids - {row.reference_id for row in rows}):
            named = ", ".join(name[:40] for name in unknown[:MOST_NAMED])
            more = len(unknown) - MOST_NAMED
            named += f" and {more} more" if more > 0 else ""
            self.add_error("references", f"This campaign has no reference of these ids: {named}.")
        return rows


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


class NamedForm(ReferencesForm):
    """Whole references for one annotator."""

    section = "named"
    field_order = ("annotator", "picked", "references", "due_on")

    annotator = _person()
    due_on = _day()


class WithdrawForm(ReferencesForm):
    """What is taken back from whom, and why; of no reference means everything that is open."""

    section = "withdraw"
    people = staticmethod(members_who_annotate)
    needs_references = False
    field_order = ("annotator", "picked", "references", "reason")

    annotator = _person()
    reason = PlainTextField(label="Reason", max_length=LONGEST_REASON)


class QuotaForm(PlanForm):
    """How many candidates one annotator has at most."""

    section = "quota"
    people = staticmethod(members_who_annotate)

    annotator = _person()
    quota = WholeNumberField(label="Quota", required=False, min_value=0, max_value=LARGEST_QUOTA)


class QualificationForm(ReferencesForm):
    """References that everybody rates first, or no longer."""

    section = "qualification"


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
