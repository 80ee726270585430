"""What every form of the rating house can do: show a refusal, hand back what was typed."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django.core.exceptions import ValidationError

from annotator.formats.free_text import LONGEST_REASON
from annotator.forms.discreet import DiscreetForm
from annotator.forms.fields import WordsField
from annotator.refusals import Refused


class RefusableForm(DiscreetForm):
    """A form that shows what a service refused, and keeps what was typed."""

    # Where a service calls something by another name than the form does.
    places: ClassVar[Mapping[str, str]] = {}

    def take_refusal(self, refusal: Refused) -> None:
        """Show what a service refused beside its field, or above the form when it has none."""
        named = {self.places.get(name, name): why for name, why in refusal.fields.items()}
        fields = {name: why for name, why in named.items() if name in self.fields}
        for name, reasons in fields.items():
            self.add_error(name, reasons)
        if not fields:
            self.add_error(None, refusal.sentence)

    def focus_error(self) -> None:
        """Have the first wrong field take the focus."""
        wrong = next((name for name in self.fields if name in self.errors), None)
        if wrong:
            self.fields[wrong].widget.attrs["autofocus"] = True

    def typed(self, name: str) -> str:
        """Return what was sent under a name, the last when there are several."""
        return str(self.data.get(name, ""))


class RubricForm(RefusableForm):
    """A form over the criteria; a field of another rubric is refused, not passed over."""

    # Fields of the same form that only its other buttons read.
    of_other_buttons: ClassVar[frozenset[str]] = frozenset({"csrfmiddlewaretoken"})

    def clean(self) -> dict[str, Any]:
        unknown = sorted(set(self.data) - set(self.fields) - self.of_other_buttons)
        if unknown:
            raise ValidationError(f"This rubric has no field named {unknown[0][:40]}.")
        return self.cleaned_data

    @property
    def version_seen(self) -> int:
        """The revision that the sender saw; 0 before the first."""
        return self.cleaned_data.get("version") or 0


class ReasonForm(RefusableForm):
    """Why a campaign is closed or reopened."""

    reason = WordsField(label="Reason", max_length=LONGEST_REASON)
