"""The choice of the criterion that systems are ranked by."""

from typing import Any

from django import forms

from annotator.rubric import ALL_CRITERIA, NAMES, OVERALL
from scoring.models import DatasetVersion


class RankingForm(forms.Form):
    """The criterion; without a word the overall quality, or else the first that has labels."""

    criterion = forms.ChoiceField(required=False)

    def __init__(self, version: DatasetVersion, data: Any = None) -> None:
        super().__init__(data)
        self.labelled = [key for key in ALL_CRITERIA if key in version.card["labels"]]
        field = self.fields["criterion"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(key, NAMES[key]) for key in self.labelled]
        self.initial["criterion"] = self.usual

    @property
    def usual(self) -> str:
        return OVERALL if OVERALL in self.labelled else next(iter(self.labelled), OVERALL)

    @property
    def chosen(self) -> str | None:
        """The criterion; None when there is no such one."""
        return self.cleaned_data["criterion"] or self.usual if self.is_valid() else None
