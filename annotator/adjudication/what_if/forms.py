"""The form of the what-if page: conflict rules to try on the ratings so far."""

from typing import Any, Final

from django import forms

from annotator.conflicts.forms import GapField
from annotator.conflicts.rules import ConflictRules, gap_text
from annotator.models import Campaign
from core.forms import RefusableForm, WholeNumberField
from patclaimeval.rubric import HIGHEST

LADDER: Final = (("off", "an adjudicator"), ("on", "first an annotator"))


class WhatIfForm(RefusableForm):
    """Conflict rules, gaps in rating points; what is not given is as it is today."""

    criterion_gap = WholeNumberField(label="Criterion gap", min_value=1, max_value=HIGHEST)
    overall_gap = GapField("Overall gap")
    flip_gap = GapField("Order flip")
    ladder = forms.ChoiceField(label="Who decides", choices=LADDER)

    @property
    def rules(self) -> ConflictRules:
        """The rules of a valid form."""
        cleaned = self.cleaned_data
        return ConflictRules(
            criterion_gap=cleaned["criterion_gap"],
            overall_gap_numerator=cleaned["overall_gap"],
            flip_gap_numerator=cleaned["flip_gap"],
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
