"""The form of a new webhook."""

from django import forms

from annotator.outgoing.rules import EVENTS, LONGEST_URL
from core.forms import PlainTextField, RefusableForm


class WebhookForm(RefusableForm):
    """Where it leads, and its events."""

    url = PlainTextField(
        label="Address",
        max_length=LONGEST_URL,
        help_text="Of a program of yours, such as https://hooks.example.org/claims",
        widget=forms.TextInput(attrs={"inputmode": "url", "autocapitalize": "none"}),
    )
    events = forms.MultipleChoiceField(
        label="Events",
        choices=list(EVENTS.items()),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose at least one event."},
    )
