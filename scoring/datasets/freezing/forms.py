"""The form that asks for a freeze: which campaign, and how ratings become quadruplets."""

from dataclasses import asdict
from typing import Any, Final

from django import forms

from annotator.access.scopes import campaigns_for
from annotator.models import Campaign, User
from core.forms import NumberField, RefusableForm, TickField, WholeNumberField
from patclaimeval.rubric import ALL_CRITERIA, HIGHEST
from scoring.access.forms import CRITERION_CHOICES
from scoring.access.scopes import LARGEST_SEED, MAY_READ, SMALLEST_SEED
from scoring.datasets.freezing.rules import FreezeSettings

POLICIES: Final = (
    ("settled", "settled: the ruling, else the mean"),
    ("per-annotator", "per annotator, by pseudonym"),
    ("majority", "majority: what more than half of the annotators say, else a tie"),
)
SPLIT_BY: Final = (
    ("reference", "reference"),
    ("family", "patent family"),
    ("ipc", "IPC subclass, such as G06F"),
    ("time", "time: the references rated last are for the test"),
)
LARGEST_SHARE: Final = 0.9


class FreezeForm(RefusableForm):
    """Which campaign to freeze, and how; `name` empty means the campaign's own."""

    campaign = forms.ModelChoiceField(
        Campaign.objects.none(), to_field_name="slug", empty_label="Choose"
    )
    name = forms.SlugField(
        label="Dataset",
        max_length=80,
        required=False,
        help_text="Letters, digits, - and _. Empty: the short name of the campaign.",
    )
    policy = forms.ChoiceField(label="Policy", choices=POLICIES, widget=forms.RadioSelect)
    tie_band = NumberField(
        label="Tie band, in rating points",
        min_value=0,
        max_value=HIGHEST,
        help_text="A difference of at most this is a tie; 0 asks for equal values.",
    )
    criteria = forms.MultipleChoiceField(
        choices=CRITERION_CHOICES,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose at least one criterion."},
    )
    split_by = forms.ChoiceField(label="Split by", choices=SPLIT_BY)
    test_share = NumberField(min_value=0, max_value=LARGEST_SHARE)
    validation_share = NumberField(
        min_value=0, max_value=LARGEST_SHARE, help_text="Of what is not for the test."
    )
    seed = WholeNumberField(
        min_value=SMALLEST_SEED,
        max_value=LARGEST_SEED,
        help_text="Draws the split, and which of two candidates stands as B.",
    )
    include_unlocked = TickField(
        label="Take ratings that are not locked, too",
        required=False,
        help_text="For trials only; the card says so.",
    )

    def __init__(self, user: User, data: Any = None, **more: Any) -> None:
        super().__init__(data, initial=DEFAULTS | more.pop("initial", {}), label_suffix="", **more)
        field = self.fields["campaign"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = campaigns_for(user, MAY_READ).order_by("slug")
        if len(field.queryset) == 1:
            self.initial["campaign"] = field.queryset[0].slug

    @property
    def settings(self) -> dict[str, Any]:
        """What was given, as keywords of the freezing service that are JSON values."""
        given = {name: self.cleaned_data[name] for name in self.fields if name != "campaign"}
        chosen = [key for key in ALL_CRITERIA if key in given["criteria"]]
        return given | {"name": given["name"] or None, "criteria": chosen}


# The command `retrain` names the version whose test references stay; no form does.
DEFAULTS: Final[dict[str, Any]] = {
    name: value
    for name, value in asdict(FreezeSettings(criteria=list(ALL_CRITERIA))).items()
    if name in FreezeForm.base_fields
}
