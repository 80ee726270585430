"""The form by which a model's promotion is asked for, answered or withdrawn."""

from django import forms

from core.forms import CommentField, RefusableForm, TickField
from core.shapes import LONGEST_REASON
from scoring.training.model_versions.promotions import ACTS


class PromotionForm(RefusableForm):
    """A reason, and for who asks that they know what speaks against the model."""

    act = forms.ChoiceField(
        choices=[(act, act) for act in ACTS],
        error_messages={"required": "Press one of the buttons."},
        widget=forms.HiddenInput,
    )
    reason = CommentField(
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 4}),
        error_messages={"required": "Give a reason."},
    )
    is_aware = TickField(required=False, label="I know these concerns and request it all the same")
