"""What the forms that ask for work on a dataset version have in common."""

from typing import Final

from django import forms
from django.utils.functional import cached_property

from patclaimeval.rubric import ALL_CRITERIA, NAMES
from scoring.access.scopes import doubled_names
from scoring.models import DatasetVersion

CRITERION_CHOICES: Final = [(key, NAMES[key]) for key in ALL_CRITERIA]


class VersionField(forms.ModelChoiceField):
    """A dataset version that the person may see, as NAME@NUMBER, in full where two are NAME."""

    def label_from_instance(self, obj: DatasetVersion) -> str:
        named = obj.full_name if obj.dataset.name in self._doubled else str(obj)
        return f"{named} ({obj.items} quadruplets)"

    @cached_property
    def _doubled(self) -> set[str]:
        assert self.queryset is not None, "its form sets it"
        return doubled_names(self.queryset)
