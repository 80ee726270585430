"""What a reader asks of context: words, a term of a claim, another page, a drawing."""

from typing import Final

from django import forms

from core.forms import RefusableForm, TickField, WholeNumberField

TEXT: Final = "text"
DRAWINGS: Final = "drawings"
LONGEST_SEARCH: Final = 200
LARGEST_NUMBER: Final = 100_000


class ContextForm(RefusableForm):
    """Everything may be left out: then the beginning is shown."""

    view = forms.ChoiceField(choices=[(TEXT, "Text"), (DRAWINGS, "Drawings")], required=False)
    q = forms.CharField(
        label="Search",
        max_length=LONGEST_SEARCH,
        required=False,
        error_messages={"max_length": f"Search for at most {LONGEST_SEARCH} characters."},
    )
    term = forms.CharField(
        label="Term of a claim",
        max_length=LONGEST_SEARCH,
        required=False,
        error_messages={"max_length": "Choose a term of the list."},
    )
    # The button that begins a search, so that drawings give way to the text.
    find = TickField(required=False)
    page = WholeNumberField(required=False, min_value=1, max_value=LARGEST_NUMBER)
    # The place of a paragraph, to show it among its neighbours.
    at = WholeNumberField(required=False, min_value=1, max_value=LARGEST_NUMBER)
    sheet = WholeNumberField(required=False, min_value=1, max_value=LARGEST_NUMBER)
