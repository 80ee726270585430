"""The form of a code of the second factor."""

from django import forms

from annotator.forms.fields import WordsField
from annotator.forms.refusable import RefusableForm


class FreshInput(forms.TextInput):
    """A field that is empty each time: a code that was refused is never right later."""

    def format_value(self, value: object) -> None:
        return None


class CodeForm(RefusableForm):
    """Six digits from the phone, or a recovery code; which it is shows in its length."""

    code = WordsField(
        label="Code",
        max_length=40,
        help_text="Six digits from the app on your phone, or a recovery code.",
        error_messages={"max_length": "No code is so long."},
        widget=FreshInput(
            attrs={
                "autocomplete": "one-time-code",
                "autocapitalize": "none",
                "spellcheck": "false",
                "autofocus": True,
            }
        ),
    )
