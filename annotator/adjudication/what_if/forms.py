"""The form of the what-if page: conflict rules to try on the ratings so far."""

from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from django import forms

from annotator.conflicts.rules import ConflictRules, gap_text, least_numerator
from annotator.models import Campaign
from annotator.rubric import HIGHEST
from core.forms import FractionField, RefusableForm, WholeNumberField

LADDER: Final = (("off", "an adjudicator"), ("on", "first an annotator"))


class _Points(FractionField):
    """A gap in rating points, with two decimals."""

    def __init__(self, label: str) -> None:
        super().__init__(
            label=label,
            min_value=Decimal("0.01"),
            max_value=Decimal(HIGHEST),
            max_digits=4,
            decimal_places=2,
        )


class WhatIfForm(RefusableForm):
    """Conflict rules, gaps in rating points; what is not given is as it is today."""

    criterion_gap = WholeNumberField(label="Criterion gap", min_value=1, max_value=HIGHEST)
    overall_gap = _Points("Overall gap")
    flip_gap = _Points("Order flip")
    ladder = forms.ChoiceField(label="Who decides", choices=LADDER)

    @property
    def rules(self) -> ConflictRules:
        """The rules of a valid form; a gap in points becomes the smallest numerator it allows."""
        cleaned = self.cleaned_data
        return ConflictRules(
            criterion_gap=cleaned["criterion_gap"],
            overall_gap_numerator=least_numerator(Fraction(cleaned["overall_gap"])),
            flip_gap_numerator=least_numerator(Fraction(cleaned["flip_gap"])),
            has_ladder=cleaned["ladder"] == "on",
        )


def what_if_form(campaign: Campaign, asked: Any) -> WhatIfForm:
    """Return the form with what the address holds (a QueryDict), and today's rules for the rest."""
    today = {
        "criterion_gap": str(campaign.criterion_gap),
        "overall_gap": gap_text(campaign.overall_gap_numerator),
        "flip_gap": gap_text(campaign.flip_gap_numerator),
        "ladder": "on" if campaign.has_ladder else "off",
    }
    return WhatIfForm({name: asked.get(name, value) for name, value in today.items()})
