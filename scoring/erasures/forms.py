"""The form by which an admin changes the draft of a reference."""

from typing import Any, Final

from django import forms

from core.forms import CommentField, PlainTextField, RefusableForm
from core.shapes import LONGEST_REASON

DIGEST: Final = 64


class DraftForm(RefusableForm):
    """The draft as it is to be stored, why, and which one its editor had before them."""

    draft_claims = CommentField(
        label="Draft",
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 8}),
        help_text="The claims before revision. Empty: none is known.",
    )
    reason = PlainTextField(label="Reason of the change", max_length=LONGEST_REASON)
    seen = forms.CharField(required=False, max_length=DIGEST, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **more: Any) -> None:
        # Another form of its page asks for a reason, too.
        super().__init__(*args, auto_id="id_draft_%s", **more)


LONGEST_SOUGHT: Final = 200


class SoughtReferences(forms.Form):
    """What is looked for among the references of a campaign: a part of an id or a title."""

    q = forms.CharField(
        label="Id or title",
        required=False,
        max_length=LONGEST_SOUGHT,
        widget=forms.TextInput(
            attrs={"type": "search", "autocomplete": "off", "spellcheck": "false"}
        ),
    )

    @property
    def sought(self) -> str:
        return str(self.cleaned_data["q"])
