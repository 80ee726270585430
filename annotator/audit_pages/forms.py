"""What somebody looks for in the audit trail."""

import re
from collections.abc import Sequence
from typing import Any, Final

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator

from annotator.audit_pages.queries import Question
from core.forms import DayField, RefusableForm, WholeNumberField

LAST: Final = 10**18
KEY: Final = RegexValidator(
    re.compile(r"\A[\w.:@+-]+\Z", re.ASCII), "Give the whole id, as a row shows it."
)


class AuditForm(RefusableForm):
    """The filter above a trail; every field may stay empty."""

    action = forms.ChoiceField(label="What", required=False)
    person = forms.CharField(label="Who", max_length=150, required=False)
    object_id = forms.CharField(label="On (id)", max_length=40, required=False, validators=[KEY])
    since = DayField(label="From", required=False)
    until = DayField(label="To", required=False)
    before = WholeNumberField(
        required=False,
        widget=forms.HiddenInput,
        validators=[MinValueValidator(1), MaxValueValidator(LAST)],
    )

    def __init__(
        self,
        *args: Any,
        actions: Sequence[tuple[str, str]],
        has_people: bool = True,
        **more: Any,
    ) -> None:
        super().__init__(*args, label_suffix="", **more)
        choice = self.fields["action"]
        assert isinstance(choice, forms.ChoiceField)
        choice.choices = [("", "anything"), *actions]
        if not has_people:
            del self.fields["person"]

    @property
    def question(self) -> Question:
        """What was asked; empty while something of it is wrong."""
        return Question(**self.cleaned_data) if self.is_valid() else Question()
