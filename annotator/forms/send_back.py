"""The form that sends a conflict back: who is asked, and what."""

from typing import Final

from django import forms

from annotator.forms.fields import CommentField
from annotator.forms.refusable import RefusableForm
from annotator.models import RoundKind
from annotator.services.rounds import CHOICES, LONGEST_QUESTION

WORDS: Final = {
    RoundKind.AGAIN: "the same annotators look again",
    RoundKind.ANOTHER: "one more annotator rates it",
}
KINDS: Final = tuple((str(kind), WORDS[kind]) for kind in CHOICES)


class SendBackForm(RefusableForm):
    """What the adjudication page posts beside the ruling, under names of its own."""

    places = {"kind": "back_kind", "question": "back_question"}

    back_kind = forms.ChoiceField(
        choices=KINDS,
        error_messages={
            "required": "Choose who is asked.",
            "invalid_choice": "Choose who is asked.",
        },
    )
    back_question = CommentField(
        strip=False,
        required=False,
        max_length=LONGEST_QUESTION,
        error_messages={
            "max_length": "A question has at most %(limit_value)d characters; "
            "this has %(show_value)d.",
        },
    )
