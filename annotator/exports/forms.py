"""The form by which an admin or a researcher takes the ratings of a campaign away."""

from collections.abc import Sequence
from typing import Any, Final

from django import forms

from core.forms import RefusableForm, TickField
from core.shapes import LONGEST_REASON

LABELS: Final = {
    "csv": "CSV, for spreadsheets",
    "jsonl": "JSON Lines, one rating a line",
    "label-studio": "Label Studio JSON, preferences with claim texts",
    "label-studio-tasks": "Label Studio tasks, to import preferences there",
}


class RatingExportForm(RefusableForm):
    """A format and, for an admin of a closed campaign, names with the reason why."""

    format = forms.ChoiceField(label="Format")
    is_identified = TickField(
        label="With user names",
        required=False,
        help_text="Without it annotators have pseudonyms that are new in each file.",
    )
    reason = forms.CharField(
        label="Why names are needed",
        max_length=LONGEST_REASON,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="It is recorded on the lists of exports and of unblindings.",
    )

    def __init__(self, *args: Any, formats: Sequence[str], may_name: bool, **more: Any) -> None:
        super().__init__(*args, **more)
        choice = self.fields["format"]
        assert isinstance(choice, forms.ChoiceField)
        choice.choices = [(name, LABELS[name]) for name in formats]
        if not may_name:
            del self.fields["is_identified"], self.fields["reason"]
