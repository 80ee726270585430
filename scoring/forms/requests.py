"""What the forms that ask for work on a dataset version have in common."""

from typing import Final

from django import forms

from annotator.rubric import ALL_CRITERIA, NAMES
from scoring.models import DatasetVersion

CRITERION_CHOICES: Final = [(key, NAMES[key]) for key in ALL_CRITERIA]
SMALLEST_SEED, LARGEST_SEED = 0, 2**32 - 1


class VersionField(forms.ModelChoiceField):
    """A dataset version that the person may see, shown as NAME@NUMBER."""

    def label_from_instance(self, obj: DatasetVersion) -> str:
        return f"{obj} ({obj.items} quadruplets)"
