"""The forms that ask for a report, or for two side by side."""

from collections.abc import Iterator
from typing import Any, Final

from django import forms
from django.forms.boundfield import BoundField
from django.utils.formats import date_format
from django.utils.timezone import localtime

from annotator.models import User
from core.forms import NumberField, RefusableForm, TickField
from patclaimeval.rubric import NAMES, OVERALL
from scoring.access.forms import CRITERION_CHOICES, VersionField
from scoring.access.scopes import SPLITS, ordered_labels, versions_for
from scoring.models import AgreementReport, DatasetVersion
from scoring.reports.queries import finished_reports
from scoring.reports.scorers import Choice, ready_names, scorer_groups

DEFAULT, PAPER, OWN = "default", "paper", "own"
THRESHOLDS: Final = {DEFAULT: 1e-4, PAPER: 1e-6}
TIES: Final = (
    (DEFAULT, "0.0001, as the papers say"),
    (PAPER, "0.000001, which repeats the figures that they print"),
    (OWN, "another one:"),
)
NO_NUMBER: Final = "Give the threshold, or choose one of the others."
MAY_SEND: Final = (
    "Nothing was sent. Tick the box if the claim sets may leave, or take away {names}."
)
NEW_COST: Final = "What would be sent is another thing now. Read it, and tick the box again."


class ReportForm(RefusableForm):
    """Which scorers to hold against people, where."""

    version = VersionField(
        DatasetVersion.objects.none(), label="Dataset version", empty_label="Choose"
    )
    criterion = forms.ChoiceField(choices=CRITERION_CHOICES)
    split = forms.ChoiceField(
        choices=[(name, name) for name in SPLITS],
        initial="test",
        help_text="For a figure to quote: test, which no training reads.",
    )
    ties = forms.ChoiceField(
        label="A difference of scores is a tie up to",
        choices=TIES,
        widget=forms.RadioSelect,
        initial=DEFAULT,
        required=False,
    )
    tie_threshold = NumberField(
        label="Another threshold",
        min_value=0,
        required=False,
        help_text="In the unit of the scores. tau-b needs none; a report also calibrates one.",
    )
    scorers = forms.MultipleChoiceField(error_messages={"required": "Choose at least one scorer."})
    admins_counted = TickField(
        label="Count ratings of admins of the campaign too",
        required=False,
        help_text="Who administers a campaign sees more than who rates. Otherwise an item that one "
        "of them rated is left out.",
    )
    may_send = TickField(
        label="These claim sets may be sent there",
        required=False,
        help_text="Only with the consent of those whom they belong to. Answers are kept here, so "
        "that nothing is asked twice.",
    )
    cost_seen = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, user: User, data: Any = None, **more: Any) -> None:
        super().__init__(data, label_suffix="", **more)
        self._user = user
        self.groups = scorer_groups(user)
        version, scorers = self.fields["version"], self.fields["scorers"]
        assert isinstance(version, forms.ModelChoiceField)
        assert isinstance(scorers, forms.MultipleChoiceField)
        version.queryset = versions_for(user)
        self.initial.setdefault("criterion", self._usual_criterion())
        scorers.choices = [(one.name, one.label) for one in self._choices]
        self.initial.setdefault("scorers", ready_names(self.groups))

    def _usual_criterion(self) -> str:
        """Return the overall quality, or else the first criterion with labels in the version."""
        versions = versions_for(self._user)
        asked: Any = self.initial.get("version")
        row = versions.filter(pk=asked).first() or versions.first()
        labelled = ordered_labels(row) if row else {}
        return OVERALL if OVERALL in labelled or not labelled else next(iter(labelled))

    @property
    def plain_fields(self) -> Iterator[BoundField]:
        """The fields that are shown one below the other."""
        return (self[name] for name in ("version", "criterion", "split"))

    @property
    def ticked(self) -> set[str]:
        """The scorers that were sent, else those that are ready."""
        return set(self["scorers"].value() or ())

    @property
    def sending(self) -> list[Choice]:
        """The ticked scorers that send texts away."""
        able = (one for one in self._choices if one.sends_texts and not one.lacks)
        return [one for one in able if one.name in self.ticked]

    def agrees_to(self, cost: str) -> bool:
        """Return whether the person has read this cost and agreed; put the reason at the box."""
        cleaned = self.cleaned_data
        if not cost or (cleaned["may_send"] and cleaned["cost_seen"] == cost):
            return True
        names = " and ".join(one.label for one in self.sending)
        is_new = cleaned["may_send"] and cleaned["cost_seen"]
        self.add_error("may_send", NEW_COST if is_new else MAY_SEND.format(names=names))
        return False

    @property
    def asked(self) -> dict[str, Any]:
        """What was asked for, as keywords of the service."""
        names = ("version", "criterion", "split", "scorers", "tie_threshold", "admins_counted")
        return {name: self.cleaned_data[name] for name in names}

    def clean(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        typed = cleaned.get("tie_threshold")
        # A program may send the number alone.
        ties = cleaned.get("ties") or (DEFAULT if typed is None else OWN)
        if ties != OWN:
            cleaned["tie_threshold"] = THRESHOLDS[ties]
        elif typed is None and "tie_threshold" not in self.errors:
            self.add_error("tie_threshold", NO_NUMBER)
        return cleaned

    @property
    def _choices(self) -> list[Choice]:
        return [one for group in self.groups for one in group.scorers]


def again(report: AgreementReport) -> dict[str, Any]:
    """Return what a report asked, for a form that asks for another one like it."""
    known = {threshold: ties for ties, threshold in THRESHOLDS.items()}
    ties = known.get(report.tie_threshold, OWN)
    return {
        "version": report.dataset_version_id,
        "criterion": report.criterion,
        "split": report.split,
        "scorers": report.scorers,
        "admins_counted": report.has_admins,
        "ties": ties,
        "tie_threshold": report.tie_threshold if ties == OWN else None,
    }


SAME: Final = "Choose another one than the first."


class ReportField(forms.ModelChoiceField):
    """A finished report that the person may see, named by what it asked and when."""

    def label_from_instance(self, obj: AgreementReport) -> str:
        asked = f"{NAMES[obj.criterion]}, {obj.dataset_version}, {obj.split}"
        return f"{asked}, {date_format(localtime(obj.created_at), 'DATETIME_FORMAT')}"


class ReportsForm(forms.Form):
    """Two reports."""

    a = ReportField(AgreementReport.objects.none(), label="First report", empty_label="Choose")
    b = ReportField(AgreementReport.objects.none(), label="Second report", empty_label="Choose")

    def __init__(self, user: User, data: Any = None, **more: Any) -> None:
        super().__init__(data, label_suffix="", **more)
        for name in ("a", "b"):
            field = self.fields[name]
            assert isinstance(field, ReportField)
            field.queryset = finished_reports(user).defer("result")

    def clean(self) -> dict[str, Any]:
        chosen = self.cleaned_data
        if chosen.get("a") is not None and chosen.get("a") == chosen.get("b"):
            self.add_error("b", SAME)
        return chosen


class ScorersForm(forms.Form):
    """Two scorers of a report."""

    first = forms.ChoiceField(label="First scorer")
    second = forms.ChoiceField(label="Second scorer")

    def __init__(self, choices: list[tuple[str, str]], data: Any = None, **more: Any) -> None:
        super().__init__(data, label_suffix="", **more)
        for name in ("first", "second"):
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = [("", "Choose"), *choices]

    def clean(self) -> dict[str, Any]:
        chosen = self.cleaned_data
        if chosen.get("first") and chosen.get("first") == chosen.get("second"):
            self.add_error("second", SAME)
        return chosen
