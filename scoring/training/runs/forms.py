"""The form that asks for a training run."""

from typing import Any, Final

from django import forms

from annotator.models import User
from annotator.rubric import ALL_CRITERIA
from core.forms import NumberField, RefusableForm, WholeNumberField
from scoring.access.forms import CRITERION_CHOICES, VersionField
from scoring.access.scopes import LARGEST_SEED, SMALLEST_SEED, measured_versions_for
from scoring.models import DatasetVersion
from scoring.patclaimeval.config import BATCHINGS, OVER_LENGTH, PRECISIONS, RECIPES
from scoring.training.runs.choices import encoder_choices
from scoring.training.runs.services import ALL

BY_RECIPE: Final = "Left empty: what the recipe says."
WORDS: Final = {
    "paper": "as in the paper, over all references",
    "by-reference": "within a reference",
    "refuse": "refuse the run and name them",
    "leave-out": "leave them out and list them",
    "fp32": "32-bit floats",
    "bf16": "bfloat16",
    "auto": "whichever is measured faster",
}


class TrainingForm(RefusableForm):
    """Which dataset version, criterion and recipe; what is left empty follows from the recipe."""

    version = VersionField(DatasetVersion.objects.none(), label="Dataset version")
    criterion = forms.ChoiceField(
        choices=[*CRITERION_CHOICES, (ALL, "All five criteria, one after another")]
    )
    recipe = forms.ChoiceField(
        choices=[(key, f"{recipe.name}: {recipe.words}") for key, recipe in RECIPES.items()],
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
        required=False, min_value=1, max_value=4096, help_text=f"{BY_RECIPE} No part in a probe."
    )
    learning_rate = NumberField(required=False, min_value=1e-9, max_value=1, help_text=BY_RECIPE)
    weight_decay = NumberField(
        required=False,
        min_value=0,
        max_value=1000,
        help_text="Left empty: chosen by folds over the training references for a probe, else what "
        "the recipe says.",
    )
    batching = forms.ChoiceField(
        choices=[(key, WORDS[key]) for key in BATCHINGS], required=False, label="Batches"
    )
    precision = forms.ChoiceField(
        choices=[("", "as the recipe says"), *((key, WORDS[key]) for key in PRECISIONS)],
        required=False,
        help_text="What the encoder computes in. A probe takes 32-bit floats always; fine-tuning "
        "takes bfloat16 where it is measured to be faster, unless you choose.",
    )
    over_length = forms.ChoiceField(
        choices=[(key, WORDS[key]) for key in OVER_LENGTH],
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
