"""The filter of a list of quadruplets."""

from django import forms

from annotator.forms.discreet import DiscreetForm
from annotator.forms.fields import TickField
from scoring.forms.requests import CRITERION_CHOICES
from scoring.queries.quadruplets import Filter
from scoring.splits import SPLIT_NAMES

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
        said = self.cleaned_data
        label = int(said["label"]) if said["label"] else None
        return Filter(said["split"], said["criterion"], label, said["row_id"], said["flagged"])

    @property
    def page(self) -> int:
        """The number of the page that was asked for; 1 for anything that is no number."""
        said = str(self.data.get("page", ""))
        is_number = said.isascii() and said.isdigit() and len(said) <= 9
        return max(1, int(said)) if is_number else 1
