"""The field for a gap of the overall quality, in which conflict rules are given."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

from annotator.conflicts.rules import least_numerator
from core.forms import FractionField
from patclaimeval.rubric import HIGHEST


class GapField(FractionField):
    """Rating points with two decimals; cleaned, the smallest numerator over 11 that they allow."""

    def __init__(self, label: str, help_text: str = "") -> None:
        super().__init__(
            label=label,
            min_value=Decimal("0.01"),
            max_value=Decimal(HIGHEST),
            max_digits=4,
            decimal_places=2,
            help_text=help_text,
        )

    def clean(self, value: Any) -> int:
        return least_numerator(Fraction(super().clean(value)))
