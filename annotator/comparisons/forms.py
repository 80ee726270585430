"""The forms of comparing: a preference per criterion, and an admin's request for comparisons."""

import re
from decimal import Decimal
from fractions import Fraction
from typing import Final

from django.http import QueryDict

from annotator.comparisons.services import CHOOSE, WRONG_ANSWER
from annotator.models import Preference
from annotator.rating_values import LONGEST_TEXT
from core.forms import (
    LARGEST_VERSION,
    ChosenField,
    FractionField,
    RefusableForm,
    RubricForm,
    WholeNumberField,
    words_field,
)
from patclaimeval.rubric import ALL_CRITERIA, NAMES

# `1` the left is better, `0` equal, `-1` the right.
ANSWER: Final = re.compile(r"(-1|0|1)")
# What is typed on the page, by field.
TYPED: Final = (*ALL_CRITERIA, "comment")
# The buttons of the same form that switch a reading aid send their own name.
OF_OTHER_BUTTONS: Final = frozenset({"csrfmiddlewaretoken", "aid"})


class PreferenceForm(RubricForm):
    """What the compare page posts; `version` is 0 for a first preference, else the one revised."""

    of_other_buttons = OF_OTHER_BUTTONS

    comment = words_field(LONGEST_TEXT, "A comment may have", required=False)
    typed_version = WholeNumberField(required=False, min_value=0, max_value=LARGEST_VERSION)

    def __init__(self, data: QueryDict | None = None) -> None:
        super().__init__(data)
        for key in ALL_CRITERIA:
            field = ChosenField("answer", ANSWER, CHOOSE, WRONG_ANSWER, label=NAMES[key])
            self.fields[key] = field

    @property
    def judgements(self) -> dict[str, int]:
        """The valid answers; all five when the form is valid."""
        return {key: self.cleaned_data[key] for key in ALL_CRITERIA if key in self.cleaned_data}

    @property
    def draft_version_seen(self) -> int | None:
        """The draft that the page shows; None when the sender knows of no drafts."""
        return self.cleaned_data.get("typed_version") if "typed_version" in self.data else None

    @property
    def as_entered(self) -> dict[str, str]:
        """Return what a draft holds: every field as it was typed, right or wrong."""
        return {name: self.typed(name) for name in TYPED}


def as_sent(preference: Preference) -> dict[str, str]:
    """Return a stored preference as the values that the form would send for it."""
    said = {key: str(value) for key, value in preference.judgements.items()}
    return said | {"comment": preference.comment, "version": str(preference.version)}


class AskForm(RefusableForm):
    """What an admin gives to have comparisons given out: how many of all pairs, and the seed."""

    share = FractionField(
        label="Share of all pairs, in per cent",
        min_value=Decimal("0.01"),
        max_value=Decimal(100),
        max_digits=5,
        decimal_places=2,
        initial=Decimal(10),
    )
    seed = WholeNumberField(
        label="Seed",
        min_value=0,
        max_value=LARGEST_VERSION,
        initial=0,
        help_text="The same seed draws the same pairs; a larger share adds to a smaller one.",
    )

    @property
    def exact_share(self) -> Fraction:
        return Fraction(self.cleaned_data["share"]) / 100
