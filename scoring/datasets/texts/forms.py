"""Who is to read the claim texts of a version, and why."""

from typing import Any

from django import forms

from annotator.models import User
from core.forms import PlainTextField, RefusableForm
from core.shapes import LONGEST_REASON
from scoring.datasets.texts.queries import possible_readers
from scoring.models import DatasetVersion


class PermissionForm(RefusableForm):
    """A researcher of the campaign, and the reason, which stays on record."""

    person = forms.ModelChoiceField(
        User.objects.none(), label="Researcher", empty_label="Choose", to_field_name="username"
    )
    reason = PlainTextField(
        max_length=LONGEST_REASON, help_text="It stays in the audit trail. Quote no claim."
    )

    def __init__(self, version: DatasetVersion, data: Any = None) -> None:
        super().__init__(data, auto_id="texts_%s")
        field = self.fields["person"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = possible_readers(version)
