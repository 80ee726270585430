"""The forms that ask for two reports, or two scorers of one, side by side."""

from typing import Any, Final

from django import forms

from annotator.models import User
from annotator.rubric import NAMES
from scoring.models import AgreementReport
from scoring.queries.reports.listing import finished_reports

SAME: Final = "Choose another one than the first."


class ReportField(forms.ModelChoiceField):
    """A finished report that the person may see, told by what it asked and when."""

    def label_from_instance(self, obj: AgreementReport) -> str:
        asked = f"{NAMES[obj.criterion]}, {obj.dataset_version}, {obj.split}"
        return f"{asked}, {obj.created_at:%Y-%m-%d %H:%M:%S}"


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
