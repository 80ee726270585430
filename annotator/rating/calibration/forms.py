"""The form of an annotator's answer, and those by which an admin sets a calibration up."""

from collections.abc import Iterator
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.forms import BoundField

from annotator.models import Campaign
from annotator.rating.calibration.queries import EXAMPLES, candidate_named, example_label
from annotator.rating.calibration.services import LONGEST_SENTENCE
from annotator.rating.forms import score_fields
from core.forms import PlainTextField, RefusableForm, RubricForm, TickField, WholeNumberField
from patclaimeval.rubric import CRITERIA, HIGHEST, LOWEST, NAMES

LONGEST_ID: Final = 200


class AnswerForm(RubricForm):
    """The four scores of an item."""

    of_other_buttons = frozenset({"csrfmiddlewaretoken"})

    def __init__(self, data: Any = None) -> None:
        super().__init__(data)
        self.fields.update(score_fields())

    @property
    def scores(self) -> dict[str, int]:
        """The valid scores; all four when the form is valid."""
        return {key: self.cleaned_data[key] for key in CRITERIA if key in self.cleaned_data}


class CandidateForm(RefusableForm):
    """A candidate of the campaign, its agreed scores, and a sentence on each."""

    reference = PlainTextField(
        label="Reference id",
        max_length=LONGEST_ID,
        widget=forms.TextInput({"list": "offered-references"}),
    )
    candidate = PlainTextField(
        label="Candidate id",
        max_length=LONGEST_ID,
        widget=forms.TextInput({"list": "offered-candidates"}),
    )

    def __init__(self, campaign: Campaign, data: Any = None) -> None:
        super().__init__(data, auto_id="calibration-%s")
        self.campaign = campaign
        for key in CRITERIA:
            self.fields[key] = WholeNumberField(
                label=NAMES[key], min_value=LOWEST, max_value=HIGHEST
            )
            self.fields[f"reason_{key}"] = PlainTextField(
                label=f"Why, on {NAMES[key].lower()}",
                max_length=LONGEST_SENTENCE,
                widget=forms.Textarea({"rows": 2, "spellcheck": "false", "translate": "no"}),
            )

    def clean(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        if "reference" in cleaned and "candidate" in cleaned:
            row = candidate_named(self.campaign, cleaned["reference"], cleaned["candidate"])
            if row is None:
                why = "This campaign has no candidate of this id under this reference."
                self.add_error("candidate", ValidationError(why))
            else:
                cleaned["row"] = row
        return cleaned

    @property
    def scores(self) -> dict[str, int]:
        return {key: self.cleaned_data[key] for key in CRITERIA}

    @property
    def reasons(self) -> dict[str, str]:
        return {key: self.cleaned_data[f"reason_{key}"].strip() for key in CRITERIA}

    @property
    def names(self) -> tuple[BoundField, BoundField]:
        return self["reference"], self["candidate"]

    @property
    def criteria(self) -> Iterator[tuple[BoundField, BoundField]]:
        """Yield the two fields of each criterion: its score, and why."""
        for key in CRITERIA:
            yield self[key], self[f"reason_{key}"]


class ExamplesForm(RefusableForm):
    """Worked examples of the rubric that are not in the calibration yet."""

    examples = forms.MultipleChoiceField(
        label="Worked examples",
        widget=forms.CheckboxSelectMultiple,
        choices=[(key, example_label(key)) for key in EXAMPLES],
        error_messages={"required": "Choose at least one example."},
    )


class SwitchForm(RefusableForm):
    """Whether the campaign starts with its calibration."""

    is_on = TickField(required=False)
