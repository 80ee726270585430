"""Which versions to compare, which quadruplets to list, which criterion to rank by."""

from collections.abc import Mapping
from typing import Any

from django import forms

from annotator.models import User
from core.forms import DiscreetForm, TickField
from patclaimeval.rubric import ALL_CRITERIA, NAMES, OVERALL
from scoring.access.forms import CRITERION_CHOICES, VersionField
from scoring.access.scopes import NoSuchVersion, SeveralDatasets, find_version, versions_for
from scoring.datasets.versions.queries import Filter
from scoring.models import DatasetVersion
from scoring.quadruplets import SPLIT_NAMES


class ComparedVersion(VersionField):
    """A version by NAME@NUMBER, which addresses can hold."""

    def __init__(self, label: str) -> None:
        super().__init__(DatasetVersion.objects.none(), label=label, empty_label="Choose")

    def prepare_value(self, value: Any) -> Any:
        return value.full_name if isinstance(value, DatasetVersion) else value

    def to_python(self, value: Any) -> DatasetVersion | None:
        if value in self.empty_values:
            return None
        try:
            return find_version(str(value), self.queryset)
        except SeveralDatasets as error:
            raise forms.ValidationError(str(error)) from error
        except NoSuchVersion as error:
            raise forms.ValidationError(self.error_messages["invalid_choice"]) from error

    def validate(self, value: Any) -> None:
        if value is None:
            raise forms.ValidationError(self.error_messages["required"])


class ComparisonForm(forms.Form):
    """The earlier and the later version."""

    one = ComparedVersion("Earlier version")
    other = ComparedVersion("Later version")

    def __init__(self, user: User, data: Any = None, **more: Any) -> None:
        super().__init__(data, **more)
        for name in ("one", "other"):
            field = self.fields[name]
            assert isinstance(field, ComparedVersion)
            field.queryset = versions_for(user)


LABELS = (("", "any"), ("1", "B better"), ("0", "equal"), ("-1", "C better"))


class FilterForm(DiscreetForm):
    """Which quadruplets are listed; a field that is empty takes all."""

    split = forms.ChoiceField(
        required=False, choices=(("", "all"), *((name, name) for name in SPLIT_NAMES))
    )
    criterion = forms.ChoiceField(
        label="Labelled for", required=False, choices=(("", "any criterion"), *CRITERION_CHOICES)
    )
    label = forms.ChoiceField(label="With label", required=False, choices=LABELS)
    row_id = forms.CharField(label="Id", required=False, max_length=200)
    flagged = TickField(label="Flagged only", required=False)

    def clean(self) -> None:
        super().clean()
        if self.cleaned_data.get("label") and not self.cleaned_data.get("criterion"):
            self.add_error("criterion", "Choose the criterion that the label is for.")

    @property
    def wanted(self) -> Filter | None:
        """The filter that was asked for; None when something of it is wrong."""
        if not self.is_valid():
            return None
        cleaned = self.cleaned_data
        label = int(cleaned["label"]) if cleaned["label"] else None
        return Filter(
            cleaned["split"], cleaned["criterion"], label, cleaned["row_id"], cleaned["flagged"]
        )


class RankingForm(forms.Form):
    """The criterion; without one the overall quality, or else the first that has labels."""

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
