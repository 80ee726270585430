"""The form with which an admin answers a flag."""

from typing import Final

from django import forms

from core.forms import RefusableForm, words_field
from core.shapes import LONGEST_REASON

# What the button sends that closes the flag as well.
CLOSE: Final = "close"


class AnswerForm(RefusableForm):
    """A sentence for the annotator; none is needed where the flag is closed."""

    places = {"answer": "flag_answer"}

    flag_answer = words_field(
        LONGEST_REASON,
        "An answer may have",
        label="Answer",
        required=False,
        help_text="The annotator reads it in their queue.",
        widget=forms.Textarea({"rows": 3}),
    )

    @property
    def closes(self) -> bool:
        return self.typed("act") == CLOSE
