"""The form of a code of the second factor."""

from django import forms

from annotator.forms.refusable import RefusableForm


class CodeForm(RefusableForm):
    """Six digits from the phone, or a recovery code; which it is shows in its length."""

    code = forms.CharField(
        label="Code",
        max_length=40,
        help_text="Six digits from the app on your phone, or a recovery code.",
        error_messages={"max_length": "No code is so long."},
        widget=forms.TextInput(
            attrs={
                "autocomplete": "one-time-code",
                "autocapitalize": "none",
                "spellcheck": "false",
                "autofocus": True,
            }
        ),
    )
