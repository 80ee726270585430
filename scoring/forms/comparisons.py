"""The form that asks for two versions to be compared."""

from typing import Any

from django import forms

from annotator.models import User
from scoring.forms.requests import VersionField
from scoring.models import DatasetVersion
from scoring.queries.datasets import NoSuchVersion, SeveralDatasets, find_version, versions_for


class ComparedVersion(VersionField):
    """A version by NAME@NUMBER, which addresses can carry."""

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
