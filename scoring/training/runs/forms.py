"""The form that asks for a training run."""

from typing import Any, Final

from django import forms

from annotator.models import User
from annotator.rubric import ALL_CRITERIA
from core.forms import NumberField, RefusableForm, WholeNumberField
from scoring.access.forms import CRITERION_CHOICES, VersionField
from scoring.access.scopes import LARGEST_SEED, SMALLEST_SEED, measured_versions_for
from scoring.models import DatasetVersion
from scoring.training.runs.choices import CHOICES, encoder_choices
from scoring.training.runs.services import ALL

BY_RECIPE: Final = "Left empty: what the recipe says."


class TrainingForm(RefusableForm):
    """Which dataset version, criterion and recipe; what is left empty follows from the recipe."""

    version = VersionField(DatasetVersion.objects.none(), label="Dataset version")
    criterion = forms.ChoiceField(
        choices=[*CRITERION_CHOICES, (ALL, "All five criteria, one after another")]
    )
    recipe = forms.ChoiceField(
        choices=CHOICES["recipe"],
        required=False,
        initial="default",
        widget=forms.RadioSelect,
    )
    encoder = forms.ChoiceField(
        required=False,
        initial="default",
        help_text="The embedded one, or a directory in Hugging Face layout that was put under "
        "encoders in the data directory. Nothing is fetched.",
    )
    margin = NumberField(
        min_value=0.001,
        max_value=1,
        initial=0.2,
        help_text="m of the loss: how far apart the scores of unequal candidates should be.",
    )
    tolerance = NumberField(
        min_value=0,
        max_value=1,
        initial=0.05,
        help_text="n of the loss: how far apart those of equal ones may be.",
    )
    epochs = WholeNumberField(required=False, min_value=1, max_value=100_000, help_text=BY_RECIPE)
    batch_size = WholeNumberField(
        required=False,
        min_value=1,
        max_value=4096,
        help_text=f"{BY_RECIPE} No part in a probe, as epochs and learning rate have none.",
    )
    learning_rate = NumberField(required=False, min_value=1e-9, max_value=1, help_text=BY_RECIPE)
    weight_decay = NumberField(
        required=False,
        min_value=0,
        max_value=1000,
        help_text="For a probe: how many comparisons its prior weighs, 100 if left "
        "empty. Else, left empty: what the recipe says.",
    )
    batching = forms.ChoiceField(choices=CHOICES["batching"], required=False, label="Batches")
    precision = forms.ChoiceField(
        choices=[("", "as the recipe says"), *CHOICES["precision"]],
        required=False,
        help_text="What the encoder computes in. A probe reads none; fine-tuning "
        "takes bfloat16 where it is measured to be faster, unless you choose.",
    )
    over_length = forms.ChoiceField(
        choices=CHOICES["over_length"],
        required=False,
        label="Pairs over the encoder's length",
        help_text="Nothing is ever cut. Left out, quadruplets are listed on the model's card.",
    )
    seed = WholeNumberField(min_value=SMALLEST_SEED, max_value=LARGEST_SEED, initial=0)

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["version"].queryset = measured_versions_for(user)  # type: ignore[attr-defined]
        self.fields["encoder"].choices = encoder_choices()  # type: ignore[attr-defined]

    @property
    def has_versions(self) -> bool:
        """Whether there is anything that the person could train on."""
        return bool(self.fields["version"].queryset.exists())  # type: ignore[attr-defined]

    @property
    def criteria(self) -> tuple[str, ...]:
        """The criteria that were asked for."""
        asked = self.cleaned_data["criterion"]
        return tuple(ALL_CRITERIA) if asked == ALL else (asked,)
