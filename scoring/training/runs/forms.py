"""The forms of training runs: one asks for a run, one describes it, one lists them."""

import re
from collections.abc import Mapping
from typing import Any, Final

from django import forms
from django.utils.http import urlencode

from annotator.models import User
from core.forms import DiscreetForm, NumberField, RefusableForm, WholeNumberField, words_field
from core.jobs.rows import JobStatus
from patclaimeval.rubric import ALL_CRITERIA
from scoring.access.forms import CRITERION_CHOICES, VersionField
from scoring.access.scopes import LARGEST_SEED, SMALLEST_SEED, measured_versions_for
from scoring.models import DatasetVersion, TrainingRun
from scoring.training.runs.choices import CHOICES, encoder_choices
from scoring.training.runs.queries import (
    ASCENDING,
    DESCENDING,
    SORTS,
    WantedRuns,
    trained_versions,
    used_tags,
)
from scoring.training.runs.services import ALL, LONGEST_NOTE, LONGEST_TAG, MOST_TAGS

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
        "uses bfloat16 where the GPU supports it, unless you choose.",
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


BETWEEN_TAGS: Final = re.compile(r"[\s,;]+")
SEPARATED: Final = (
    f"Up to {MOST_TAGS} words between spaces, such as baseline or sent-to-client; capitals become "
    "small letters."
)


class DescribeForm(RefusableForm):
    """What researchers say of a run."""

    tags = forms.CharField(
        required=False, max_length=MOST_TAGS * (LONGEST_TAG + 2), help_text=SEPARATED
    )
    note = words_field(
        LONGEST_NOTE,
        "At most",
        required=False,
        widget=forms.Textarea({"rows": 3}),
        help_text="Everybody who reads the run reads it. Quote no claims.",
    )

    @classmethod
    def of_run(cls, run: TrainingRun) -> "DescribeForm":
        """Return the form with what is said of a run now."""
        return cls(initial={"tags": " ".join(run.tag_names), "note": run.note})

    @property
    def described(self) -> dict[str, Any]:
        """What the form says, as the service takes it."""
        tags = [tag for tag in BETWEEN_TAGS.split(self.cleaned_data["tags"]) if tag]
        return {"tags": tags, "note": self.cleaned_data["note"]}


ANY: Final = ("", "any")
ORDERS: Final = (ANY, (ASCENDING, "ascending"), (DESCENDING, "descending"))


SEARCH: Final = {
    "type": "search",
    "size": "28",
    "placeholder": "dataset, criterion, tag, note",
}


class RunsForm(DiscreetForm):
    """A filter and an order of runs; a field that is empty takes all."""

    q = forms.CharField(
        label="Search",
        required=False,
        max_length=200,
        widget=forms.TextInput(SEARCH),
    )
    status = forms.ChoiceField(required=False, choices=(ANY, *JobStatus.choices))
    criterion = forms.ChoiceField(required=False, choices=(ANY, *CRITERION_CHOICES))
    dataset = forms.ChoiceField(required=False)
    tag = forms.ChoiceField(required=False)
    sort = forms.ChoiceField(
        required=False,
        choices=(("", "usual"), *((key, name) for key, (name, _) in SORTS.items())),
        widget=forms.HiddenInput,
    )
    order = forms.ChoiceField(required=False, choices=ORDERS, widget=forms.HiddenInput)

    def __init__(self, user: User, data: Mapping[str, Any]) -> None:
        self._given = {name: str(data.get(name, "")).strip() for name in self.base_fields}
        super().__init__(self._given, label_suffix="", auto_id="runs_%s")
        versions = [(version.full_name, version.full_name) for version in trained_versions(user)]
        self._choices("dataset").choices = [ANY, *versions]
        self._choices("tag").choices = [ANY, *((tag, tag) for tag in used_tags(user))]

    def _choices(self, name: str) -> forms.ChoiceField:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        return field

    @property
    def is_empty(self) -> bool:
        """Whether every run of the person is listed."""
        return not any(self._given[name] for name in ("q", "status", "criterion", "dataset", "tag"))

    @property
    def wanted(self) -> WantedRuns:
        """What a valid form asks for."""
        chosen = self.cleaned_data
        sort = chosen["sort"] or "started"
        is_descending = SORTS[sort][1] if not chosen["order"] else chosen["order"] == DESCENDING
        named = {name: chosen[name] for name in ("status", "criterion", "dataset", "tag")}
        return WantedRuns(chosen["q"], **named, sort=sort, is_descending=is_descending)

    def address(self, **changed: str) -> str:
        """Return the query of this list, or of one that differs in some fields."""
        named = self._given | changed
        return urlencode({name: value for name, value in named.items() if value})

    @property
    def headings(self) -> list[tuple[str, str, str]]:
        """The name of each column, how it is sorted now, and the query that a click asks for."""
        sorted_by = self.wanted
        found = []
        for key, (name, is_greatest_first) in SORTS.items():
            is_sorted = sorted_by.sort == key
            then = not sorted_by.is_descending if is_sorted else is_greatest_first
            aria = ("descending" if sorted_by.is_descending else "ascending") if is_sorted else ""
            order = DESCENDING if then else ASCENDING
            found.append((name, aria, self.address(sort=key, order=order)))
        return found
