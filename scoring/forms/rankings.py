"""The choice of the criterion that systems are ranked by."""

from collections.abc import Mapping
from typing import Any

from django import forms

from annotator.rubric import ALL_CRITERIA, NAMES, OVERALL
from scoring.models import DatasetVersion


class RankingForm(forms.Form):
    """The criterion; without a word the overall quality, or else the first that has labels."""

    criterion = forms.ChoiceField()

    def __init__(self, version: DatasetVersion, asked: Mapping[str, Any]) -> None:
        self.labelled = [key for key in ALL_CRITERIA if key in version.card["labels"]]
        # A form that is given data shows these and no initial value: the menu must name the
        # criterion of the table below it.
        super().__init__({"criterion": asked.get("criterion") or self.usual})
        field = self.fields["criterion"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(key, NAMES[key]) for key in self.labelled]

    @property
    def usual(self) -> str:
        return OVERALL if OVERALL in self.labelled else next(iter(self.labelled), OVERALL)

    @property
    def chosen(self) -> str | None:
        """The criterion; None when there is no such one."""
        return self.cleaned_data["criterion"] if self.is_valid() else None
