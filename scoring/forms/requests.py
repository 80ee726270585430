"""The form that asks for an agreement report, and the fields it shares with that of a run."""

from django import forms

from annotator.models import User
from annotator.rubric import ALL_CRITERIA, NAMES
from scoring.metrics.registry import BASELINE_NAMES, METRIC_NAMES, READY_NAMES
from scoring.models import DatasetVersion
from scoring.queries.datasets import SPLITS, versions_for
from scoring.queries.models import models_for
from scoring.queries.scorers import MODEL_PREFIX

CRITERION_CHOICES = [(key, NAMES[key]) for key in ALL_CRITERIA]
SMALLEST_SEED, LARGEST_SEED = 0, 2**32 - 1


class VersionField(forms.ModelChoiceField):
    """A dataset version that the person may see, shown as NAME@NUMBER."""

    def label_from_instance(self, obj: DatasetVersion) -> str:
        return f"{obj} ({obj.items} quadruplets)"


class ReportForm(forms.Form):
    """Which scorers to hold against people, where."""

    version = VersionField(DatasetVersion.objects.none(), label="Dataset version")
    criterion = forms.ChoiceField(choices=CRITERION_CHOICES)
    split = forms.ChoiceField(choices=[(name, name) for name in SPLITS], initial="test")
    scorers = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        initial=READY_NAMES,
    )
    tie_threshold = forms.FloatField(min_value=0, initial=1e-4)

    def __init__(self, user: User, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.fields["version"].queryset = versions_for(user)  # type: ignore[attr-defined]
        names = [(name, name) for name in METRIC_NAMES if name not in BASELINE_NAMES]
        names += [
            (
                f"{MODEL_PREFIX}{model.pk}",
                f"PatClaimEval, {NAMES[model.criterion]}, {model.run.dataset_version}",
            )
            for model in models_for(user)
        ]
        self.fields["scorers"].choices = names  # type: ignore[attr-defined]
